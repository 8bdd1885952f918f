// An ONNX graph under construction: nodes, initializers, inputs and outputs, written as a ModelProto.
// Field numbers are those of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto), IR version 8.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { Message } from './protobuf.ts';

const IR_VERSION = 8;
/** The newest version whose ReduceMean takes its axes as an attribute; every runtime in use supports it. */
const OPSET = 17;
/** A protobuf message has at most 2 GiB; everything but the weights is small. */
const MOST_BYTES = 2 ** 31 - 2 ** 24;

const ELEMENT = { f32: 1, i64: 7, f16: 10 } as const;
const ATTRIBUTE = { float: 1, int: 2, ints: 7 } as const;
const EXTERNAL = 1;

type ElementType = keyof typeof ELEMENT;
/** A number, or the name of a dimension that is known when the model runs. */
type Dimension = number | string;
/** Integers become INT, lists INTS; a FLOAT has an object. */
type Attribute = number | readonly number[] | { float: number };

export interface OnnxFile {
  /** The model file, as parts to be written in order. */
  model: readonly Uint8Array[];
  /** The weight file beside it; empty if the model contains them. */
  external: readonly Uint8Array[];
}

export class GraphBuilder {
  readonly #graph = new Message();
  readonly #nodes: Message[] = [];
  readonly #initializers = new Map<string, Message>();
  readonly #external: Uint8Array[] = [];
  #externalBytes = 0;
  #names = 0;

  /** `externalFile`: name of the weight file, for models beyond 2 GiB; without it the model file contains them. */
  constructor(
    name: string,
    private readonly externalFile: string | null = null,
  ) {
    this.#graph.text(2, name);
  }

  input(name: string, type: ElementType, shape: readonly Dimension[]): string {
    this.#graph.message(11, valueInfo(name, type, shape));
    return name;
  }

  /** Makes a node's output an output of the graph under that name. */
  output(value: string, type: ElementType, shape: readonly Dimension[]): void {
    this.#graph.message(12, valueInfo(value, type, shape));
  }

  /** Adds a frozen f32 tensor, once per name. */
  weight(name: string, shape: readonly number[], data: Float32Array): string {
    if (this.#initializers.has(name)) return name;
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const tensor = tensorOf(name, 'f32', shape);
    if (this.externalFile === null) tensor.bytes(9, bytes);
    else {
      const place = { location: this.externalFile, offset: String(this.#externalBytes), length: String(bytes.length) };
      for (const [key, value] of Object.entries(place)) tensor.message(13, entry(key, value));
      tensor.int(14, EXTERNAL);
      this.#external.push(bytes);
      this.#externalBytes += bytes.length;
    }
    this.#initializers.set(name, tensor);
    return name;
  }

  /** Adds a small constant: integers as i64 [values.length], or one f32 or i64 scalar. */
  constant(value: readonly number[] | { float: number } | { int: number }): string {
    const name = `const.${JSON.stringify(value)}`;
    if (this.#initializers.has(name)) return name;
    const tensor =
      'float' in value
        ? tensorOf(name, 'f32', []).bytes(9, new Uint8Array(Float32Array.of(value.float).buffer))
        : 'int' in value
          ? tensorOf(name, 'i64', []).bytes(9, longs([value.int]))
          : tensorOf(name, 'i64', [value.length]).bytes(9, longs(value));
    this.#initializers.set(name, tensor);
    return name;
  }

  /** Adds a node with one output and returns that output's name. */
  node(op: string, inputs: readonly string[], attributes: Record<string, Attribute> = {}, output?: string): string {
    return this.nodes(op, inputs, attributes, [output ?? this.#fresh(op)])[0];
  }

  /** Adds a node with several outputs; `outputs` is their number or their names. */
  nodes(
    op: string,
    inputs: readonly string[],
    attributes: Record<string, Attribute>,
    outputs: number | readonly string[],
  ): string[] {
    const names = typeof outputs === 'number' ? Array.from({ length: outputs }, () => this.#fresh(op)) : [...outputs];
    const node = new Message();
    for (const name of inputs) node.text(1, name);
    for (const name of names) node.text(2, name);
    node.text(3, `${op}:${names[0]}`).text(4, op);
    for (const [name, value] of Object.entries(attributes)) node.message(5, attributeOf(name, value));
    this.#nodes.push(node);
    return names;
  }

  /** Returns the whole file. Throws FormatError if weights inside the model exceed protobuf's limit. */
  finish(producer: string, metadata: Readonly<Record<string, string>>): OnnxFile {
    for (const node of this.#nodes) this.#graph.message(1, node);
    for (const tensor of this.#initializers.values()) this.#graph.message(5, tensor);
    const model = new Message().int(1, IR_VERSION).text(2, producer);
    model.message(8, new Message().text(1, '').int(2, OPSET));
    for (const [key, value] of Object.entries(metadata)) model.message(14, entry(key, value));
    model.message(7, this.#graph);
    if (model.length > MOST_BYTES) {
      throw new FormatError(
        `An ONNX file of ${(model.length / 2 ** 30).toFixed(2)} GiB cannot be: protobuf ends at 2 GiB.`,
        'Keep its weights in a file beside it.',
      );
    }
    return { model: model.parts, external: this.#external };
  }

  #fresh(op: string): string {
    return `${op.toLowerCase()}.${this.#names++}`;
  }
}

function longs(values: readonly number[]): Uint8Array {
  return new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
}

function entry(key: string, value: string): Message {
  return new Message().text(1, key).text(2, value);
}

function tensorOf(name: string, type: ElementType, shape: readonly number[]): Message {
  const tensor = new Message();
  for (const size of shape) tensor.int(1, size);
  return tensor.int(2, ELEMENT[type]).text(8, name);
}

function valueInfo(name: string, type: ElementType, shape: readonly Dimension[]): Message {
  const dims = new Message();
  for (const size of shape)
    dims.message(1, typeof size === 'number' ? new Message().int(1, size) : new Message().text(2, size));
  const tensorType = new Message().int(1, ELEMENT[type]).message(2, dims);
  return new Message().text(1, name).message(2, new Message().message(1, tensorType));
}

function attributeOf(name: string, value: Attribute): Message {
  const message = new Message().text(1, name);
  if (typeof value === 'number') return message.int(3, value).int(20, ATTRIBUTE.int);
  if ('float' in value) return message.float(2, value.float).int(20, ATTRIBUTE.float);
  for (const item of value) message.int(8, item);
  return message.int(20, ATTRIBUTE.ints);
}
