// A helper thread of the CPU device. It waits at the device's board, a few words in shared memory, and takes pieces of the call that is
// posted there until none is left. Results do not depend on which thread computes a piece, since pieces write to disjoint memory.
//
// `helper` refers to no outer name, so that its source text can be a thread's whole program (threads.node.ts).

/** Layout of the board. Entries up to `failed` are indices of 32-bit words. */
export const BOARD = {
  /** Counts posted calls; a change wakes the helpers. */
  epoch: 0,
  /** The sign bit is set while the board is closed; the other bits count working helpers. */
  state: 1,
  /** The next piece that is not taken. */
  next: 2,
  pieces: 3,
  /** The function's index in `names`, and the number of its arguments without the scratch. */
  function: 4,
  arity: 5,
  /** Address and bytes of each thread's scratch. */
  scratch: 6,
  scratchStep: 7,
  stop: 8,
  failed: 9,
  words: 16,
  /** Most arguments of a piece. After the words come f64 values: arguments of piece 0, their step per piece, and arguments
   *  of the last piece. */
  most: 24,
} as const;
type Board = typeof BOARD;
export const BOARD_BYTES = BOARD.words * 4 + 3 * BOARD.most * 8;

/** A helper's initial data, which can be posted as a message. */
export interface HelperInit {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** Byte address of the board, and its layout. */
  at: number;
  board: Board;
  /** This helper's number, from 1; the device's own thread is 0. */
  index: number;
  /** Names of the module's exports, in the order of the board's function index. */
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
    // The next call usually comes sooner than a sleeping thread wakes, so it spins for about 50 µs before it sleeps.
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
    // The last helper to leave a closed board wakes the device's own thread.
    if (Atomics.sub(words, board.state, 1) === -2147483647) Atomics.notify(words, board.state);
  }
}
