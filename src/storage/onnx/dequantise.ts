// The weights of a dynamically quantised decoder (onnxruntime's quantize_dynamic, as in onnx-community's `model_quantized.onnx`), widened to
// f32 under Hugging Face's names: (q − zero) · scale, one scale per matrix. The file stores a Linear as [dIn, dOut] under an opaque name;
// the node that multiplies by it has the module's name.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { ModelConfig, Tensor, Weights } from '../../engine/types.ts';
import { EMBEDDING, HEAD, weightShapes } from '../../engine/weight-names.ts';
import { floatsOf, INT8, type Initializer, initializersOf, nodesOf, UINT8 } from './read.ts';

const REMEDY =
  'Use a quantised export of onnx-community’s layout (onnx/model_quantized.onnx) and the config.json beside it.';

/** A quantised matrix of the file. */
interface Quantised {
  /** Shape in the file: [dIn, dOut] for a Linear, [vocab, width] for the embedding. */
  shape: readonly number[];
  q: Uint8Array | Int8Array;
  scale: number;
  zero: number;
}

/** Every weight that `config` implies. A tied model's file has its table twice, quantised on different grids, as embedding and as head: a
 *  config that unties them (`keepsHead`) gets both as stored; a tied one uses the embedding. Throws FormatError if a weight is missing,
 *  misshapen or quantised differently. */
export function dequantise(model: Uint8Array, config: ModelConfig): Weights {
  const initializers = initializersOf(model);
  const plain = floatsOf(model);
  const linears = linearsOf(model);
  const ofLinear = (name: string) => quantised(initializers, linears.get(name) ?? `${name}_quantized`, name);
  const weights = new Map<string, Tensor>();
  for (const [name, shape] of weightShapes(config)) {
    const kept = plain.get(name);
    const tensor = kept ?? (name === EMBEDDING ? widened(ofLinear(name)) : transposed(ofLinear(name)));
    if (tensor.shape.join('×') !== shape.join('×'))
      throw new FormatError(
        `The ONNX file has ${name} as ${tensor.shape.join('×')}; config.json implies ${shape.join('×')}.`,
        REMEDY,
      );
    weights.set(name, tensor);
  }
  return weights;
}

/** Whether the file has its own head, separate from the embedding table. */
export const keepsHead = (model: Uint8Array): boolean => linearsOf(model).has(HEAD);

/** Name of each Linear's quantised weights. */
function linearsOf(model: Uint8Array): Map<string, string> {
  const linears = new Map<string, string>();
  for (const { name, operator, inputs } of nodesOf(model)) {
    // The node's name is a path such as `/model/layers.0/self_attn/q_proj/MatMul_quant`.
    const path = /^\/(.+)\/MatMul_quant$/.exec(name)?.[1];
    if (operator === 'MatMulInteger' && path !== undefined)
      linears.set(`${path.replaceAll('/', '.')}.weight`, inputs[1] ?? '');
  }
  return linears;
}

/** `found` is NAME_quantized; NAME_scale and NAME_zero_point belong to it. */
function quantised(all: ReadonlyMap<string, Initializer>, found: string, name: string): Quantised {
  const base = found.replace(/_quantized$/, '');
  const [q, scale, zero] = [found, `${base}_scale`, `${base}_zero_point`].map((part) => all.get(part));
  const missing = !q ? 'its bytes' : !scale ? 'its scale' : !zero ? 'its zero point' : null;
  if (!q || !scale || !zero) throw new FormatError(`The ONNX file lacks ${missing} of ${name}.`, REMEDY);
  const count = q.shape.reduce((a, b) => a * b, 1);
  const isBytes = q.type === UINT8 || q.type === INT8;
  if (!isBytes || q.raw === null || q.raw.length !== count || q.shape.length !== 2)
    throw new FormatError(`${name} is no matrix of ${count} bytes in the ONNX file.`, REMEDY);
  const { buffer, byteOffset } = q.raw;
  return {
    shape: q.shape,
    q: q.type === UINT8 ? q.raw : new Int8Array(buffer, byteOffset, count),
    scale: scalar(scale, `the scale of ${name}`),
    zero: scalar(zero, `the zero point of ${name}`),
  };
}

/** Only a per-tensor scale is supported. */
function scalar({ type, raw, values, shape }: Initializer, what: string): number {
  const count = shape.reduce((a, b) => a * b, 1);
  let value: number | undefined = values[0];
  if (raw !== null && raw.length > 0) {
    const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
    value = type === UINT8 ? view.getUint8(0) : type === INT8 ? view.getInt8(0) : view.getFloat32(0, true);
  }
  if (count !== 1 || value === undefined || !Number.isFinite(value))
    throw new FormatError(`The ONNX file has ${count} numbers as ${what}, where one was expected.`, REMEDY);
  return value;
}

function widened({ shape, q, scale, zero }: Quantised): Tensor {
  return { shape, data: Float32Array.from(q, (value) => (value - zero) * scale) };
}

/** Transposes the file's [dIn, dOut] to Hugging Face's [dOut, dIn]. */
function transposed({ shape: [rows, columns], q, scale, zero }: Quantised): Tensor {
  const data = new Float32Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) data[j * rows + i] = (q[i * columns + j] - zero) * scale;
  return { shape: [columns, rows], data };
}
