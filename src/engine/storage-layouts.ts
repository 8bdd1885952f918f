// The ways in which a model's frozen matrices are on a device, by the names that flags, records and hashes know them under
// (packed.ts does the packing). A name never changes its meaning: `q8` is in the sha-256 of kept runs and bases
// (storedSha256), so that a better layout is another name.

/** The most exact first; 32, 16, 9.5 (of Qwen3-0.6B's shape), 8.5 and 8.5 bits a weight. */
export const STORAGES = ['f32', 'f16', 'q8t16', 'q8g32', 'q8'] as const;

/** f32 and f16: every matrix. q8g32: bytes in groups of 32 with an f16 scale. q8t16: so the Linears, embedding and head in f16.
 *  q8: bytes in groups of 64 with an f32 scale. */
export type WeightStorage = (typeof STORAGES)[number];

/** How an adapter's update ΔW of a Linear is computed with: `folded` into a copy W' = W + ΔW, which costs that copy's memory, or `unfolded`,
 *  as W x + ΔW x with W where it lies and ΔW in its factors. Last digits differ between the two. */
export const ADAPTER_FORMS = ['folded', 'unfolded'] as const;
export type AdapterForm = (typeof ADAPTER_FORMS)[number];

/** What a plan tries, in this order. q8 takes the room of q8g32 and is less exact: it is for what was begun with it. */
export const TRIED_STORAGES = ['f32', 'f16', 'q8t16', 'q8g32'] as const satisfies readonly WeightStorage[];

/** The smallest storage that is tried; a refusal quotes its size. */
export const LEAST_STORAGE: WeightStorage = TRIED_STORAGES[TRIED_STORAGES.length - 1];

/** How one matrix is stored. */
export type MatrixLayout = 'f32' | 'f16' | 'q8g32' | 'q8';

export function linearLayout(storage: WeightStorage): MatrixLayout {
  return storage === 'q8t16' ? 'q8g32' : storage;
}

/** Layout of embedding and head. */
export function tableLayout(storage: WeightStorage): MatrixLayout {
  return storage === 'q8t16' ? 'f16' : storage;
}

/** Elements that share a scale, counted through the flattened matrix. */
export const Q8_BLOCK = 64;
export const Q8G32_BLOCK = 32;

/** Lengths in words of what a matrix of n elements takes. */
export function storedLengths(n: number, layout: MatrixLayout): number[] {
  if (layout === 'f32') return [n];
  if (layout === 'f16') return [Math.ceil(n / 2)];
  return [Math.ceil(n / 4), layout === 'q8' ? Math.ceil(n / Q8_BLOCK) : Math.ceil(n / (2 * Q8G32_BLOCK))];
}
