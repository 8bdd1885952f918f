// The device's own thread and its helpers (helper.ts): a kernel's call is put up on the board in pieces, everybody takes pieces, and the
// call is over when none is left and nobody is at work. A helper that comes too late finds the board closed, so that a busy machine
// delays nothing: the device's own thread then does it all.
import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { BOARD, type HelperInit } from './helper.ts';

/** Source of threads: worker_threads in Node, workers in a cross-origin isolated page. */
export interface ThreadHost {
  /** Threads in all, the device's own among them. */
  count: number;
  /** Number of threads that work until told otherwise (Team.use); all where absent. The others sleep. */
  atFirst?: number;
  /** Least cost of a piece, in multiply-adds (Cut.cost); a test cuts everything that can be cut. */
  worth?: number;
  /** Starts `helper(init)` in a thread of its own; resolves when it waits at the board. It ends when the board says stop. */
  start(init: HelperInit): Promise<void>;
}

/** A call in equal pieces but for the last: arguments of the first, what each further one adds, and those of the last. */
interface Pieces {
  count: number;
  first: readonly number[];
  step: readonly number[];
  last: readonly number[];
  /** Address and bytes of each thread's scratch: the last argument of every call, which a kernel without one ignores. */
  scratch: { at: number; step: number };
}

type Exports = Readonly<Record<string, (...args: number[]) => number>>;

/** Limit of threads: more would have too little to do each. */
export const MOST_THREADS = 16;
/** A few microseconds of work: as much as it takes to put a call up. */
const WORTH = 50_000;
const CLOSED = -2147483648;
/** Looks at the board before sleeping: a few microseconds. Whoever is waited for may have lost its core to another program. */
const LOOKS = 2000;

export class Team {
  /** Threads in all, asleep or not. */
  readonly most: number;
  readonly worth: number;
  readonly #wasm: Exports;
  readonly #index: ReadonlyMap<string, number>;
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  #threads: number;

  constructor(
    { count, worth = WORTH, atFirst = count }: ThreadHost,
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

  /** Sets how many threads work from now on: one is the device's own alone. */
  use(threads: number): void {
    this.#threads = Math.max(1, Math.min(threads, this.most));
  }

  get threads(): number {
    return this.#threads;
  }

  /** Returns when every piece is done. Throws DeviceError where a helper failed. */
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
    // No more are woken than work; which of them is no matter.
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

  /** The helpers end; nothing may be run afterwards. */
  stop(): void {
    Atomics.store(this.#words, BOARD.stop, 1);
    Atomics.add(this.#words, BOARD.epoch, 1);
    Atomics.notify(this.#words, BOARD.epoch);
  }

  #untilNobodyWorks(): void {
    for (let looks = 0; ; looks++) {
      const state = Atomics.load(this.#words, BOARD.state);
      if (state === CLOSED) return;
      // The helper may have lost its core to another program: leave it ours. The timeout is for those who come and go.
      if (looks > LOOKS) Atomics.wait(this.#words, BOARD.state, state, 1);
    }
  }
}

/** Lays out a board at `at` (BOARD_BYTES, zeroed) and starts the helpers; null where none could be started. */
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
