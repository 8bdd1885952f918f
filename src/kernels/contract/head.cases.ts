// Cases of the head: log-probabilities, divergences, sampling, with awkward sizes, for tests that compare implementations.
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { distinct, floats, indices, type KernelCase, make } from '../testing/case.ts';

export function headCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const [rows, vocab] of [
    [1, 1],
    [3, 7],
    [6, 130],
    [4, 512],
  ]) {
    const logits = () => floats(r, rows * vocab, 3);
    const targets = indices(r, rows + 2, vocab);
    cases.push(make('logprob', [logits(), targets, floats(r, (rows + 2) * 3)], { rows, vocab, rowOff: 2 }));
    const x = logits();
    const stats = withLse(new Float32Array((rows + 2) * 3), x, rows, vocab);
    cases.push(make('logprob_grad', [x, targets, stats, floats(r, rows + 2)], { rows, vocab, rowOff: 2 }));
    cases.push(...divergenceCases(rows, vocab));
    cases.push(entropyCase(rows, vocab));
    cases.push(manyEndsCase(rows, vocab));
    const maxNew = 3;
    const slots = rows + 3;
    for (const temperature of [0, 0.7, 1])
      cases.push(
        make(
          'sample',
          [
            logits(),
            distinct(r, rows, slots),
            Uint32Array.from({ length: slots * 2 }, () => r.uint32()),
            Uint32Array.from({ length: slots }, (_, i) => (i % 4 === 3 ? 1 : 0)),
            new Uint32Array(slots * maxNew),
            new Float32Array(slots * maxNew),
            new Uint32Array(rows),
            Uint32Array.from({ length: rows }, (_, i) => i % 2),
          ],
          { rows, vocab, t: 1, maxNew, temperature, endA: 0, endB: 3, padToken: vocab, ends: 0, endsAt: 0 },
        ),
      );
  }
  return cases;
}

/** Draws from its own stream, so that other cases keep their numbers; the last token is never sampled. */
function entropyCase(rows: number, vocab: number): KernelCase {
  const r = CounterRng.of(37, STREAMS.test, vocab);
  const logits = floats(r, rows * vocab, 3);
  if (vocab > 1) logits[rows * vocab - 1] = -1e4;
  const stats = withLse(floats(r, (rows + 2) * 3), logits, rows, vocab);
  for (let i = 0; i < rows; i++) {
    const lse = stats[(i + 2) * 3 + 1];
    stats[(i + 2) * 3 + 2] = logits
      .subarray(i * vocab, (i + 1) * vocab)
      .reduce((sum, l) => sum - Math.exp(l - lse) * (l - lse), 0);
  }
  const known = [indices(r, rows + 2, vocab), stats, floats(r, rows + 2), floats(r, rows + 2)];
  return make('logprob_entropy_grad', [logits, ...known], { rows, vocab, rowOff: 2 });
}

/** Every other token ends a sequence: the first two are parameters, the others are stored after the keys. These cases draw from their own stream
 *  too. */
function manyEndsCase(rows: number, vocab: number): KernelCase {
  const r = CounterRng.of(41, STREAMS.test, vocab);
  const [maxNew, slots] = [1, rows];
  const [endA, endB, ...more] = Array.from({ length: Math.min(64, vocab + 3) }, (_, i) => 2 * i);
  const inputs = [
    floats(r, rows * vocab, 3),
    distinct(r, rows, slots),
    Uint32Array.from([...Array.from({ length: slots * 2 }, () => r.uint32()), ...more]),
    ...[new Uint32Array(slots), new Uint32Array(slots * maxNew), new Float32Array(slots * maxNew)],
    ...[new Uint32Array(rows), new Uint32Array(rows)],
  ];
  const ends = { endA, endB, ends: more.length, endsAt: slots * 2 };
  return make('sample', inputs, { rows, vocab, t: 0, maxNew, temperature: 1, padToken: vocab, ...ends });
}

/** Stats [rows + 2, 3] with each row's log-sum-exp in place. */
function withLse(stats: Float32Array, logits: Float32Array, rows: number, vocab: number): Float32Array {
  for (let i = 0; i < rows; i++)
    stats[(i + 2) * 3 + 1] = Math.log(
      logits.subarray(i * vocab, (i + 1) * vocab).reduce((sum, l) => sum + Math.exp(l), 0),
    );
  return stats;
}

/** These cases draw from their own stream, so that others keep their numbers. */
function divergenceCases(rows: number, vocab: number): KernelCase[] {
  const r = CounterRng.of(31, STREAMS.test, vocab);
  const logits = floats(r, rows * vocab, 3);
  const teacher = floats(r, rows * vocab, 3);
  const statsOf = (x: Float32Array) => withLse(floats(r, (rows + 2) * 3), x, rows, vocab);
  const inputs = [logits, teacher, statsOf(logits), statsOf(teacher)];
  const kl = floats(r, rows + 2).map(Math.abs);
  const params = { rows, vocab, rowOff: 2 };
  return [
    make('reverse_kl', [...inputs, kl], params),
    make('reverse_kl_grad', [...inputs, kl, floats(r, rows + 2)], params),
  ];
}
