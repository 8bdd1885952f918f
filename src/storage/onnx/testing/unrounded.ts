// A dynamically quantised ONNX file without quantised activations: the graph and weight bytes are the same, but each DynamicQuantizeLinear
// passes on its input with the scale 1, and each MatMulInteger multiplies in f32 by q − zero. The only remaining difference from a model of
// the widened weights is f32 rounding, so tokens can be compared one by one.
import { joinParts } from '../../../lib/streams.ts';
import { Message } from '../protobuf.ts';
import { FLOAT, fields, GRAPH, INITIALIZER, initializersOf, NODE, nodesOf } from '../read.ts';

export function unrounded(model: Uint8Array): Uint8Array<ArrayBuffer> {
  const nodes = nodesOf(model);
  const initializers = initializersOf(model);
  const names = initializers.keys();
  // Replaced initializers are left out, since onnxruntime warns about unused ones.
  const replaced = new Set(
    [...nodesOf(model)].flatMap(({ operator, inputs }) => (operator === 'MatMulInteger' ? [inputs[1], inputs[3]] : [])),
  );
  const graph = new Message();
  const floats = (name: string, shape: readonly number[], data: Float32Array) => {
    const tensor = new Message();
    for (const size of shape) tensor.int(1, size);
    graph.message(INITIALIZER, tensor.int(2, FLOAT).text(8, name).bytes(9, new Uint8Array(data.buffer)));
  };
  const node = (operator: string, inputs: readonly string[], output: string) => {
    const made = new Message();
    for (const input of inputs) made.text(1, input);
    graph.message(NODE, made.text(2, output).text(4, operator));
  };
  const whole = new Message();
  for (const part of fields(model)) {
    if (!('bytes' in part)) whole.int(part.field, part.value);
    else if (part.field !== GRAPH) whole.bytes(part.field, part.bytes);
    else {
      for (const inner of fields(part.bytes)) {
        if (!('bytes' in inner)) continue;
        if (inner.field === INITIALIZER && replaced.has(names.next().value ?? '')) continue;
        const found = inner.field === NODE ? nodes.next().value : undefined;
        if (found?.operator === 'DynamicQuantizeLinear') {
          const [quantised, scale] = found.outputs;
          node('Identity', found.inputs, quantised);
          floats(scale, [], Float32Array.of(1));
        } else if (found?.operator === 'MatMulInteger') {
          const [x, weight, , zero] = found.inputs;
          const { shape, raw } = initializers.get(weight)!;
          const q = new Int8Array(raw!.buffer, raw!.byteOffset, raw!.byteLength);
          const shift = initializers.get(zero)!.values[0];
          floats(
            `${weight}.f32`,
            shape,
            Float32Array.from(q, (value) => value - shift),
          );
          node('MatMul', [x, `${weight}.f32`], found.outputs[0]);
        } else graph.bytes(inner.field, inner.bytes);
      }
      whole.message(GRAPH, graph);
    }
  }
  return joinParts(whole.parts);
}
