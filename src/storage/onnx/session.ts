// A decoder with a key/value cache in ONNX, as written by decoder.ts and onnx-community, run by onnxruntime-web: token rows in, logits out.
// The runtime (megabytes of WebAssembly) is loaded with the first model. On WebGPU it runs on the lab's own device, where the cache stays
// between steps; otherwise it runs in WebAssembly.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { InferenceSession, Tensor } from 'onnxruntime-web';
import type { ModelConfig } from '../../engine/types.ts';
import { halfToFloat } from '../../lib/half.ts';
import { kept } from '../../lib/kept.ts';

const PAST = 'past_key_values.';
/** Input of newer exports: the number of last positions that get logits. */
const LAST = 'num_logits_to_keep';
const REMEDY =
  'Use an export with a key/value cache in f32 or f16: `export --format onnx`, or onnx-community’s model.onnx and model_fp16.onnx.';

/** Keys and values of `rows` sequences of one length, by input name; each [rows, kvHeads, length, headDim], in the provider's memory. Use
 *  it with `takeRows` or `OnnxDecoder.run`, free it with `freePast`. */
export interface OnnxPast {
  readonly rows: number;
  readonly length: number;
  readonly tensors: ReadonlyMap<string, Tensor>;
}

export interface OnnxPlace {
  /** The lab's WebGPU device, which the runtime shares; absent or null: WebAssembly. */
  gpu?: GPUDevice | null;
  /** Separate weight files, by their path in the model. */
  external?: readonly { path: string; data: Uint8Array }[];
}

/** dtypes that caches and logits may have. */
type Floats = 'float32' | 'float16';

type Runtime = typeof import('onnxruntime-web/wasm');
const runtimes = new Map<'wasm' | 'webgpu', Promise<Runtime>>();

/** Uses one thread even with shared memory: the split of sums between threads must not influence a teacher's tokens. */
function loadRuntime(provider: 'wasm' | 'webgpu'): Promise<Runtime> {
  return kept(runtimes, provider, async () => {
    const ort = await (provider === 'wasm' ? import('onnxruntime-web/wasm') : import('onnxruntime-web/webgpu'));
    ort.env.wasm.numThreads = 1;
    ort.env.logLevel = 'error';
    return ort;
  });
}

export class OnnxDecoder {
  private constructor(
    private readonly ort: Runtime,
    private readonly session: InferenceSession,
    readonly config: ModelConfig,
    readonly provider: 'wasm' | 'webgpu',
    private readonly caches: Floats,
  ) {}

  /** Throws FormatError for a file that is not such a decoder. */
  static async open(
    model: Uint8Array,
    config: ModelConfig,
    { gpu = null, external = [] }: OnnxPlace = {},
  ): Promise<OnnxDecoder> {
    const provider = gpu === null ? 'wasm' : 'webgpu';
    const ort = await loadRuntime(provider);
    const caches = Array.from({ length: config.layers }, (_, n) => [`present.${n}.key`, `present.${n}.value`]).flat();
    let session: InferenceSession;
    try {
      session = await ort.InferenceSession.create(model, {
        executionProviders: gpu === null ? ['wasm'] : [{ name: 'webgpu', device: gpu }],
        ...(gpu === null ? {} : { preferredOutputLocation: Object.fromEntries(caches.map((c) => [c, 'gpu-buffer'])) }),
        externalData: external,
      });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new FormatError(`onnxruntime cannot open this ONNX file (${why.slice(0, 200)}).`, REMEDY, { cause });
    }
    const wrong = problemOf(session, config);
    if (wrong !== null) {
      await session.release();
      throw new FormatError(`The ONNX file ${wrong}.`, REMEDY);
    }
    const info = session.inputMetadata.find(({ name }) => name.startsWith(PAST));
    const cacheType = info?.isTensor && info.type === 'float16' ? 'float16' : 'float32';
    return new OnnxDecoder(ort, session, config, provider, cacheType);
  }

  /** Runs the tokens after `past`, one row per sequence, all of one length: returns the last position's logits, [rows, vocab], and the
   *  extended cache. A null `past` starts a sequence; otherwise it is unchanged. */
  async run(
    rows: readonly (readonly number[])[],
    past: OnnxPast | null,
  ): Promise<{ logits: Float32Array; past: OnnxPast }> {
    const { config, session } = this;
    const [count, fresh] = [rows.length, rows[0].length];
    const before = past?.length ?? 0;
    const length = before + fresh;
    const feeds: Record<string, Tensor> = { input_ids: this.longs(rows.flat(), [count, fresh]) };
    feeds.attention_mask = this.longs(new Array<number>(count * length).fill(1), [count, length]);
    if (session.inputNames.includes('position_ids')) {
      const positions = Array.from({ length: count * fresh }, (_, i) => before + (i % fresh));
      feeds.position_ids = this.longs(positions, [count, fresh]);
    }
    if (session.inputNames.includes(LAST)) feeds[LAST] = this.longs([1], []);
    for (const name of session.inputNames.filter((input) => input.startsWith(PAST)))
      setOwn(feeds, name, past?.tensors.get(name) ?? this.cache(this.store(0), count, before));
    const outputs = await session.run(feeds);
    const tensors = new Map<string, Tensor>();
    for (const [name, tensor] of Object.entries(outputs)) {
      if (name.startsWith('present.')) tensors.set(name.replace('present.', PAST), tensor);
    }
    const all = outputs.logits.type === 'float16' ? halfToFloat(halves(outputs.logits.data)) : outputs.logits.data;
    const { vocab } = config;
    const positions = outputs.logits.dims[1];
    const logits = new Float32Array(count * vocab);
    for (let row = 0; row < count; row++) {
      const at = ((row + 1) * positions - 1) * vocab;
      logits.set((all as Float32Array).subarray(at, at + vocab), row * vocab);
    }
    return { logits, past: { rows: count, length, tensors } };
  }

  /** The cache of these rows, in this order; a row may be repeated. `past` is unchanged. */
  async takeRows(past: OnnxPast, taken: readonly number[]): Promise<OnnxPast> {
    const { rows, length } = past;
    const tensors = new Map<string, Tensor>();
    for (const [name, tensor] of past.tensors) {
      const held = await tensor.getData();
      const data = this.caches === 'float16' ? halves(held) : (held as Float32Array);
      const width = data.length / rows;
      const copy = this.store(taken.length * width);
      taken.forEach((row, i) => {
        copy.set(data.subarray(row * width, (row + 1) * width), i * width);
      });
      tensors.set(name, this.cache(copy, taken.length, length));
    }
    return { rows: taken.length, length, tensors };
  }

  async free(): Promise<void> {
    await this.session.release();
  }

  private store(length: number): Float32Array | Uint16Array {
    return this.caches === 'float16' ? new Uint16Array(length) : new Float32Array(length);
  }

  private cache(data: Float32Array | Uint16Array, rows: number, length: number): Tensor {
    const { kvHeads, headDim } = this.config;
    return new this.ort.Tensor(this.caches, data, [rows, kvHeads, length, headDim]);
  }

  private longs(values: readonly number[], dims: readonly number[]): Tensor {
    return new this.ort.Tensor('int64', BigInt64Array.from(values, BigInt), dims);
  }
}

/** The bits of f16 data, which is a Float16Array if the host has that type, else a Uint16Array. */
function halves(data: Tensor['data']): Uint16Array {
  const { buffer, byteOffset, byteLength } = data as Uint16Array;
  return new Uint16Array(buffer, byteOffset, byteLength / 2);
}

/** Frees the cache's GPU memory; it must not be read afterwards. */
export function freePast({ tensors }: OnnxPast): void {
  for (const tensor of tensors.values()) if (tensor.location === 'gpu-buffer') tensor.dispose();
}

/** The first input or output that does not fit; null if all fit. */
function problemOf(session: InferenceSession, { layers, kvHeads, headDim, vocab }: ModelConfig): string | null {
  const caches = Array.from({ length: layers }, (_, n) => [`${PAST}${n}.key`, `${PAST}${n}.value`]).flat();
  const needed = ['input_ids', 'attention_mask', ...caches];
  const lacks = (names: readonly string[], wanted: readonly string[]) => wanted.find((name) => !names.includes(name));
  const missing = lacks(session.inputNames, needed);
  if (missing !== undefined) return `has no input ${missing}`;
  const more = lacks([...needed, 'position_ids', LAST], session.inputNames);
  if (more !== undefined) return `asks for ${more}, which a ${layers}-layer decoder of this config does not have`;
  const presents = caches.map((name) => name.replace(PAST, 'present.'));
  const unsaid = lacks(session.outputNames, ['logits', ...presents]);
  if (unsaid !== undefined) return `has no output ${unsaid}`;
  for (const info of [...session.inputMetadata, ...session.outputMetadata]) {
    if (!info.isTensor || ['input_ids', 'attention_mask', 'position_ids', LAST].includes(info.name)) continue;
    if (info.type !== 'float32' && info.type !== 'float16')
      return `has ${info.name} in ${info.type}, in neither float32 nor float16`;
    const sizes: Record<number, number> = info.name === 'logits' ? { 2: vocab } : { 1: kvHeads, 3: headDim };
    for (const [axis, size] of Object.entries(sizes)) {
      const found = info.shape[Number(axis)];
      if (typeof found === 'number' && found !== size)
        return `has ${info.name} of shape [${info.shape.join(', ')}], where config.json implies ${size} on axis ${axis}`;
    }
  }
  return null;
}
