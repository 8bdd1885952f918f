// Reads an ONNX file without a runtime: the operators of its graph, and its weights. It supports the necessary part of Protocol buffers'
// wire format (https://protobuf.dev/programming-guides/encoding); field numbers are those of onnx.proto.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { Tensor } from '../../engine/types.ts';

const REMEDY = 'Get the file again; a whole ONNX file is a ModelProto.';
export const [GRAPH, NODE, INITIALIZER] = [7, 1, 5];
const [INPUT, OUTPUT, NODE_NAME, OPERATOR] = [1, 2, 3, 4];
const TENSOR = { dims: 1, type: 2, floats: 4, ints: 5, name: 8, raw: 9, location: 14 } as const;
/** Values of onnx.proto's TensorProto.DataType. */
export const [FLOAT, UINT8, INT8] = [1, 2, 3];

/** A field of a message: a number (varint), or a view of its bytes. Fixed-width numbers are skipped. */
type Field = { field: number; value: bigint } | { field: number; bytes: Uint8Array };

/** Throws FormatError if a message ends before its stated length. */
export function* fields(message: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (at >= message.length) break;
      const byte = message[at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new FormatError(`The ONNX file ends within a number, at byte ${at} of a message.`, REMEDY);
  };
  const take = (length: number): Uint8Array => {
    if (length > message.length - at)
      throw new FormatError(`The ONNX file wants ${length} bytes where ${message.length - at} are left.`, REMEDY);
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = Number(varint());
    const field = tag >>> 3;
    const wire = tag & 7;
    if (wire === 0) yield { field, value: varint() };
    else if (wire === 2) yield { field, bytes: take(Number(varint())) };
    else if (wire === 1) take(8);
    else if (wire === 5) take(4);
    else throw new FormatError(`The ONNX file has a field of wire type ${wire}.`, REMEDY);
  }
}

function* parts(message: Uint8Array, wanted: number): Generator<Uint8Array> {
  for (const part of fields(message)) if (part.field === wanted && 'bytes' in part) yield part.bytes;
}

/** `ignoreBOM` preserves every byte of a name. */
const words = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** Names of the operators in the main graph. */
export function operatorsOf(model: Uint8Array): Set<string> {
  return new Set([...nodesOf(model)].map(({ operator }) => operator));
}

/** A weight of the graph as stored in the file. */
export interface Initializer {
  shape: readonly number[];
  /** A value of onnx.proto's TensorProto.DataType. */
  type: number;
  /** Little-endian elements; null if they are in `values`, as in some small tensors. */
  raw: Uint8Array | null;
  /** Elements of float_data or int32_data. */
  values: readonly number[];
}

/** All initializers by name; their bytes are views of the file. Throws FormatError for weights in a separate file. */
export function initializersOf(model: Uint8Array): Map<string, Initializer> {
  const found = new Map<string, Initializer>();
  for (const graph of parts(model, GRAPH)) {
    for (const initializer of parts(graph, INITIALIZER)) {
      const shape: number[] = [];
      let [name, type, raw, values]: [string, number, Uint8Array | null, number[]] = ['', 0, null, []];
      for (const part of fields(initializer)) {
        if ('bytes' in part) {
          if (part.field === TENSOR.name) name = words(part.bytes);
          else if (part.field === TENSOR.raw) raw = part.bytes;
          // Other writers pack the dimensions; ours repeats the field.
          else if (part.field === TENSOR.dims) for (const size of packed(part.bytes)) shape.push(size);
          else if (part.field === TENSOR.floats) values = packedFloats(part.bytes);
          else if (part.field === TENSOR.ints) values = packed(part.bytes).map((value) => value | 0);
        } else if (part.field === TENSOR.dims) shape.push(Number(part.value));
        else if (part.field === TENSOR.type) type = Number(part.value);
        else if (part.field === TENSOR.ints) values.push(Number(BigInt.asIntN(32, part.value)));
        else if (part.field === TENSOR.location && part.value === 1n)
          throw new FormatError(
            `The weights of ${name || 'this ONNX file'} lie in a file beside it.`,
            'Use one that holds them.',
          );
      }
      found.set(name, { shape, type, raw, values });
    }
  }
  return found;
}

/** Copies of the f32 initializers by name: the weights of a model that decoder.ts wrote, under Hugging Face's names (with its constants and
 *  rotary tables). Throws FormatError for weights in a separate file. */
export function floatsOf(model: Uint8Array): Map<string, Tensor> {
  const found = new Map<string, Tensor>();
  for (const [name, { shape, type, raw }] of initializersOf(model)) {
    if (type !== FLOAT || raw === null) continue;
    const count = shape.reduce((a, b) => a * b, 1);
    if (raw.length !== 4 * count)
      throw new FormatError(`"${name}" has ${raw.length} bytes for [${shape.join(', ')}] in f32.`, REMEDY);
    found.set(name, { shape, data: new Float32Array(new Uint8Array(raw).buffer) });
  }
  return found;
}

/** A node of the main graph. */
interface OnnxNode {
  name: string;
  operator: string;
  inputs: readonly string[];
  outputs: readonly string[];
}

export function* nodesOf(model: Uint8Array): Generator<OnnxNode> {
  for (const graph of parts(model, GRAPH)) {
    for (const node of parts(graph, NODE)) {
      const inputs: string[] = [];
      const outputs: string[] = [];
      let [name, operator] = ['', ''];
      for (const part of fields(node)) {
        if (!('bytes' in part)) continue;
        if (part.field === INPUT) inputs.push(words(part.bytes));
        else if (part.field === OUTPUT) outputs.push(words(part.bytes));
        else if (part.field === NODE_NAME) name = words(part.bytes);
        else if (part.field === OPERATOR) operator = words(part.bytes);
      }
      yield { name, operator, inputs, outputs };
    }
  }
}

function packedFloats(bytes: Uint8Array): number[] {
  if (bytes.length % 4 !== 0) throw new FormatError(`The ONNX file has ${bytes.length} bytes of floats.`, REMEDY);
  return [...new Float32Array(new Uint8Array(bytes).buffer)];
}

function packed(bytes: Uint8Array): number[] {
  const sizes: number[] = [];
  let [value, scale] = [0, 1];
  for (const byte of bytes) {
    value += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte >= 0x80) continue;
    sizes.push(value);
    [value, scale] = [0, 1];
  }
  return sizes;
}
