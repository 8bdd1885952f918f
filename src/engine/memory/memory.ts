// Predicts the device memory of a piece of work from the model's config and sizes. A pure function that follows the
// buffers of weights.ts, vocab-table.ts, the adapters and the passes (passes.ts). It assumes that every completion runs
// to its limit, so measured memory stays below it (memory.test.ts).
import type { DeviceKind } from '../../kernels/device.ts';
import { adapterLayout } from '../adapter-layout.ts';
import { unpackedFactor } from '../adapters/svd.ts';
import { rotaryDim } from '../layer-types.ts';
import { rolloutBatch } from '../rollout/rollout.ts';
import { linearLayout, storedLengths } from '../storage-layouts.ts';
import type { AdapterForm, AdapterLayout, AdapterSettings, ModelConfig, WeightStorage } from '../types.ts';
import { isVocab, weightShapes } from '../weight-names.ts';
import { factorStorage } from '../weights/packed.ts';
import { vocabLayout } from '../weights/vocab-table.ts';
import {
  type DistillSize,
  decodingPanels,
  keptParts,
  most,
  plus,
  type RolloutSize,
  rolloutParts,
  type ScoreSize,
  type Sum,
  scoreParts,
  sumOf,
  teacherParts,
  type UpdateShape,
} from './passes.ts';

/** Sizes of the optimizer's state. */
export interface OptimizerSize {
  /** Number of adapter parameter vectors on the host (adapter, moments, quarantines, gradients). They count only if the device is the host. */
  vectors: number;
  /** Axes per module of each basis: the run's own and those of its controls. */
  bases: readonly number[];
}

/** A piece of work to be planned: model, sizes, adapter and storage. */
export interface PlannedWork {
  rollouts: readonly RolloutSize[];
  scores: readonly ScoreSize[];
  distills?: readonly DistillSize[];
  kind: DeviceKind;
  /** Default: svd. `none` is a model that only generates, without factors or a second copy of its Linears. */
  adapter?: AdapterSettings | 'none';
  /** Form of the adapter's update. Default: folded, the only form of `full`. */
  form?: AdapterForm;
  optimizer?: OptimizerSize;
  /** Default: f32. */
  storage?: WeightStorage;
  /** Largest binding in bytes; a larger embedding or head is split. */
  maxBindingBytes?: number;
}

/** Bytes by purpose. */
export interface MemoryNeed {
  weights: number;
  /** The f32 copy of every Linear with the adapter folded in, and the scratch for unpacking. An unfolded adapter has no copy
   *  (besidePart); `full` has the gradients of all weights instead. */
  folded: number;
  /** U and Vh of every Linear, or a LoRA's A and B. */
  factors: number;
  /** Keys and values, and the states of linear layers, while rollouts are sampled. */
  keyValues: number;
  /** All activations and scratch of forward and backward passes, including the logits of rollouts. */
  activations: number;
  /** Bases on the device; on the CPU device also the optimizer's state. */
  optimizer: number;
  total: number;
  /** The largest single buffer, which a GPU must be able to bind. */
  largest: number;
}

/** The engine keeps its scratch between pieces of work, so the largest of each kind counts. With a packed model or an unfolded adapter,
 *  rollouts and scores release each other's scratch (Engine.enter), so `activations` has what scoring needs beyond the key/value cache. */
export function memoryNeed(config: ModelConfig, work: PlannedWork): MemoryNeed {
  const { kind, storage = 'f32', maxBindingBytes = Number.POSITIVE_INFINITY } = work;
  const isBare = work.adapter === 'none';
  const settings = work.adapter === 'none' ? undefined : work.adapter;
  const layout = adapterLayout(config, settings);
  const isPacked = storage !== 'f32';
  const weights = weightsPart(config, storage, maxBindingBytes);
  const isFull = settings?.adapter === 'full';
  const isUnfolded = work.form === 'unfolded' && !isBare && !isFull;
  const fillsDevice = isPacked || isUnfolded;
  const folded = isBare
    ? bareScratch(layout, isPacked)
    : isFull
      ? gradientsPart(layout)
      : isUnfolded
        ? besidePart(layout, isPacked)
        : foldedPart(layout, isPacked, settings?.adapter ?? 'svd');
  const factors = isBare || isFull ? sumOf([]) : factorsPart(layout, storage);
  const optimizer = optimizerPart(layout, work.optimizer, kind);
  const table = { storage, maxBindingBytes };
  const batch = rolloutBatch(kind, config.vocab, maxBindingBytes);
  const rollouts = work.rollouts.map((size) => rolloutParts(config, size, batch, { ...table, kind }));
  const scored = [...work.scores, ...(work.distills ?? [])];
  const scores = scored.map((size) => scoreParts(config, layout, size, kind, table, { isBare, isUnfolded }));
  const teacher = most((work.distills ?? []).map((size) => teacherParts(config, size, table)));
  const cache = most(rollouts.map((part) => part.cache));
  const beside = isUnfolded ? updateShapes(layout) : [];
  const widest = Math.max(0, ...beside.map(({ r }) => r));
  // An update needs scratch for every row of a Linear; a decoding step on a GPU computes those of three Linears at once.
  const updates = ({ rows, count }: { rows: number; count: number }) =>
    sumOf([rows * widest, ...(kind === 'webgpu' ? [3 * count * widest] : [])]);
  const rolling = most(rollouts.map((part) => plus(part.scratch, updates(part))));
  const scoring = plus(most(scores), teacher);
  const decoding =
    kind === 'cpu' && rollouts.length > 0
      ? decodingPanels(config, isPacked && (isBare || isUnfolded) ? [] : adapterLayout(config).modules, beside, table)
          .bytes
      : 0;
  const scratch = fillsDevice ? Math.max(rolling.bytes, scoring.bytes - cache.bytes) : rolling.bytes + scoring.bytes;
  const keeps = kind === 'cpu' && !fillsDevice && !isBare;
  const kept = keeps ? most(work.rollouts.map((size) => keptParts(config, size, batch))).bytes : 0;
  const activations = scratch + decoding + kept;
  return {
    weights: weights.bytes,
    folded: folded.bytes,
    factors: factors.bytes,
    keyValues: cache.bytes,
    activations,
    optimizer: optimizer.bytes,
    total: weights.bytes + folded.bytes + factors.bytes + cache.bytes + activations + optimizer.bytes,
    largest: Math.max(...[weights, folded, factors, cache, rolling, scoring, optimizer].map(({ largest }) => largest)),
  };
}

const sizeOf = (shape: readonly number[]) => shape.reduce((n, size) => n * size, 1);

function weightsPart(config: ModelConfig, storage: WeightStorage, maxBindingBytes: number): Sum {
  const lengths = [...weightShapes(config)].flatMap(([name, shape]) => {
    if (isVocab(name)) {
      const { layout, parts } = vocabLayout(config.vocab, config.hiddenSize, storage, maxBindingBytes);
      return parts.flatMap(({ count }) => storedLengths(count * config.hiddenSize, layout));
    }
    return storedLengths(sizeOf(shape), shape.length === 2 ? linearLayout(storage) : 'f32');
  });
  const table = (config.maxPositions * rotaryDim(config)) / 2;
  return sumOf([...lengths, table, table, ...(config.delta ? [config.delta.keyDim] : [])]);
}

/** Gradients of all weights, for `full`; its W' overwrites W and needs no memory. */
const gradientsPart = ({ modules }: AdapterLayout): Sum => sumOf(modules.map(({ r }) => r));

/** W' of every Linear, and the scratch of folding. */
function foldedPart(layout: AdapterLayout, isPacked: boolean, adapter: AdapterSettings['adapter']): Sum {
  const { modules, total } = layout;
  const copies = modules.map(({ dOut, dIn }) => dOut * dIn);
  if (adapter === 'lora') return sumOf(copies);
  // A0, ΔA and ΔB. A and B are counted with the factors.
  if (adapter === 'blocks') return sumOf([...copies, ...modules.map(({ r }) => r), ...modules.map(({ r }) => r)]);
  const scaled = Math.max(...modules.map(({ r, dIn }) => r * dIn));
  return sumOf([...copies, scaled, total, ...(isPacked ? [unpackedFactor(layout)] : [])]);
}

/** Shapes of the products that an unfolded adapter adds to each Linear. */
function updateShapes({ modules }: AdapterLayout): UpdateShape[] {
  return modules.flatMap(({ dOut, dIn, r, rank, blocks }) => {
    const one = { dOut, dIn, r: rank ?? r };
    return blocks ? [one, one] : [one];
  });
}

/** Memory of an unfolded adapter besides its factors: scratch for unpacking, δS, and for two blocks A0, ΔA, ΔB and B of
 *  the update. */
function besidePart({ modules, total }: AdapterLayout, isPacked: boolean): Sum {
  const unpacked = isPacked ? [Math.max(...modules.map(({ dOut, dIn }) => dOut * dIn))] : [];
  const ofBlocks = modules.flatMap(({ r, rank = 0, dOut, blocks }) => (blocks ? [r, r, rank * dOut] : []));
  const isSvd = modules.every(({ rank }) => rank === undefined);
  return sumOf([...unpacked, ...(isSvd ? [total] : []), ...ofBlocks]);
}

/** A packed model without an adapter unpacks one Linear at a time. */
function bareScratch({ modules }: AdapterLayout, isPacked: boolean): Sum {
  return sumOf(isPacked ? [Math.max(...modules.map(({ dOut, dIn }) => dOut * dIn))] : []);
}

/** U and Vh, or a LoRA's A and B, which stay in f32 because they are trained. */
function factorsPart({ modules }: AdapterLayout, storage: WeightStorage): Sum {
  return sumOf(
    modules.flatMap(({ r, dOut, dIn, rank }) => {
      const stored = rank === undefined ? factorStorage(storage) : 'f32';
      return [dOut, dIn].flatMap((d) => storedLengths((rank ?? r) * d, stored));
    }),
  );
}

/** Each basis has its axes and three vectors on the device (algorithms/projection.ts). */
function optimizerPart(
  { total: adapterParams }: AdapterLayout,
  size: OptimizerSize | undefined,
  kind: DeviceKind,
): Sum {
  if (!size) return sumOf([]);
  const rows = size.bases.map((axes) => axes * adapterParams);
  return sumOf([
    ...rows.flatMap((length) => [length, adapterParams, adapterParams, adapterParams]),
    ...(kind === 'cpu' ? [...rows, ...new Array<number>(size.vectors).fill(adapterParams)] : []),
  ]);
}
