// Tests that an ONNX file is read back as written, and that a broken file is refused with a message.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { randomWeights, SMALL } from '../../engine/testing/models.ts';
import { weightShapes } from '../../engine/weight-names.ts';
import { joinParts } from '../../lib/streams.ts';
import { decoderOnnx } from './decoder.ts';
import { Message } from './protobuf.ts';
import { floatsOf, operatorsOf } from './read.ts';

const config = SMALL.qwen2;
const weights = randomWeights(config, 4);
const file = joinParts(decoderOnnx(config, weights).model);

describe('reading an ONNX file', () => {
  it('returns every weight under its name, bit for bit', () => {
    const found = floatsOf(file);
    for (const [name, shape] of weightShapes(config)) {
      expect(found.get(name)?.shape, name).toEqual(shape);
      expect(found.get(name)?.data, name).toEqual(weights.get(name)!.data);
    }
    expect(found.get('rope.cos')?.shape).toEqual([config.maxPositions, config.headDim / 2]);
    expect(found.has('no such weight')).toBe(false);
  });

  it('names the operators', () => {
    const found = operatorsOf(file);
    for (const name of ['Gather', 'Gemm', 'MatMul', 'Softmax']) expect(found).toContain(name);
    expect(found).not.toContain('DynamicQuantizeLinear');
  });

  it('reads packed sizes of another writer, and skips other types', () => {
    const tensor = (type: number) =>
      new Message()
        .bytes(1, Uint8Array.of(2, 0x81, 0x01))
        .int(2, type)
        .text(8, `t${type}`);
    const raw = new Uint8Array(Float32Array.from({ length: 258 }, (_, i) => i).buffer);
    const graph = new Message().message(5, tensor(1).bytes(9, raw)).message(5, tensor(3).bytes(9, raw));
    const found = floatsOf(joinParts(new Message().message(7, graph).parts));
    expect([...found.keys()]).toEqual(['t1']);
    expect(found.get('t1')?.shape).toEqual([2, 129]);
    expect(found.get('t1')?.data[257]).toBe(257);
  });

  it('refuses truncated and contradictory files, and weights in other files', () => {
    for (const at of [1, 100, file.length >> 1, file.length - 1])
      expect(() => floatsOf(file.subarray(0, at)), String(at)).toThrow(FormatError);
    const short = new Message().int(1, 3).int(2, 1).text(8, 'w').bytes(9, new Uint8Array(8));
    const whole = (tensor: Message) => joinParts(new Message().message(7, new Message().message(5, tensor)).parts);
    expect(() => floatsOf(whole(short))).toThrow(/"w" has 8 bytes for \[3\]/);
    const apart = joinParts(decoderOnnx(config, weights, { externalFile: 'model.onnx_data' }).model);
    expect(() => floatsOf(apart)).toThrow(/lie in a file beside it/);
    expect(() => operatorsOf(Uint8Array.of(0x0b))).toThrow(/wire type 3/);
  });
});
