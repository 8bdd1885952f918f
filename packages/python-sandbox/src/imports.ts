// Imports of MicroPython's WebAssembly, which are all of its access to the outside. Any import that could reach a JavaScript object (the
// foreign-function bridge behind `import js` and `jsffi`) is replaced by a stub that ends the program; clock and randomness are counters;
// files are in memory. Written for the bare .wasm instead of the vendor's loader, so that fetch, process and require are not even in scope.
// Self-contained: see sandbox-source.ts.
import type { createFileCalls, Import } from './file-calls.ts';
import type { MemoryFs } from './memory-fs.ts';
import type { Killed, Limits } from './protocol.ts';

/** Set by the VM once it is instantiated, since the imports need its memory. */
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
  /** Must be called before each program: resets all state outside the VM, with `files` as the new files. */
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
  /** 2026-01-01, the start time of every program. */
  const EPOCH_MS = 1767225600000;

  /** All state outside the VM that a program can change, besides that of file-calls.ts. */
  const initial = () => ({ refusals: 0, ticks: 0, random: 0x9e3779b9 });

  let now = initial();
  let vm: VmHandles | null = null;
  const calls = createCalls(limits, files, () => vm?.memory ?? null);
  const { kill, wasi } = calls;
  /** Functions of the table, each stored at its first call: no program changes them (meter.ts, `rewindable`). */
  const functions: ((...args: number[]) => number)[] = [];

  // MicroPython's exceptions are longjmps: the callee throws a number, and the surrounding invoke_* turns it into a flag.
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
        // One or two refusals become a MemoryError. If not even a small object fits, MicroPython 1.27 asks a dozen times in a row and then
        // hangs, so the program is ended here.
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
    // Called when the host takes a reference to a Python object, which never has a JavaScript counterpart.
    js_check_existing: () => -1,
    __syscall_statfs64: () => -EINVAL,
    __syscall_poll: () => 0,
  };
  // Every other import belongs to the bridge. No list of names is kept, so imports added by a newer build are cut off too.
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
      now = initial();
      calls.begin(own);
    },
    killed: calls.killed,
    stdout: calls.stdout,
  };
}
