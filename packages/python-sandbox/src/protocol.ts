// Messages between the judge and the sandbox: programs in, results out. Plain data only, so that it passes between worker, iframe and
// thread unchanged. An expected answer is never part of a Program: only the judge has it.

/** One step in the VM; steps run in order, and each sees the effects of the earlier ones. */
export type Step =
  /** Runs the response's text as the main script. */
  | { do: 'module' }
  /** Runs `code`, which assigns its result to the global `__out__`; the result is read from outside the VM. */
  | { do: 'value'; code: string };

export interface Program {
  /** Trusted Python that runs first, in the same namespace (imports, classes that a problem uses). */
  setup?: string;
  /** The response's Python, which may be hostile. */
  source: string;
  /** After an exit the remaining steps are skipped; after an exception only if the module raised it. */
  steps: readonly Step[];
}

/**
 * A Python value that the host read from the VM's memory, with its exact type. `other`: any type without an exact counterpart in JSON (an
 * instance of a subclass, a set, a function, …), or a value beyond the reader's limits of depth and size.
 */
export type Value =
  | ['none']
  | ['bool', boolean]
  /** Decimal digits, since Python integers are unbounded. */
  | ['int', string]
  | ['float', number]
  | ['str', string]
  | ['list', Value[]]
  | ['tuple', Value[]]
  | ['dict', [Value, Value][]]
  | ['other'];

export type Outcome =
  | { end: 'ok'; value: Value | null }
  /** SystemExit, with the status that a shell would see. */
  | { end: 'exit'; status: number }
  /** `type` is the exception's class name according to the program: for users only, never for a verdict. */
  | { end: 'raise'; type: string }
  | { end: 'skipped' };

/** Why a program was stopped from outside, which no Python code can prevent. */
export type Killed =
  /** It exceeded the limit on work, which is the same on every machine. */
  | 'work'
  /** It exceeded the wall-clock limit, twice. */
  | 'timeout'
  /** All memory is in use; a single allocation that is too large is a MemoryError instead, which Python may catch. */
  | 'memory'
  /** It printed too much. */
  | 'output'
  /** It tried to use the JavaScript bridge. */
  | 'bridge'
  /** The VM's own stack or memory was corrupted. */
  | 'crash';

export interface RunResult {
  killed: Killed | null;
  outcomes: Outcome[];
  stdout: string;
  /** Files in the working folder at the end. */
  files: { name: string; text: string }[];
  /** Units of Limits.work used; absent if the worker was terminated. */
  work?: number;
}

export interface Limits {
  /** Iterations of the interpreter's own loops and calls of its own functions (meter.ts), for all steps of a program. */
  work: number;
  /** Bytes of stdout and stderr together. */
  outputBytes: number;
  /**
   * Bytes of WebAssembly memory, including static data. MicroPython collects garbage only between calls from outside (it cannot scan a
   * WebAssembly stack), so this limits the total allocations of one call.
   */
  memoryBytes: number;
  /** Bytes of the garbage-collected heap at the start; it grows up to memoryBytes. */
  heapBytes: number;
  /** Words of MicroPython's own frame stack, which limits the recursion of Python functions. */
  pystackWords: number;
  /** Bytes of all files together. */
  fileBytes: number;
}

export const DEFAULT_LIMITS: Limits = {
  // About two seconds; ordinary programs take a few ten thousand units.
  work: 200_000_000,
  outputBytes: 64 * 1024,
  memoryBytes: 32 * 1024 * 1024,
  heapBytes: 256 * 1024,
  pystackWords: 8 * 1024,
  fileBytes: 1024 * 1024,
};

/**
 * Initial memory of a MicroPython instance in bytes: what starting takes with the limits above. Its file asks for 16 MiB, which programs
 * hardly use; allocating and freeing them took half of the time of an ordinary program.
 */
export const MICROPYTHON_START_BYTES = 512 * 1024;

/** Options for metering its file (meter.ts). */
export const MICROPYTHON_METER = { startBytes: MICROPYTHON_START_BYTES, rewindable: true };

// A pool runs programs in sandboxes for the graders: any number at once, with results in order.

export interface SandboxPool {
  /** Results in the order of the programs. Rejects with StoppedError if the signal is aborted. */
  run(programs: readonly Program[], signal?: AbortSignal): Promise<RunResult[]>;
  close(): Promise<void>;
}
