// Imports of MicroPython's WebAssembly: its whole view of the outside. Everything that would lead to a JavaScript object (the
// foreign-function bridge behind `import js` and `jsffi`) is replaced by a stub that ends the program; clock and randomness are counters;
// files live in memory. Written against the bare .wasm instead of the vendor's loader, so that no fetch, process or require is even in
// scope. Self-contained: see sandbox-source.ts.
import type { createFileCalls, Import } from './file-calls.ts';
import type { MemoryFs } from './memory-fs.ts';
import type { Killed, Limits } from './protocol.ts';

/** Set by the VM once it is instantiated: the imports need the memory that they serve. */
export interface VmHandles {
  memory: WebAssembly.Memory;
  table: WebAssembly.Table;
  stackSave: () => number;
  stackRestore: (sp: number) => void;
  setThrew: (threw: number, value: number) => void;
}

export interface SandboxImports {
  env: Record<string, Import>;
  wasi: Record<string, Import>;
  attach(handles: VmHandles): void;
  /** Before each program: everything that the outside knows of a program begins anew, its files with `files`. */
  begin(files: MemoryFs): void;
  /** Why the program was stopped, if it was. */
  killed(): Killed | null;
  stdout(): Uint8Array;
}

export function createImports(
  limits: Limits,
  files: MemoryFs,
  imported: readonly string[],
  createCalls: typeof createFileCalls,
): SandboxImports {
  const EINVAL = 28;
  const MAX_REFUSALS = 8;
  /** 2026-01-01: every program lives at the same instant. */
  const EPOCH_MS = 1767225600000;

  /** All that a program can change out here besides what file-calls.ts has of it. */
  const beginning = () => ({ refusals: 0, ticks: 0, random: 0x9e3779b9 });

  let now = beginning();
  let vm: VmHandles | null = null;
  const calls = createCalls(limits, files, () => vm?.memory ?? null);
  const { kill, wasi } = calls;
  /** The table's, each from its first call on: no program changes them (meter.ts, `rewindable`). */
  const functions: ((...args: number[]) => number)[] = [];

  // MicroPython's exceptions are longjmps: the callee throws a number, the invoke_* around it turns it into a flag.
  const invoke = (index: number, a: number, b: number, c: number, d: number, e: number): number => {
    const handles = vm as VmHandles;
    const sp = handles.stackSave();
    try {
      let call = functions[index];
      if (call === undefined) {
        call = handles.table.get(index) as (...args: number[]) => number;
        functions[index] = call;
      }
      return call(a, b, c, d, e);
    } catch (thrown) {
      handles.stackRestore(sp);
      if (typeof thrown !== 'number') throw thrown;
      handles.setThrew(1, 0);
      return 0;
    }
  };

  const env: Record<string, Import> = {
    ...calls.env,
    _emscripten_throw_longjmp: () => {
      throw Number.POSITIVE_INFINITY;
    },
    emscripten_resize_heap: (requested: number) => {
      if (requested >>> 0 > limits.memoryBytes) {
        // A refusal or two become a MemoryError. When not even a small object fits, MicroPython 1.27 asks a dozen times in
        // a row and then hangs: that is ended here.
        now.refusals += 1;
        if (now.refusals > MAX_REFUSALS) kill('memory');
      }
      return calls.grow(requested, 1.25) ? 1 : 0;
    },
    mp_js_ticks_ms: () => {
      now.ticks += 1;
      return now.ticks;
    },
    mp_js_time_ms: () => {
      now.ticks += 1;
      return EPOCH_MS + now.ticks;
    },
    mp_js_random_u32: () => {
      now.random ^= now.random << 13;
      now.random ^= now.random >>> 17;
      now.random ^= now.random << 5;
      return now.random >>> 0;
    },
    // Asked when the host takes a reference to a Python object: no JavaScript twin of it ever exists.
    js_check_existing: () => -1,
    __syscall_statfs64: () => -EINVAL,
    __syscall_poll: () => 0,
  };
  // Whatever else the module imports is the bridge: kept by name nowhere, so a newer build's additions are cut too.
  for (const name of imported) {
    if (name.startsWith('invoke_')) env[name] = invoke;
    else if (!Object.hasOwn(env, name) && !Object.hasOwn(wasi, name)) env[name] = () => kill('bridge');
  }

  return {
    env,
    wasi,
    attach(handles) {
      vm = handles;
    },
    begin(own) {
      now = beginning();
      calls.begin(own);
    },
    killed: calls.killed,
    stdout: calls.stdout,
  };
}
