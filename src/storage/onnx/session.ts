// A decoder with a key/value cache in ONNX, as decoder.ts and onnx-community write it, run by onnxruntime-web: token rows in,
// logits out. The runtime (megabytes of WebAssembly) is loaded when the first model is opened, and never before.
import type { InferenceSession, Tensor } from 'onnxruntime-web';
import type { ModelConfig } from '../../engine/types.ts';
import { FormatError } from '../../lib/errors.ts';

const PAST = 'past_key_values.';
const REMEDY = 'Take an export in f32 with a key/value cache: `export --format onnx`, or onnx-community’s model.onnx.';

/** Keys and values of `rows` sequences of one length, by input name; each [rows, kvHeads, length, headDim]. */
export interface OnnxPast {
  readonly rows: number;
  readonly length: number;
  readonly tensors: ReadonlyMap<string, Float32Array>;
}

type Runtime = typeof import('onnxruntime-web/wasm');
let runtime: Promise<Runtime> | null = null;

/** One thread: more need shared memory, which the page does without. */
function loadRuntime(): Promise<Runtime> {
  runtime ??= import('onnxruntime-web/wasm').then((ort) => {
    ort.env.wasm.numThreads = 1;
    ort.env.logLevel = 'error';
    return ort;
  });
  return runtime;
}

export class OnnxDecoder {
  private constructor(
    private readonly ort: Runtime,
    private readonly session: InferenceSession,
    readonly config: ModelConfig,
  ) {}

  /** `external`: weights beside the model, by the name that it calls them. Throws FormatError for a file that is not such a decoder. */
  static async open(
    model: Uint8Array,
    config: ModelConfig,
    external: readonly { path: string; data: Uint8Array }[] = [],
  ): Promise<OnnxDecoder> {
    const ort = await loadRuntime();
    let session: InferenceSession;
    try {
      session = await ort.InferenceSession.create(model, { executionProviders: ['wasm'], externalData: external });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new FormatError(`onnxruntime cannot open this ONNX file (${why.slice(0, 200)}).`, REMEDY, { cause });
    }
    const wrong = problemOf(session, config);
    if (wrong !== null) {
      await session.release();
      throw new FormatError(`The ONNX file ${wrong}.`, REMEDY);
    }
    return new OnnxDecoder(ort, session, config);
  }

  /** The next tokens of `past`, one row a sequence, all of one length: logits of the last position alone, [rows, vocab], and the cache
   *  with them. `past` null begins. */
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
    const dims = (slots: number) => [count, config.kvHeads, slots, config.headDim];
    for (const name of session.inputNames.filter((input) => input.startsWith(PAST))) {
      const data = past?.tensors.get(name) ?? new Float32Array();
      feeds[name] = new this.ort.Tensor('float32', data, dims(before));
    }
    const outputs = await session.run(feeds);
    const tensors = new Map<string, Float32Array>();
    for (const [name, tensor] of Object.entries(outputs)) {
      if (name.startsWith('present.')) tensors.set(name.replace('present.', PAST), tensor.data as Float32Array);
    }
    const all = outputs.logits.data as Float32Array;
    const { vocab } = config;
    const logits = new Float32Array(count * vocab);
    for (let row = 0; row < count; row++) {
      const at = ((row + 1) * fresh - 1) * vocab;
      logits.set(all.subarray(at, at + vocab), row * vocab);
    }
    return { logits, past: { rows: count, length, tensors } };
  }

  async free(): Promise<void> {
    await this.session.release();
  }

  private longs(values: readonly number[], dims: readonly number[]): Tensor {
    return new this.ort.Tensor('int64', BigInt64Array.from(values, BigInt), dims);
  }
}

/** The cache of these rows, in this order; one may come several times. */
export function takeRows({ tensors, rows, length }: OnnxPast, taken: readonly number[]): OnnxPast {
  const result = new Map<string, Float32Array>();
  for (const [name, data] of tensors) {
    const width = data.length / rows;
    const copy = new Float32Array(taken.length * width);
    taken.forEach((row, i) => {
      copy.set(data.subarray(row * width, (row + 1) * width), i * width);
    });
    result.set(name, copy);
  }
  return { rows: taken.length, length, tensors: result };
}

/** What about a file's inputs and outputs does not fit; null where all does. */
function problemOf(session: InferenceSession, { layers, kvHeads, headDim, vocab }: ModelConfig): string | null {
  const caches = Array.from({ length: layers }, (_, n) => [`${PAST}${n}.key`, `${PAST}${n}.value`]).flat();
  const needed = ['input_ids', 'attention_mask', ...caches];
  const lacks = (names: readonly string[], wanted: readonly string[]) => wanted.find((name) => !names.includes(name));
  const missing = lacks(session.inputNames, needed);
  if (missing !== undefined) return `has no input ${missing}`;
  const more = lacks([...needed, 'position_ids'], session.inputNames);
  if (more !== undefined) return `asks for ${more}, which a ${layers}-layer decoder of this config does not have`;
  const presents = caches.map((name) => name.replace(PAST, 'present.'));
  const unsaid = lacks(session.outputNames, ['logits', ...presents]);
  if (unsaid !== undefined) return `has no output ${unsaid}`;
  for (const info of [...session.inputMetadata, ...session.outputMetadata]) {
    if (!info.isTensor || ['input_ids', 'attention_mask', 'position_ids'].includes(info.name)) continue;
    if (info.type !== 'float32') return `has ${info.name} in ${info.type}, not in float32`;
    const sizes: Record<number, number> = info.name === 'logits' ? { 2: vocab } : { 1: kvHeads, 3: headDim };
    for (const [axis, size] of Object.entries(sizes)) {
      const found = info.shape[Number(axis)];
      if (typeof found === 'number' && found !== size)
        return `has ${info.name} of shape [${info.shape.join(', ')}], where config.json implies ${size} on axis ${axis}`;
    }
  }
  return null;
}
