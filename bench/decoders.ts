// The decoders of decode.bench.ts, each opened in its own process: the lab's engine; onnxruntime-web in a plain greedy loop, the least code that a
// page needs around it; and transformers.js's own `generate`, on onnxruntime-web and on its native runtime. All read the same weights; the ONNX
// ones come from a folder that the lab's export fills.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Tensor } from 'onnxruntime-web';
import { globals } from 'webgpu';
import { chooseNodeDevice, loadEmbeddedModel } from '../src/cli/ports.node.ts';
import { Engine } from '../src/engine/decoder/engine.ts';
import type { ModelConfig } from '../src/engine/types.ts';
import { openNodeGpu } from '../src/lib/gpu.node.ts';
import { keyFor, STREAMS } from '../src/rng/index.ts';

export type DecoderKind =
  | 'lab'
  | 'lab-fused'
  | 'onnxruntime'
  | 'transformers'
  | 'transformers-native'
  | 'lab-webgpu'
  | 'onnxruntime-webgpu';

export interface DecodeRequest {
  /** All prompts have one length. */
  prompts: number[][];
  maxNew: number;
}

/** Greedy, no token ends a sequence: [prompts][maxNew]. */
export type Decode = (request: DecodeRequest) => Promise<number[][]>;

export interface DecoderPlace {
  root: string;
  threads: number;
  /** Holds the folder `tiny-coder` with config, tokenizer and onnx/model.onnx. */
  models: string;
}

/** Folder of a package that is not the project's own: LAB_TRANSFORMERS (which has a node_modules), else the project. */
function transformersEntry(root: string): string {
  return createRequire(join(process.env.LAB_TRANSFORMERS ?? root, 'package.json')).resolve('@huggingface/transformers');
}

/** Null if it is not installed. */
export function transformersVersion(root: string): string | null {
  try {
    const entry = transformersEntry(root);
    const folder = entry.slice(0, entry.lastIndexOf('dist'));
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
  } catch {
    return null;
  }
}

export async function openDecoder(kind: DecoderKind, place: DecoderPlace): Promise<Decode> {
  if (kind === 'lab') return lab(place, 'cpu');
  if (kind === 'lab-fused') return lab(place, 'cpu-fused');
  if (kind === 'lab-webgpu') return lab(place, 'webgpu');
  if (kind === 'onnxruntime') return onnxruntime(place, 'wasm');
  if (kind === 'onnxruntime-webgpu') return onnxruntime(place, 'webgpu');
  return transformers(kind, place);
}

async function lab({ root, threads }: DecoderPlace, choice: 'cpu' | 'cpu-fused' | 'webgpu'): Promise<Decode> {
  const { config, weights } = await loadEmbeddedModel(root, 'tiny-coder');
  const { device } = await chooseNodeDevice({ device: choice, threads });
  const engine = await Engine.create({ device, config, weights, adapter: 'none' });
  return async ({ prompts, maxNew }) => {
    const sequences = prompts.map((_, prompt) => ({ prompt, key: keyFor(1, STREAMS.rollout, prompt) }));
    const written = await engine.generate({ prompts, sequences, maxNew, temperature: 0, endTokens: [] });
    return written.map(({ tokens }) => [...tokens]);
  };
}

function argmax(logits: Float32Array): number {
  let best = 0;
  for (let v = 1; v < logits.length; v++) if (logits[v] > logits[best]) best = v;
  return best;
}

async function onnxruntime({ root, threads, models }: DecoderPlace, provider: 'wasm' | 'webgpu'): Promise<Decode> {
  const { layers, kvHeads, headDim, vocab }: ModelConfig = (await loadEmbeddedModel(root, 'tiny-coder')).config;
  if (provider === 'webgpu') await offerGpu();
  const ort = await (provider === 'wasm' ? import('onnxruntime-web') : import('onnxruntime-web/webgpu'));
  ort.env.wasm.numThreads = threads;
  ort.env.logLevel = 'error';
  const model = readFileSync(join(models, 'tiny-coder', 'onnx', 'model.onnx'));
  const longs = (rows: number, width: number, value: (row: number, i: number) => number) =>
    new ort.Tensor(
      'int64',
      BigInt64Array.from({ length: rows * width }, (_, i) => BigInt(value(Math.floor(i / width), i % width))),
      [rows, width],
    );
  const caches = Array.from({ length: layers }, (_, n) => [`${n}.key`, `${n}.value`]).flat();
  const presents = Object.fromEntries(caches.map((name) => [`present.${name}`, 'gpu-buffer' as const]));
  const session = await ort.InferenceSession.create(model, {
    executionProviders: [provider],
    ...(provider === 'webgpu' && { preferredOutputLocation: presents }),
  });
  return async ({ prompts, maxNew }) => {
    const rows = prompts.length;
    const written = prompts.map((): number[] => []);
    let [fresh, length] = [prompts as readonly number[][], 0];
    let past: ReadonlyMap<string, Tensor> = new Map(
      caches.map((name) => [name, new ort.Tensor('float32', new Float32Array(0), [rows, kvHeads, 0, headDim])]),
    );
    for (;;) {
      const width = fresh[0].length;
      const outputs = await session.run({
        input_ids: longs(rows, width, (row, i) => fresh[row][i]),
        position_ids: longs(rows, width, (_, i) => length + i),
        attention_mask: longs(rows, length + width, () => 1),
        ...Object.fromEntries(caches.map((name) => [`past_key_values.${name}`, past.get(name)!])),
      });
      length += width;
      const logits = outputs.logits.data as Float32Array;
      for (const [row, tokens] of written.entries()) {
        const last = ((row + 1) * width - 1) * vocab;
        tokens.push(argmax(logits.subarray(last, last + vocab)));
      }
      for (const tensor of past.values()) if (tensor.location === 'gpu-buffer') tensor.dispose();
      past = new Map(caches.map((name) => [name, outputs[`present.${name}`]]));
      if (written[0].length === maxNew) break;
      fresh = written.map((tokens) => tokens.slice(-1));
    }
    for (const tensor of past.values()) if (tensor.location === 'gpu-buffer') tensor.dispose();
    return written;
  };
}

/** Defines the WebGPU globals of a page, from Dawn. The runtime's memory is shared between threads, which a page's `writeBuffer` accepts and Dawn's
 *  does not, so data are copied first. */
async function offerGpu(): Promise<void> {
  const gpu = await openNodeGpu();
  Object.assign(globalThis, globals);
  const held: unknown[] = [];
  const { requestAdapter } = gpu;
  gpu.requestAdapter = async (options) => {
    const adapter = await requestAdapter.call(gpu, options);
    if (!adapter) return null;
    const { requestDevice } = adapter;
    adapter.requestDevice = async (descriptor) => {
      const device = await requestDevice.call(adapter, descriptor);
      const { queue } = device;
      const write = queue.writeBuffer.bind(queue);
      queue.writeBuffer = (buffer, offset, data, from = 0, size) => {
        const view = data as Uint8Array<ArrayBuffer>;
        if (!(view.buffer instanceof SharedArrayBuffer)) return write(buffer, offset, view, from, size);
        return write(buffer, offset, view.slice(from, size === undefined ? undefined : from + size));
      };
      Object.defineProperty(device, 'queue', { value: queue });
      held.push(adapter, device, queue);
      return device;
    };
    return adapter;
  };
  const value = { gpu, userAgent: 'node', hardwareConcurrency: 1, held };
  Object.defineProperty(globalThis, 'navigator', { value, configurable: true });
}

/** The used part of the module, whose types are missing if it is not installed. */
interface TransformersModule {
  env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
  Tensor: new (type: 'int64', data: BigInt64Array, dims: number[]) => unknown;
  AutoModelForCausalLM: {
    from_pretrained(
      name: string,
      options: object,
    ): Promise<{ generate(options: object): Promise<{ data: BigInt64Array }> }>;
  };
}

/** In Node transformers.js would use its native runtime. It looks for another runtime under a symbol, where this puts the web runtime of the
 *  version that it brings. */
async function transformers(
  kind: 'transformers' | 'transformers-native',
  { root, threads, models }: DecoderPlace,
): Promise<Decode> {
  const entry = transformersEntry(root);
  const load = (path: string) => import(/* @vite-ignore */ pathToFileURL(path).href);
  if (kind === 'transformers') {
    const loaded = (await load(createRequire(entry).resolve('onnxruntime-web'))) as {
      default: typeof import('onnxruntime-web');
    };
    const ort = loaded.default;
    ort.env.wasm.numThreads = threads;
    // Otherwise it would fetch the wasm files from a server.
    ort.env.wasm.wasmPaths = {};
    Object.assign(globalThis, { [Symbol.for('onnxruntime')]: ort });
  }
  const library = (await load(entry)) as { default: TransformersModule };
  const { env, Tensor, AutoModelForCausalLM } = library.default;
  Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: `${models}/` });
  const model = await AutoModelForCausalLM.from_pretrained('tiny-coder', {
    dtype: 'fp32',
    ...(kind === 'transformers'
      ? { device: 'auto', session_options: { executionProviders: ['wasm'] } }
      : { device: 'cpu', session_options: { intraOpNumThreads: threads } }),
  });
  return async ({ prompts, maxNew }) => {
    const [rows, width] = [prompts.length, prompts[0].length];
    const written = await model.generate({
      inputs: new Tensor('int64', BigInt64Array.from(prompts.flat(), BigInt), [rows, width]),
      attention_mask: new Tensor('int64', new BigInt64Array(rows * width).fill(1n), [rows, width]),
      max_new_tokens: maxNew,
      min_new_tokens: maxNew,
      do_sample: false,
      eos_token_id: null,
    });
    const all = Array.from(written.data, Number);
    return prompts.map((_, row) => all.slice(row * (width + maxNew) + width, (row + 1) * (width + maxNew)));
  };
}
