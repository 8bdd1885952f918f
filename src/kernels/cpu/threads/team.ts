// The device's own thread and its helpers (helper.ts): a kernel call is posted on the board in pieces, all threads take pieces, and the
// call ends when none is left and no helper is working. A helper that arrives late finds the board closed, so on a busy machine the
// device's own thread does all the work without waiting.
import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { BOARD, type HelperInit } from './helper.ts';

/** Source of threads: worker_threads in Node, workers in a cross-origin isolated page. */
export interface ThreadHost {
  /** Number of threads, including the device's own. */
  count: number;
  /** Number of initially active threads (see Team.use); default: all. The others sleep. */
  atFirst?: number;
  /** Least cost of a piece, in multiply-adds (Cut.cost); tests lower it to split everything. */
  worth?: number;
  /** Starts `helper(init)` in a new thread; resolves when it waits at the board. It ends when the board says stop. */
  start(init: HelperInit): Promise<void>;
}

/** A call in pieces that are equal except the last: arguments of the first, step per piece, and arguments of the last. */
interface Pieces {
  count: number;
  first: readonly number[];
  step: readonly number[];
  last: readonly number[];
  /** Address of the scratch, and bytes per thread. It is the last argument of every call; kernels without scratch ignore it. */
  scratch: { at: number; step: number };
}

type Exports = Readonly<Record<string, (...args: number[]) => number>>;

/** Most threads; with more, each would have too little to do. */
export const MOST_THREADS = 16;
/** Multiply-adds of a few microseconds, the cost of posting a call. */
const LEAST_MULTIPLY_ADDS = 50_000;
const CLOSED = -2147483648;
/** Polls of the board before sleeping (a few microseconds), since the awaited helper may have lost its core to another program. */
const LOOKS = 2000;

export class Team {
  /** Number of threads, active or not. */
  readonly most: number;
  readonly worth: number;
  readonly #wasm: Exports;
  readonly #index: ReadonlyMap<string, number>;
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  #threads: number;

  constructor(
    { count, worth = LEAST_MULTIPLY_ADDS, atFirst = count }: ThreadHost,
    wasm: Exports,
    memory: WebAssembly.Memory,
    at: number,
  ) {
    this.most = count;
    this.#threads = atFirst;
    this.worth = worth;
    this.#wasm = wasm;
    this.#index = new Map(Object.keys(wasm).map((name, index) => [name, index]));
    const { words, most } = BOARD;
    this.#words = new Int32Array(memory.buffer, at, words);
    this.#doubles = new Float64Array(memory.buffer, at + words * 4, 3 * most);
    this.#words[BOARD.state] = CLOSED;
  }

  /** Sets the number of active threads; 1 means only the device's own. */
  use(threads: number): void {
    this.#threads = Math.max(1, Math.min(threads, this.most));
  }

  get threads(): number {
    return this.#threads;
  }

  /** Returns when every piece is done. Throws DeviceError if a helper failed. */
  run(name: string, { count, first, step, last, scratch }: Pieces): void {
    const words = this.#words;
    const board = BOARD;
    const arity = first.length;
    words[board.pieces] = count;
    words[board.function] = this.#index.get(name)!;
    words[board.arity] = arity;
    words[board.scratch] = scratch.at;
    words[board.scratchStep] = scratch.step;
    this.#doubles.set(first, 0);
    this.#doubles.set(step, board.most);
    this.#doubles.set(last, 2 * board.most);
    Atomics.store(words, board.next, 0);
    Atomics.and(words, board.state, ~CLOSED);
    Atomics.add(words, board.epoch, 1);
    // Wakes only as many helpers as are active; it does not matter which.
    Atomics.notify(words, board.epoch, this.#threads - 1);
    const kernel = this.#wasm[name];
    try {
      for (let i = Atomics.add(words, board.next, 1); i < count; i = Atomics.add(words, board.next, 1))
        kernel(...(i === count - 1 ? last : first.map((value, a) => value + i * step[a])), scratch.at);
    } finally {
      Atomics.or(words, board.state, CLOSED);
      this.#untilNobodyWorks();
    }
    if (Atomics.load(words, board.failed) !== 0)
      throw new DeviceError(`A thread of the CPU device failed in ${name}.`, 'Compute with one thread.');
  }

  /** Ends the helpers; nothing may run afterwards. */
  stop(): void {
    Atomics.store(this.#words, BOARD.stop, 1);
    Atomics.add(this.#words, BOARD.epoch, 1);
    Atomics.notify(this.#words, BOARD.epoch);
  }

  #untilNobodyWorks(): void {
    for (let looks = 0; ; looks++) {
      const state = Atomics.load(this.#words, BOARD.state);
      if (state === CLOSED) return;
      // The helper may have lost its core to another program, so yield this one. The timeout covers helpers that arrive late and leave.
      if (looks > LOOKS) Atomics.wait(this.#words, BOARD.state, state, 1);
    }
  }
}

/** Creates a board at `at` (BOARD_BYTES, zeroed) and starts the helpers; null if none could be started. */
export async function gather(
  host: ThreadHost,
  { module, memory, at, wasm }: { module: WebAssembly.Module; memory: WebAssembly.Memory; at: number; wasm: Exports },
): Promise<Team | null> {
  const team = new Team(host, wasm, memory, at);
  const names = Object.keys(wasm);
  const started = await Promise.allSettled(
    Array.from({ length: host.count - 1 }, (_, i) =>
      host.start({ module, memory, at, board: BOARD, index: i + 1, names }),
    ),
  );
  return started.some(({ status }) => status === 'fulfilled') ? team : null;
}
