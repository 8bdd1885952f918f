// Measures the machine's ceiling in WebAssembly on one thread: multiply-adds without memory, and a copy too large for the caches, with which a
// kernel's figure is compared. The loops are separate AssemblyScript, compiled here, so that the shipped kernels do not contain them.
import asc from 'assemblyscript/asc';
import { allowFused } from '../src/kernels/cpu/fused.node.ts';
import { fusedProblem } from '../src/kernels/cpu/simd.ts';

export interface Ceiling {
  /** Runs once; GFLOP/s of 4-lane multiplications and additions, two roundings each as in the kernels. */
  multiplyAdd(): number;
  /** The same with one rounding; null where this machine does not fuse. */
  fusedMultiplyAdd: (() => number) | null;
  /** Runs once; GB/s read and written. */
  copy(): number;
}

const ROUNDS = 2_000_000;
/** Number of chains of dependent operations, enough to fill every pipeline while one waits for its result. */
const CHAINS = 12;
const FLOPS = ROUNDS * CHAINS * 4 * 2;
const PAGE = 65536;
/** Bytes at each end of a copy. */
const COPIED = 1024 * PAGE;

const each = (text: (i: number) => string) => Array.from({ length: CHAINS }, (_, i) => text(i)).join('\n');

const sourceOf = (isFused: boolean) => `
export function multiplyAdd(rounds: i32, factor: f32, term: f32): f32 {
  const x = f32x4.splat(factor);
  const y = f32x4.splat(term);
${each((i) => `  let c${i} = f32x4.splat(<f32>${i});`)}
  for (let i = 0; i < rounds; i++) {
${each((i) => (isFused ? `    c${i} = f32x4.relaxed_madd(c${i}, x, y);` : `    c${i} = f32x4.add(f32x4.mul(c${i}, x), y);`))}
  }
  let sum = c0;
${each((i) => (i === 0 ? '' : `  sum = f32x4.add(sum, c${i});`))}
  return f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 3);
}
export function copy(bytes: usize): void {
  memory.copy(bytes, 0, bytes);
}
`;

interface Loops {
  multiplyAdd(rounds: number, factor: number, term: number): number;
  copy(bytes: number): void;
}

/** Throws if the loops do not compile or give a wrong result. */
export async function openCeiling(): Promise<Ceiling> {
  allowFused();
  const { multiplyAdd, copy } = await compiled(false);
  const fused = (await fusedProblem()) === null ? await compiled(true) : null;
  for (const loops of [{ multiplyAdd }, ...(fused ? [fused] : [])]) {
    // c → c / 2 + 1 has the fixed point 2; the loop returns the sum of two lanes of every chain.
    const sum = loops.multiplyAdd(1000, 0.5, 1);
    if (sum !== CHAINS * 2 * 2) throw new Error(`the multiply-add loop gave ${sum}`);
  }
  copy(COPIED);
  return {
    multiplyAdd: () => FLOPS / 1e6 / timed(() => multiplyAdd(ROUNDS, 0.5, 1)),
    fusedMultiplyAdd: fused && (() => FLOPS / 1e6 / timed(() => fused.multiplyAdd(ROUNDS, 0.5, 1))),
    copy: () => (2 * COPIED) / 1e6 / timed(() => copy(COPIED)),
  };
}

/** Milliseconds. */
function timed(go: () => void): number {
  const begun = performance.now();
  go();
  return performance.now() - begun;
}

async function compiled(isFused: boolean): Promise<Loops> {
  let binary: Uint8Array | null = null;
  const { error, stderr } = await asc.main(
    [
      'ceiling.ts',
      ...['--outFile', 'ceiling.wasm', '--runtime', 'stub', '-O3', '--noAssert'],
      ...['--enable', 'simd', ...(isFused ? ['--enable', 'relaxed-simd'] : [])],
      ...['--initialMemory', String((2 * COPIED) / PAGE)],
    ],
    {
      readFile: (name) => (name === 'ceiling.ts' ? sourceOf(isFused) : null),
      writeFile: (_, contents) => {
        binary = contents as Uint8Array;
      },
      listFiles: () => [],
    },
  );
  if (error || !binary) throw new Error(`the ceiling's loops did not compile: ${error?.message ?? stderr.toString()}`);
  const { instance } = await WebAssembly.instantiate(binary as Uint8Array<ArrayBuffer>, {
    env: {
      abort: () => {
        throw new Error('the loops aborted');
      },
    },
  });
  return instance.exports as unknown as Loops;
}
