import { describe, expect, it } from 'vitest';
import { CODE_ROLLOUTS } from '../../environments/code/presentation.ts';
import type { RolloutRecord } from '../../experiments/records/events.ts';
import { memoryStores } from '../../storage/kv.ts';
import { Records } from '../records/records.ts';
import { headOf } from './rollout-index.ts';

const RUN = 'exp/route/41';
const record = (step: number, sampleIndex: number, completion: string): RolloutRecord => ({
  step,
  promptIndex: 2,
  sampleIndex,
  taskId: 'suffix(b)@sentinel',
  kind: 'sentinel',
  source: 'student',
  turns: [{ prompt: 'Append b', completion, logprobs: [-0.5], ended: true }],
  advantage: 0.25,
  reward: 1.25,
  verdict: {
    formatOk: true,
    passed: true,
    gt_correct: false,
    exploited: true,
    structural: true,
    mechanism: 'sentinel',
    reward: 1.25,
    note: 'timeout',
  },
});

describe('heads of rollouts', () => {
  it('have the fields for filters, and no texts', () => {
    const head = headOf(RUN, record(3, 1, 'a\nb\n\n'), CODE_ROLLOUTS);
    expect(head).toMatchObject({ runId: RUN, step: 3, promptIndex: 2, sampleIndex: 1, reward: 1.25, lines: 2 });
    expect(head).toMatchObject({ outcome: 'exploited', kept: ['exploit code'] });
    expect(Object.keys(head)).not.toContain('turns');
    expect(Object.keys(head)).not.toContain('verdict');
  });

  it('are read by range of steps and by text, in order, for one run', async () => {
    const records = new Records(await memoryStores(), () => 0);
    await records.saveRun({ id: RUN, spec: { environment: 'one-line-python' }, rows: [], evals: [] } as never);
    for (const step of [1, 2, 9, 10]) {
      await records.rollouts.save(RUN, step, [record(step, 0, 'plain'), record(step, 1, 'valid = True')]);
      await records.rollouts.save(`${RUN}0`, step, [record(step, 0, 'other run')]);
    }
    const found = async (from: number, to: number, text: string) =>
      (await records.rollouts.heads(RUN, from, to, text)).map(({ step, sampleIndex }) => [step, sampleIndex]);
    expect(await found(2, 9, '')).toEqual([
      [2, 0],
      [2, 1],
      [9, 0],
      [9, 1],
    ]);
    expect(await found(1, 10, ' VALID =')).toEqual([1, 2, 9, 10].map((step) => [step, 1]));
    // The search also covers prompt, problem and note.
    for (const text of ['append', 'suffix(b)', 'TIMEOUT']) expect(await found(10, 10, text)).toHaveLength(2);
    expect(await found(1, 10, 'nowhere')).toEqual([]);
    expect(await found(3, 8, '')).toEqual([]);
  });
});
