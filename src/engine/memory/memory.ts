// Device memory that a piece of work needs, from the model's shape alone, before the engine takes it. A pure function
// of config and sizes that follows the buffers of weights.ts, vocab-table.ts and the adapters, and of the passes
// (passes.ts); it assumes that every completion runs to its limit, so that measured memory stays below it
// (memory.test.ts).
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

/** Memory that the optimizer takes beside the engine. */
export interface OptimizerSize {
  /** Adapter parameter vectors on the host: the adapter, moments, quarantines, gradients. They count where the device is the host. */
  vectors: number;
  /** Axes per module of each basis: the run's own and every control's. */
  bases: readonly number[];
}

/** A piece of work to be planned: model, sizes, adapter and storage. */
export interface PlannedWork {
  rollouts: readonly RolloutSize[];
  scores: readonly ScoreSize[];
  distills?: readonly DistillSize[];
  kind: DeviceKind;
  /** svd where it is left out; `none` is a model that only talks: no factors, no second copy of its Linears. */
  adapter?: AdapterSettings | 'none';
  /** Form of the adapter's update; folded where it is left out, and always with `full`. */
  form?: AdapterForm;
  optimizer?: OptimizerSize;
  /** f32 where it is left out. */
  storage?: WeightStorage;
  /** Largest binding in bytes; a larger embedding or head is split. */
  maxBindingBytes?: number;
}

/** Bytes, by what they are for. */
export interface MemoryNeed {
  weights: number;
  /** The second copy of every Linear, with the adapter parameters folded in (in f32), and the scratch that packed matrices pass through,
   *  which is all where the adapter is not folded; where all weights are trained, their gradients. */
  folded: number;
  /** U and Vh of every Linear, or a LoRA's A and B. */
  factors: number;
  /** Keys and values, and the states of linear layers, while rollouts are sampled. */
  keyValues: number;
  /** Everything that a forward or a backward pass leaves or passes through, rollouts' logits included. */
  activations: number;
  /** Bases on the device, and on the CPU device what the optimizer keeps. */
  optimizer: number;
  total: number;
  /** The largest single buffer: what a GPU must be able to bind. */
  largest: number;
}

/** The engine keeps its scratch from one piece of work to the next: of each kind, the greatest counts. A packed model's, or an unfolded one's,
 *  rollouts and scores use the same room in turn (Engine.enter), and what scoring needs beyond the cache is `activations`. */
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
  // An update passes every row of a Linear; a step on a GPU makes the updates of three Linears at once.
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

/** Gradients of all weights, where all are trained: W' is in W's place and takes none. */
const gradientsPart = ({ modules }: AdapterLayout): Sum => sumOf(modules.map(({ r }) => r));

/** W' of every Linear, and what folding passes through. */
function foldedPart(layout: AdapterLayout, isPacked: boolean, adapter: AdapterSettings['adapter']): Sum {
  const { modules, total } = layout;
  const copies = modules.map(({ dOut, dIn }) => dOut * dIn);
  if (adapter === 'lora') return sumOf(copies);
  // A0 and what is added to it and to B0. A and B themselves are counted with the factors.
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

/** Memory of an unfolded adapter beside its factors: the scratch that packed matrices pass through; δS; of two blocks
 *  A0, the additions to it and to B0, and B of the update. */
function besidePart({ modules, total }: AdapterLayout, isPacked: boolean): Sum {
  const unpacked = isPacked ? [Math.max(...modules.map(({ dOut, dIn }) => dOut * dIn))] : [];
  const ofBlocks = modules.flatMap(({ r, rank = 0, dOut, blocks }) => (blocks ? [r, r, rank * dOut] : []));
  const isSvd = modules.every(({ rank }) => rank === undefined);
  return sumOf([...unpacked, ...(isSvd ? [total] : []), ...ofBlocks]);
}

/** A packed model without an adapter unpacks one Linear after the other; where a device reads halves as they are stored, only for many rows. */
function bareScratch({ modules }: AdapterLayout, isPacked: boolean): Sum {
  return sumOf(isPacked ? [Math.max(...modules.map(({ dOut, dIn }) => dOut * dIn))] : []);
}

/** U and Vh, or a LoRA's A and B, which are trained and so stay in f32. */
function factorsPart({ modules }: AdapterLayout, storage: WeightStorage): Sum {
  return sumOf(
    modules.flatMap(({ r, dOut, dIn, rank }) => {
      const stored = rank === undefined ? factorStorage(storage) : 'f32';
      return [dOut, dIn].flatMap((d) => storedLengths((rank ?? r) * d, stored));
    }),
  );
}

/** Each basis has its rows and three vectors on the device (algorithms/projection.ts). */
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
