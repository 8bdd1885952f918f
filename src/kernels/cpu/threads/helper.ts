// A helper thread of the CPU device: it waits at the device's board, a few words in the memory that all threads share, and takes
// pieces of whatever is put up there until none is left. Which thread computes a piece changes no byte: pieces write apart.
//
// `helper` mentions no outer name, so that its text can be a thread's whole program (threads.node.ts).

/** Layout of the board. */
export const BOARD = {
  /** Words of 32 bits. Counts what was put up; changes wake the helpers. */
  epoch: 0,
  /** Its sign is set while the board is closed; the rest counts the helpers at work. */
  state: 1,
  /** The next piece that nobody has. */
  next: 2,
  pieces: 3,
  /** The function's index in `names`, and the number of its arguments but for the scratch. */
  function: 4,
  arity: 5,
  /** Address and bytes of each thread's scratch. */
  scratch: 6,
  scratchStep: 7,
  stop: 8,
  failed: 9,
  words: 16,
  /** Most arguments of a piece. Doubles follow the words: arguments of piece 0, what each piece adds, arguments of the
   *  last. */
  most: 24,
} as const;
type Board = typeof BOARD;
export const BOARD_BYTES = BOARD.words * 4 + 3 * BOARD.most * 8;

/** A helper's initial data; they can be posted to it. */
export interface HelperInit {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** Byte address of the board, and how it is laid out. */
  at: number;
  board: Board;
  /** This helper's number, from 1; the device's own thread is 0. */
  index: number;
  /** The module's exports, as the board counts them. */
  names: readonly string[];
}

/** Returns when the board says stop. `ready` is called once, before the first wait. */
export function helper({ module, memory, at, board, index, names }: HelperInit, ready: () => void): void {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const functions = names.map((name) => exports[name] as (...args: number[]) => number);
  const words = new Int32Array(memory.buffer, at, board.words);
  const doubles = new Float64Array(memory.buffer, at + board.words * 4, 3 * board.most);
  const args: number[] = [];
  let seen = 0;
  ready();
  for (;;) {
    // The next kernel mostly comes sooner than a sleeper wakes, so it looks for a while (some 50 µs) before it sleeps.
    for (let looks = 0; Atomics.load(words, board.epoch) === seen; looks++)
      if (looks > 30000) Atomics.wait(words, board.epoch, seen);
    seen = Atomics.load(words, board.epoch);
    if (Atomics.load(words, board.stop) !== 0) return;
    if (Atomics.add(words, board.state, 1) >= 0) {
      try {
        const pieces = words[board.pieces];
        const arity = words[board.arity];
        const run = functions[words[board.function]];
        args[arity] = words[board.scratch] + index * words[board.scratchStep];
        args.length = arity + 1;
        for (let i = Atomics.add(words, board.next, 1); i < pieces; i = Atomics.add(words, board.next, 1)) {
          for (let a = 0; a < arity; a++)
            args[a] = i === pieces - 1 ? doubles[2 * board.most + a] : doubles[a] + i * doubles[board.most + a];
          run(...args);
        }
      } catch {
        Atomics.store(words, board.failed, 1);
      }
    }
    // The last one out of a closed board wakes whoever waits for that.
    if (Atomics.sub(words, board.state, 1) === -2147483647) Atomics.notify(words, board.state);
  }
}
