// Singular vectors of a whole model, kept between loads: each Linear's factors lie in a file named by the sha-256 of its
// weights, so that a model is found again wherever its folder lies, and a changed weight is factored anew. The kind of device
// is part of the name: the two devices round differently, and a run must not depend on what was cached.
import { knobLayout } from '../engine/config.ts';
import type { Factors } from '../engine/svd-adapter.ts';
import type { KnobModule, ModelConfig, Weights } from '../engine/types.ts';
import type { Device } from '../kernels/device.ts';
import { svd } from '../kernels/svd.ts';
import { FormatError, StoppedError } from '../lib/errors.ts';
import { type ByteSource, SafetensorsFile, writeSafetensors } from './safetensors.ts';
import { sha256 } from './sources.ts';

/** Where the files lie: a folder on disk, OPFS, memory. */
export interface BlobStore {
  /** Null when there is none. */
  read(name: string): Promise<ByteSource | null>;
  write(name: string, bytes: Uint8Array): Promise<void>;
}

export interface FactoredModel {
  factors: Map<string, Factors>;
  /** Modules whose factors were in the store; the others were computed, and are in it now. */
  found: string[];
  computed: string[];
}

/** Changes when the same weights would be factored to other numbers. */
const ALGORITHM = 'jacobi-2';

/** Which matrix: hex sha-256 of its bytes, row-major in f32, and its shape. */
export interface FactoredMatrix {
  sha256: string;
  dOut: number;
  dIn: number;
}

export function factorFileName({ kind, precision }: Device, { sha256: hash, dOut, dIn }: FactoredMatrix): string {
  return `${hash}.${dOut}x${dIn}.${kind}-${precision}.safetensors`;
}

export function writeFactors({ U, S, Vh }: Factors, { sha256: weights, dOut, dIn }: FactoredMatrix): Uint8Array {
  const r = S.length;
  const tensor = (shape: number[], data: Factors['U']) =>
    ({ dtype: 'F32', shape, data: Float32Array.from(data) }) as const;
  const tensors = { U: tensor([dOut, r], U), S: tensor([r], S), Vh: tensor([r, dIn], Vh) };
  return writeSafetensors(new Map(Object.entries(tensors)), { algorithm: ALGORITHM, weights });
}

/** Throws FormatError for a file that is damaged, of another algorithm, or of another matrix. */
export async function readFactors(source: ByteSource, label: string, matrix: FactoredMatrix): Promise<Factors> {
  const { dOut, dIn } = matrix;
  const file = await SafetensorsFile.open(source, label);
  const r = Math.min(dOut, dIn);
  const read = async (name: string, shape: number[]) => {
    if (file.info(name).shape.join('×') !== shape.join('×')) throw stale(`${name} is [${file.info(name).shape}]`);
    const data = await file.readF32(name);
    if (!data.every(Number.isFinite)) throw stale(`${name} is not finite`);
    return data;
  };
  const stale = (what: string) =>
    new FormatError(`${label}: ${what}.`, 'Delete the file; the factors are computed again.');
  if (file.metadata.algorithm !== ALGORITHM) throw stale(`made by ${JSON.stringify(file.metadata.algorithm)}`);
  if (file.metadata.weights !== matrix.sha256) throw stale('of other weights');
  return { U: await read('U', [dOut, r]), S: await read('S', [r]), Vh: await read('Vh', [r, dIn]) };
}

/**
 * Factors of every Linear, in knobLayout's order. A damaged file is written anew. `onProgress` gets the share of the work
 * that is done, in [0, 1] (by the cost of each matrix), and the module at hand. Throws StoppedError; what was computed until
 * then is kept.
 */
export async function factorModel(options: {
  device: Device;
  config: ModelConfig;
  weights: Weights;
  store: BlobStore;
  signal?: AbortSignal;
  onProgress?: (share: number, module: string) => void;
  /** One turn of the event loop after each module. */
  breathe?: () => Promise<void>;
}): Promise<FactoredModel> {
  const { device, config, weights, store, signal, onProgress, breathe } = options;
  const linears = knobLayout(config).modules;
  const cost = ({ dOut, dIn }: KnobModule) => Math.min(dOut, dIn) ** 2 * (dOut + dIn);
  const whole = linears.reduce((sum, linear) => sum + cost(linear), 0);
  const model: FactoredModel = { factors: new Map(), found: [], computed: [] };
  let done = 0;
  for (const linear of linears) {
    const { name, dOut, dIn } = linear;
    if (signal?.aborted) throw new StoppedError('svd stopped', 'Start it again: what was factored is kept.');
    onProgress?.(done / whole, name);
    const w = weights.get(`${name}.weight`)!.data;
    const hash = await sha256(new Uint8Array(w.buffer, w.byteOffset, w.byteLength));
    const matrix = { sha256: hash, dOut, dIn };
    const file = factorFileName(device, matrix);
    let factors = await known(store, file, matrix);
    model[factors ? 'found' : 'computed'].push(name);
    if (!factors) {
      factors = await svd(device, w, dOut, dIn, { signal });
      await store.write(file, writeFactors(factors, matrix));
    }
    const { U, S, Vh } = factors;
    model.factors.set(name, { U, S, Vh });
    done += cost(linear);
    await breathe?.();
  }
  onProgress?.(1, 'done');
  return model;
}

async function known(store: BlobStore, file: string, matrix: FactoredMatrix): Promise<Factors | null> {
  const source = await store.read(file);
  if (!source) return null;
  try {
    return await readFactors(source, file, matrix);
  } catch (error) {
    if (error instanceof FormatError) return null;
    throw error;
  }
}
