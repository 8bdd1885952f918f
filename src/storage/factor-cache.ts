// Singular vectors of a whole model, stored between loads. Each Linear's factors have a file named by the sha-256 of its weights, so that a
// model is found wherever its folder is, and a changed weight is factored again. The name also has the kind of device and the method, since
// they round differently, and a run must not depend on the cache.

import { FormatError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { adapterLayout } from '../engine/adapter-layout.ts';
import type { FactorReader, Factors } from '../engine/adapters/svd.ts';
import type { AdapterModule, ModelConfig, WeightReader, Weights } from '../engine/types.ts';
import { readerOf } from '../engine/weights/reader.ts';
import { type Device, isOfGpu } from '../kernels/device.ts';
import { type SvdMethod, svd, svdMethod } from '../kernels/svd.ts';
import { type ByteSource, SafetensorsFile } from './safetensors.ts';
import { writeSafetensors } from './safetensors-write.ts';
import { sha256 } from './sources.ts';

/** Store of the files: a folder on disk, OPFS or memory. */
export interface BlobStore {
  /** Null if there is none. */
  read(name: string): Promise<ByteSource | null>;
  write(name: string, bytes: Uint8Array): Promise<void>;
}

export interface FactoredModel {
  factors: Map<string, Factors>;
  /** Modules whose factors were in the store; the others were computed and stored. */
  found: string[];
  computed: string[];
}

/** Factors that stay in the store and are not in memory. */
export interface KeptFactors {
  /** Reads one Linear at a time, as the engine's adapter. */
  reader: FactorReader;
  found: string[];
  computed: string[];
}

/** Number of operations that this call has computed (stored files count zero), and an upper bound of those left. */
export interface FactorWork {
  done: number;
  left: number;
}

export interface FactorOptions {
  device: Device;
  config: ModelConfig;
  /** Weights, read one Linear at a time. */
  weights: Weights | WeightReader;
  store: BlobStore;
  /** By default it depends on matrix and device. */
  method?: SvdMethod;
  signal?: AbortSignal;
  /** `share` is the fraction of the work done, in [0, 1], by the cost of each matrix and within large ones; `module` is the current one. */
  onProgress?: (share: number, module: string, work: FactorWork) => void;
  /** Yields to the event loop: after each module, and within large ones. */
  breathe?: () => Promise<void>;
}

/** Must change if the algorithm gives other numbers for the same weights. */
const ALGORITHM: Readonly<Record<SvdMethod, string>> = { pairs: 'jacobi-2', blocks: 'block-jacobi-1' };

/** A matrix: hex sha-256 of its bytes (row-major, f32), and its shape. */
interface FactoredMatrix {
  sha256: string;
  dOut: number;
  dIn: number;
}

export function factorFileName(
  { numerics, precision, name }: Pick<Device, 'numerics' | 'precision' | 'name'>,
  { sha256: hash, dOut, dIn }: FactoredMatrix,
  method: SvdMethod = 'pairs',
): string {
  // WebGPU results depend on adapter and driver.
  const driver = isOfGpu(numerics)
    ? `.${name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .slice(0, 80)}`
    : '';
  // Older versions stored a GPU's vectors of method `pairs` without polishing; the new name avoids those files.
  const way = method === 'blocks' ? '.blocks' : isOfGpu(numerics) ? '.polished' : '';
  return `${hash}.${dOut}x${dIn}.${numerics}-${precision}${driver}${way}.safetensors`;
}

export function writeFactors(
  { U, S, Vh }: Factors,
  { sha256: weights, dOut, dIn }: FactoredMatrix,
  method: SvdMethod = 'pairs',
): Uint8Array {
  const r = S.length;
  const tensor = (shape: number[], data: Factors['U']) =>
    ({ dtype: 'F32', shape, data: Float32Array.from(data) }) as const;
  const tensors = { U: tensor([dOut, r], U), S: tensor([r], S), Vh: tensor([r, dIn], Vh) };
  return writeSafetensors(new Map(Object.entries(tensors)), { algorithm: ALGORITHM[method], weights });
}

const staleFactors = (label: string, what: string) =>
  new FormatError(`${label}: ${what}.`, 'Delete the file; the factors are computed again.');

/** Reads only the header. Throws FormatError for a file that is damaged, of another algorithm, or of another matrix. */
async function openFactors(
  source: ByteSource,
  label: string,
  { sha256: weights, dOut, dIn }: FactoredMatrix,
  method: SvdMethod,
): Promise<SafetensorsFile> {
  const file = await SafetensorsFile.open(source, label);
  const r = Math.min(dOut, dIn);
  const { algorithm } = file.metadata;
  if (algorithm !== ALGORITHM[method]) throw staleFactors(label, `made by ${JSON.stringify(algorithm)}`);
  if (file.metadata.weights !== weights) throw staleFactors(label, 'of other weights');
  for (const [name, shape] of Object.entries({ U: [dOut, r], S: [r], Vh: [r, dIn] }))
    if (file.info(name).shape.join('×') !== shape.join('×'))
      throw staleFactors(label, `${name} is [${file.info(name).shape}]`);
  return file;
}

/** Throws FormatError for a file that is damaged, of another algorithm, or of another matrix. */
export async function readFactors(
  source: ByteSource,
  label: string,
  matrix: FactoredMatrix,
  method: SvdMethod = 'pairs',
): Promise<Factors> {
  const file = await openFactors(source, label, matrix, method);
  const read = async (name: string) => {
    const data = await file.readF32(name);
    if (!data.every(Number.isFinite)) throw staleFactors(label, `${name} is not finite`);
    return data;
  };
  return { U: await read('U'), S: await read('S'), Vh: await read('Vh') };
}

/** Factors of every Linear, in adapterLayout's order. A damaged file is rewritten. Throws StoppedError; finished modules stay stored. */
export async function factorModel(options: FactorOptions): Promise<FactoredModel> {
  const cache = new FactorCache(options);
  const factors = new Map<string, Factors>();
  await cache.each(async (module) => {
    factors.set(module.name, await cache.read(module));
  });
  return { factors, found: cache.found, computed: cache.computed };
}

/** Like factorModel, for models whose factors do not fit in memory (they are larger than the weights): missing factors are computed and
 *  stored, and the engine reads all of them from the store. */
export async function keepFactors(options: FactorOptions): Promise<KeptFactors> {
  const cache = new FactorCache(options);
  await cache.each((module) => cache.keep(module));
  return { reader: { read: (module) => cache.read(module) }, found: cache.found, computed: cache.computed };
}

/** Seconds left, extrapolated from the work done in `seconds`; null before any work. */
export function secondsLeft({ done, left }: FactorWork, seconds: number): number | null {
  return done > 0 ? (seconds * left) / done : null;
}

const cost = ({ dOut, dIn }: AdapterModule) => Math.min(dOut, dIn) ** 2 * (dOut + dIn);

class FactorCache {
  readonly found: string[] = [];
  readonly computed: string[] = [];
  private readonly weights: WeightReader;
  private readonly linears: readonly AdapterModule[];
  private readonly matrices = new Map<string, FactoredMatrix>();
  private readonly whole: number;
  /** Cost of the Linears before the current one, and of those among them that were computed. */
  private passed = 0;
  private worked = 0;

  constructor(private readonly options: FactorOptions) {
    this.weights = readerOf(options.weights);
    this.linears = adapterLayout(options.config).modules;
    this.whole = this.linears.reduce((sum, linear) => sum + cost(linear), 0);
  }

  /** Visits every Linear in turn, reports progress, yields, and stops when aborted. */
  async each(visit: (module: AdapterModule) => Promise<void>): Promise<void> {
    const { signal, onProgress, breathe } = this.options;
    for (const linear of this.linears) {
      if (signal?.aborted) throw new StoppedError('svd stopped', 'Start it again: what was factored is kept.');
      this.report(linear.name, 0);
      const before = this.computed.length;
      await visit(linear);
      this.passed += cost(linear);
      if (this.computed.length > before) this.worked += cost(linear);
      await breathe?.();
    }
    onProgress?.(1, 'done', { done: this.worked, left: 0 });
  }

  /** Reads factors from the store, or computes and stores them. */
  async read(module: AdapterModule): Promise<Factors> {
    const { data, matrix, file, method } = await this.place(module);
    const source = await this.options.store.read(file);
    const kept = source && (await nullIfDamaged(readFactors(source, file, matrix, method)));
    if (!kept) return this.compute(module, data, matrix, file, method);
    this.note(this.found, module);
    return kept;
  }

  /** Stores what `read` would compute, without reading the tensors of a file with a valid header. */
  async keep(module: AdapterModule): Promise<void> {
    const { data, matrix, file, method } = await this.place(module);
    const source = await this.options.store.read(file);
    if (source && (await nullIfDamaged(openFactors(source, file, matrix, method)))) this.note(this.found, module);
    else await this.compute(module, data, matrix, file, method);
  }

  private async compute(
    module: AdapterModule,
    data: Float32Array | null,
    matrix: FactoredMatrix,
    file: string,
    method: SvdMethod,
  ): Promise<Factors> {
    const { device, signal, breathe, store } = this.options;
    const { name, dOut, dIn } = module;
    const w = data ?? (await this.weights.read(`${name}.weight`)).data;
    const { U, S, Vh } = await svd(device, w, dOut, dIn, {
      method,
      signal,
      breathe,
      onShare: (share) => this.report(name, share * cost(module)),
    });
    await store.write(file, writeFactors({ U, S, Vh }, matrix, method));
    this.note(this.computed, module);
    return { U, S, Vh };
  }

  /** The file of a Linear's factors; its weights if they had to be read for the hash. */
  private async place(module: AdapterModule) {
    const { device } = this.options;
    const { name, dOut, dIn } = module;
    const method = this.options.method ?? svdMethod(device, dOut, dIn);
    let matrix = this.matrices.get(name);
    let data: Float32Array | null = null;
    if (!matrix) {
      data = (await this.weights.read(`${name}.weight`)).data;
      matrix = { sha256: await sha256(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)), dOut, dIn };
      this.matrices.set(name, matrix);
    }
    return { data, matrix, method, file: factorFileName(device, matrix, method) };
  }

  /** Linears that the engine reads again are not counted again. */
  private note(list: string[], { name }: AdapterModule): void {
    if (!this.found.includes(name) && !this.computed.includes(name)) list.push(name);
  }

  private report(module: string, within: number): void {
    const at = this.passed + within;
    this.options.onProgress?.(at / this.whole, module, { done: this.worked + within, left: this.whole - at });
  }
}

/** Null for a damaged file. */
async function nullIfDamaged<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof FormatError) return null;
    throw error;
  }
}
