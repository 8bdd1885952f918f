// Tests the session with exports unlike ours: newer ones of onnx-community take `num_logits_to_keep` and return only the last positions,
// and those in f16 have caches and logits in f16. A graph of two tables replaces a model.
import { expect, it } from 'vitest';
import { SMALL } from '../../engine/testing/models.ts';
import { halfToFloat } from '../../lib/half.ts';
import { joinParts } from '../../lib/streams.ts';
import { GraphBuilder } from './graph.ts';
import { OnnxDecoder } from './session.ts';

const VOCAB = 8;
const WIDTH = 2;
const config = { ...SMALL.qwen3, layers: 1, kvHeads: 1, headDim: WIDTH, vocab: VOCAB };
const range = (count: number, scale: number) => Float32Array.from({ length: count }, (_, i) => i * scale);
const logitTable = range(VOCAB * VOCAB, 0.5);

/** Logits and caches are the token's row of a table, in f32 or f16; only the last `num_logits_to_keep` positions have logits. */
function tables(type: 'f32' | 'f16'): Uint8Array {
  const g = new GraphBuilder('tables');
  const ids = g.input('input_ids', 'i64', ['batch', 'sequence']);
  g.input('attention_mask', 'i64', ['batch', 'total']);
  const kept = g.input('num_logits_to_keep', 'i64', []);
  const cast = (value: string) => g.node('Cast', [value], { to: type === 'f32' ? 1 : 10 });
  for (const kind of ['key', 'value']) {
    const past = g.input(`past_key_values.0.${kind}`, type, ['batch', 1, 'past', WIDTH]);
    const own = g.node('Gather', [g.weight(`${kind}s`, [VOCAB, WIDTH], range(VOCAB * WIDTH, 1)), ids]);
    const row = cast(g.node('Unsqueeze', [own, g.constant([1])]));
    g.node('Concat', [past, row], { axis: 2 }, `present.0.${kind}`);
    g.output(`present.0.${kind}`, type, ['batch', 1, 'total', WIDTH]);
  }
  const all = cast(g.node('Gather', [g.weight('logit.table', [VOCAB, VOCAB], logitTable), ids]));
  const from = g.node('Neg', [g.node('Unsqueeze', [kept, g.constant([0])])]);
  g.node('Slice', [all, from, g.constant([1000]), g.constant([1])], {}, 'logits');
  g.output('logits', type, ['batch', 'kept', VOCAB]);
  return joinParts(g.finish('test', {}).model);
}

it.each(['f32', 'f16'] as const)(
  'asks an export in %s for the last position alone, and keeps its cache',
  async (type) => {
    const decoder = await OnnxDecoder.open(tables(type), config);
    const rowOf = (id: number) => [...logitTable.subarray(id * VOCAB, (id + 1) * VOCAB)];
    const first = await decoder.run(
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      null,
    );
    expect([...first.logits]).toEqual([...rowOf(3), ...rowOf(6)]);
    const swapped = await decoder.takeRows(first.past, [1, 0, 1]);
    expect(swapped).toMatchObject({ rows: 3, length: 3 });
    const next = await decoder.run([[7], [0], [2]], swapped);
    expect([...next.logits]).toEqual([...rowOf(7), ...rowOf(0), ...rowOf(2)]);
    expect(next.past).toMatchObject({ rows: 3, length: 4 });
    // The graph itself concatenates the cache: the taken rows, and one new position each. Data of f16 are raw bits on the host.
    const keys = (await next.past.tensors.get('past_key_values.0.key')!.getData()) as Float32Array | Uint16Array;
    const values = type === 'f32' ? keys : halfToFloat(new Uint16Array(keys.buffer, keys.byteOffset, keys.length));
    const [a, b] = [
      [8, 9, 10, 11, 12, 13],
      [2, 3, 4, 5, 6, 7],
    ];
    expect([...values]).toEqual([...a, 14, 15, ...b, 0, 1, ...a, 4, 5]);
    await decoder.free();
  },
);

it('refuses a cache of another kind', async () => {
  const g = new GraphBuilder('longs');
  const ids = g.input('input_ids', 'i64', ['batch', 'sequence']);
  g.input('attention_mask', 'i64', ['batch', 'total']);
  for (const kind of ['key', 'value']) {
    const past = g.input(`past_key_values.0.${kind}`, 'i64', ['batch', 1, 'past', WIDTH]);
    g.node('Identity', [past], {}, `present.0.${kind}`);
    g.output(`present.0.${kind}`, 'i64', ['batch', 1, 'past', WIDTH]);
  }
  g.node('Gather', [g.weight('t', [VOCAB, VOCAB], logitTable), ids], {}, 'logits');
  g.output('logits', 'f32', ['batch', 'sequence', VOCAB]);
  const work = OnnxDecoder.open(joinParts(g.finish('test', {}).model), config);
  await expect(work).rejects.toThrow(/past_key_values\.0\.key in int64/);
});
