// Storage formats of a model's frozen matrices on a device, by the names used in flags, records and hashes (packed.ts does
// the packing). A name never changes its meaning: `q8` is in the sha-256 of stored runs and bases (storedSha256), so a
// better layout gets a new name.

/** From most to least exact: 32, 16, 10.5 (for Qwen3-0.6B), 8.5, 8.5 and 4.5 bits per weight. */
export const STORAGES = ['f32', 'f16', 'q8t16', 'q8g32', 'q8', 'q4g32'] as const;

/** f32 and f16 apply to every matrix. q8g32: bytes in groups of 32 with an f16 scale. q8t16: Linears as q8g32, embedding and head in
 *  f16. q8: bytes in groups of 64 with an f32 scale. q4g32: as q8g32 with 4 bits. */
export type WeightStorage = (typeof STORAGES)[number];

/** Form of an adapter's update ΔW of a Linear: `folded` into a copy W' = W + ΔW, which costs memory, or `unfolded`,
 *  computed as W x + ΔW x from ΔW's factors. The two differ in rounding. */
export const ADAPTER_FORMS = ['folded', 'unfolded'] as const;
export type AdapterForm = (typeof ADAPTER_FORMS)[number];

/** Storage of a rollout's keys and values, independent of that of the weights. Scores and gradients use f32. */
export const KV_CACHES = ['f32', 'f16'] as const;
export type KvCache = (typeof KV_CACHES)[number];

/** Storages that a plan tries, in this order. q8 is as large as q8g32 but less exact, so only runs that started with it
 *  use it. */
export const TRIED_STORAGES = ['f32', 'f16', 'q8t16', 'q8g32', 'q4g32'] as const satisfies readonly WeightStorage[];

/** The smallest storage that a plan tries. */
export const LEAST_STORAGE: WeightStorage = TRIED_STORAGES[TRIED_STORAGES.length - 1];

/** Layout of one matrix: bits per element, and, if elements share scales, how many consecutive elements of the flattened
 *  matrix share one and the scale's bits. */
export const LAYOUTS = {
  f32: { bits: 32 },
  f16: { bits: 16 },
  q8g32: { bits: 8, block: 32, scaleBits: 16 },
  q8: { bits: 8, block: 64, scaleBits: 32 },
  q4g32: { bits: 4, block: 32, scaleBits: 16 },
} as const satisfies Record<string, { bits: number; block?: number; scaleBits?: number }>;
export type MatrixLayout = keyof typeof LAYOUTS;

export function linearLayout(storage: WeightStorage): MatrixLayout {
  return storage === 'q8t16' ? 'q8g32' : storage;
}

/** Layout of embedding and head. */
export function tableLayout(storage: WeightStorage): MatrixLayout {
  return storage === 'q8t16' ? 'f16' : storage;
}

/** 32-bit words of a matrix of n elements, and of its scales if it has any. */
export function storedLengths(n: number, layout: MatrixLayout): number[] {
  const stored = LAYOUTS[layout];
  const words = Math.ceil((n * stored.bits) / 32);
  return 'block' in stored ? [words, Math.ceil((Math.ceil(n / stored.block) * stored.scaleBits) / 32)] : [words];
}
