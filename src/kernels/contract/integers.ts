// The contract of products of 8-bit integers, with which a `webgpu-int8` device decodes: rows are rounded to 8 bits, and multiplied by matrices as
// they are stored in 8 bits. Results are those of products_q8h except for the rounding of the rows and of the sums.
import { f, flat, kernel, u } from './kernel.ts';

/** Elements that share a scale, as in q8g32. */
export const INTEGER_BLOCK = 32;
const inBlocks = (length: number) =>
  length % INTEGER_BLOCK === 0 ? null : `${length} elements of a row are no blocks of ${INTEGER_BLOCK}`;
/** Words of a block as quantize_rows writes it: eight of four integers each, the scale, and three of padding, since blocks are read as vec4. */
export const BLOCK_WORDS = 12;
export const quantizedWords = (n: number) => (n / INTEGER_BLOCK) * BLOCK_WORDS;

const scales = (n: number) => Math.ceil(n / INTEGER_BLOCK / 2);

export const INTEGERS = {
  /** Rounds rows to 8-bit integers, in blocks of 32: dst holds each block's integers q as bytes, element i in byte (i mod 4) of its word, and then
   *  its scale s as the bits of an f32. s is a block's largest magnitude · (1/127), q = x · (1/s) to the nearest, ties to even, all in f32; a block
   *  whose magnitudes are all below 2⁻¹¹⁹ becomes 0, and a block with NaN gets NaN as its scale. */
  quantize_rows: flat({
    buffers: [f('x'), u('dst', 'w')],
    params: { rows: 'u32', dim: 'u32' },
    extents: (p) => [p.rows * p.dim, quantizedWords(p.rows * p.dim)],
    refuse: (p) => inBlocks(p.dim),
    invocations: (p) => (p.rows * p.dim) / INTEGER_BLOCK,
  }),
  /** As products_q8h with a block of 32, where a is m rows as quantize_rows writes them. Σ_blocks (s_a · s_b) · Σ q_a q_b: the inner sum is of
   *  integers and exact, the outer one in f32 over ascending blocks, with one accumulator. */
  products_q8i: kernel({
    buffers: [u('a'), u('b0'), u('scale0'), u('b1'), u('scale1'), u('b2'), u('scale2'), f('c', 'rw')],
    params: { m: 'u32', k: 'u32', n0: 'u32', n1: 'u32', n2: 'u32', beta: 'flag' },
    extents: (p) => {
      const words = (n: number) => (n * p.k) / 4;
      const halved = (n: number) => scales(n * p.k);
      const c = p.m * (p.n0 + p.n1 + p.n2);
      return [
        quantizedWords(p.m * p.k),
        ...([words(p.n0), halved(p.n0), words(p.n1), halved(p.n1), words(p.n2), halved(p.n2)] as const),
        c,
      ];
    },
    refuse: (p) => inBlocks(p.k),
  }),
} as const;
