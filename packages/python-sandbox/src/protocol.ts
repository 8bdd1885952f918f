// Messages between the judge and the sandbox: programs in, observations out. Plain data only, so that it crosses worker, iframe and thread
// borders unchanged. An expected answer is never part of a Program: the judge keeps it.

/** One thing to do in the VM, in order; every step sees what the earlier ones left behind. */
export type Step =
  /** Run the response's text as the main script. */
  | { do: 'module' }
  /** Run `code`, which leaves its result in the global `__out__`; the result is read from outside the VM. */
  | { do: 'value'; code: string };

export interface Program {
  /** Trusted Python that runs first, in the same namespace (imports, classes that a problem speaks of). */
  setup?: string;
  /** The response's Python, hostile. */
  source: string;
  /** After an exit the rest is skipped; after an exception only when the module raised it. */
  steps: readonly Step[];
}

/**
 * A Python value as the host read it from the VM's memory, with its exact type.
 * `other`: any type that JSON has no exact counterpart for (a subclass instance, a set, a function, …),
 * or a value beyond the reader's depth and size limits.
 */
export type Value =
  | ['none']
  | ['bool', boolean]
  /** Decimal digits, since Python integers have no bound. */
  | ['int', string]
  | ['float', number]
  | ['str', string]
  | ['list', Value[]]
  | ['tuple', Value[]]
  | ['dict', [Value, Value][]]
  | ['other'];

export type Outcome =
  | { end: 'ok'; value: Value | null }
  /** SystemExit, with the status a shell would see. */
  | { end: 'exit'; status: number }
  /** `type` is the exception's class name as the program tells it: for people only, never judged by. */
  | { end: 'raise'; type: string }
  | { end: 'skipped' };

/** Why a program was stopped from outside, where no Python code can object. */
export type Killed =
  /** More work than the limit: the same on every machine. */
  | 'work'
  /** The backstop behind it: late on the wall's clock, and late again on a fresh worker. */
  | 'timeout'
  /** The whole memory is in use; a single wish that is too large is a MemoryError instead, which Python may catch. */
  | 'memory'
  /** More output than the cap. */
  | 'output'
  /** It reached for the JavaScript bridge. */
  | 'bridge'
  /** The VM's own stack or memory broke. */
  | 'crash';

export interface RunResult {
  killed: Killed | null;
  outcomes: Outcome[];
  stdout: string;
  /** Files that are in the working folder at the end. */
  files: { name: string; text: string }[];
  /** Units of Limits.work that it used; absent where the worker had to be shot. */
  work?: number;
}

export interface Limits {
  /** Passes of the interpreter's own loops and calls of its own functions (meter.ts), for all steps of a program. */
  work: number;
  /** Bytes of stdout and stderr together. */
  outputBytes: number;
  /**
   * Bytes of WebAssembly memory, static data included. MicroPython collects garbage only between calls from outside (it
   * cannot scan a WebAssembly stack), so this bounds what one call allocates in all.
   */
  memoryBytes: number;
  /** Bytes of the garbage-collected heap at the start; it grows up to memoryBytes. */
  heapBytes: number;
  /** Words of MicroPython's own frame stack: bounds the recursion of Python functions. */
  pystackWords: number;
  /** Bytes of all files together. */
  fileBytes: number;
}

export const DEFAULT_LIMITS: Limits = {
  // Two seconds or so; ordinary programs take a few ten thousand.
  work: 200_000_000,
  outputBytes: 64 * 1024,
  memoryBytes: 32 * 1024 * 1024,
  heapBytes: 256 * 1024,
  pystackWords: 8 * 1024,
  fileBytes: 1024 * 1024,
};

/**
 * Bytes of memory that an instance of MicroPython starts with: what starting takes with the limits above. Its file asks for 16 MiB,
 * which programs hardly touch; to make and drop them took half of the time of an ordinary program.
 */
export const MICROPYTHON_START_BYTES = 512 * 1024;

/** Options of metering its file (meter.ts). */
export const MICROPYTHON_METER = { startBytes: MICROPYTHON_START_BYTES, rewindable: true };

// A pool runs programs in sandboxes, for the graders: any number at once, answers in order.

export interface SandboxPool {
  /** Results in the order of the programs. Rejects with StoppedError when the signal fires. */
  run(programs: readonly Program[], signal?: AbortSignal): Promise<RunResult[]>;
  close(): Promise<void>;
}
