// Tests entropy and KL of stored rollouts through the worker's own handlers: against what training measured for the same tokens, and
// without stored weights of a step.
import { afterEach, describe, expect, it } from 'vitest';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import { memoryStores } from '../../storage/kv.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import { closeTestWorkers, openTestWorker } from '../testing/worker.ts';

afterEach(closeTestWorkers);

const overrides = {
  steps: 3,
  warmupFrac: 0,
  maxNew: 3,
  groupSize: 8,
  problems: 8,
  evalEvery: 0,
  pairs: 6,
  k: 2,
  weightDecay: 0.1,
};
const spec = parseExperimentSpec({
  preset: 'smoke',
  arms: ['route-update', 'erase'],
  seeds: [41],
  device: 'cpu',
  overrides: { ...overrides, mix: 0.5, lr: 0.3, finalEvalProblems: 2 },
});
const done = (event: WorkerEvent) =>
  event.type === 'experiment' && !['waiting', 'running'].includes(event.summary.status);
const sum = (values: readonly number[]) => values.reduce((total, x) => total + x, 0);
function softmax(logits: Float32Array): number[] {
  const most = Math.max(...logits);
  const weights = Array.from(logits, (x) => Math.exp(x - most));
  const total = sum(weights);
  return weights.map((x) => x / total);
}

describe('entropy and KL of a stored rollout’s tokens', () => {
  it('use the step’s own weights, or the untrained model if these are not stored', async () => {
    const { ask, until, records, equipment } = await openTestWorker(await memoryStores());
    await ask('start', { id: 'e', spec });
    await until(done);
    const { runs } = await ask('kept.load', { kind: 'run', id: 'e' });
    const [routed, erased] = ['route-update', 'erase'].map((arm) => runs.find((run) => run.spec.arm === arm)!);
    const measured = async (runId: string, step: number) => {
      const { rollouts } = await ask('rollouts', { runId, step });
      const prompts = [...new Set(rollouts.map(({ promptIndex }) => promptIndex))];
      const found = [];
      for (const promptIndex of prompts) {
        const { of, rollouts: own } = await ask('measureTokens', { task: 't', runId, step, promptIndex });
        for (const { sampleIndex, ...rest } of own) {
          const record = rollouts.find((one) => one.promptIndex === promptIndex && one.sampleIndex === sampleIndex)!;
          found.push({ of, record, ...rest });
        }
      }
      return found;
    };

    // The expected values are computed by hand: the logits of both models at every token of one rollout, with the last step's weights
    // summed from the stored updates.
    const { policy, codec } = equipment.current!;
    const total = policy.initialAdapterParams.slice();
    const updates = (await records.steps.load(routed.id))!.slice(0, 2);
    expect(updates.flat().length).toBeGreaterThan(0);
    for (const [step, delta] of updates.flatMap((deltas, step) => deltas.map((delta) => [step, delta] as const)))
      for (const i of total.keys())
        total[i] = Math.fround(total[i] * (1 - routed.rows[step].lr * overrides.weightDecay)) - delta[i];
    const last = (await measured(routed.id, 3)).filter(({ record }) => record.source === 'student');
    expect(new Set(last.map(({ of }) => of))).toEqual(new Set(['policy']));
    const { record, entropy, kl } = last.find((one) => one.entropy !== null)!;
    const [{ prompt, completion, logprobs }] = record.turns;
    const [before, said] = [codec.encodeChat(prompt), codec.encode(completion)];
    const ids = [...before, ...said];
    const distributions = async (params: Float32Array) => {
      policy.setAdapterParams(params);
      const logits = await policy.logits(ids);
      const { vocab } = policy.config;
      return logprobs!.map((_, t) => softmax(logits.subarray((before.length + t - 1) * vocab).subarray(0, vocab)));
    };
    const [p, p0] = [await distributions(total), await distributions(policy.initialAdapterParams)];
    const byHand = (f: (x: number, y: number) => number) => p.map((row, t) => sum(row.map((x, i) => f(x, p0[t][i]))));
    expect(entropy![0]).toHaveLength(logprobs!.length);
    for (const [t, x] of byHand((x) => -x * Math.log(x)).entries()) expect(entropy![0][t]).toBeCloseTo(x, 4);
    for (const [t, x] of byHand((x, y) => x * Math.log(x / y)).entries()) expect(kl![0][t]).toBeCloseTo(x, 4);
    expect(sum(kl![0])).toBeGreaterThan(1e-3);

    const first = (await measured(routed.id, 1)).filter((one) => one.entropy !== null);
    expect(first.length).toBeGreaterThan(0);
    for (const own of first) expect(sum(own.kl!.flat())).toBeCloseTo(0, 4);

    // Erase stores no steps: the weights of its first step are the untrained model's; for a later one only the sampled tokens' log-ratio is
    // known.
    expect((await measured(erased.id, 1))[0].of).toBe('policy');
    const later = await measured(erased.id, 3);
    const known = later.filter((one) => one.record.source === 'student' && one.kl !== null);
    expect(later.map(({ of }) => of)).toEqual(later.map(() => 'untrained'));
    expect(known.some(({ kl }) => kl!.flat().some((x) => Math.abs(x) > 1e-4))).toBe(true);
    for (const { kl, why, record } of later)
      if (!record.turns[0].logprobs) expect([kl, why]).toEqual([null, expect.any(String)]);

    // Weights that are not the step's are detected by the stored probabilities.
    await records.steps.append(routed.id, 1, [total.map((x) => 40 * x)]);
    const strange = (await measured(routed.id, 2)).filter((one) => one.record.source === 'student');
    expect(strange.map(({ entropy }) => entropy)).toEqual(strange.map(() => null));
    expect(strange.some(({ why }) => /other log-probabilities/.test(why!))).toBe(true);
    await expect(ask('measureTokens', { task: 't', runId: 'none', step: 1, promptIndex: 0 })).rejects.toThrow(
      /not stored/,
    );
  });
});
