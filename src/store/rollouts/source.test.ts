// Tests rollouts on demand, with a worker that counts its requests.
import { describe, expect, it } from 'vitest';
import { CODE_ROLLOUTS } from '../../environments/code/presentation.ts';
import type { RolloutRecord } from '../../experiments/records/events.ts';
import type { LabClient } from '../../lab/client.ts';
import { headsOf } from '../../lab/protocol/rollout-index.ts';
import { createRolloutSource, STEPS_IN_PAGE } from './source.ts';

const RUN = 'e/route/1';
const record = (step: number, sampleIndex: number) =>
  ({
    step,
    promptIndex: 0,
    sampleIndex,
    taskId: 'p',
    kind: 'sentinel',
    turns: [{ prompt: 'add', completion: sampleIndex === 1 ? 'needle' : 'hay', logprobs: [-1] }],
    reward: 1,
    verdict: { note: null, reward: 1 },
  }) as unknown as RolloutRecord;

function source(inPage: number[] = []) {
  const asked: [string, unknown][] = [];
  const step = (n: number) => [record(n, 0), record(n, 1)];
  const client = {
    async request(kind: string, params: never) {
      asked.push([kind, params]);
      const { runId, from, to, text, step: one, texts } = params as Record<string, never>;
      if (kind === 'rollouts') return { steps: [], rollouts: step(one) };
      if (kind === 'tokenPieces') return (texts as string[]).map((x) => [{ text: x, tokens: 1 }]);
      const steps = Array.from({ length: to - from + 1 }, (_, i) => from + i);
      return steps.flatMap((n) => headsOf(runId, step(n), text, CODE_ROLLOUTS));
    },
  } as unknown as LabClient;
  const rollouts = new Map([[RUN, inPage.map((n) => ({ step: n, rollouts: step(n) }))]]);
  const store = { getState: () => ({ opened: null, live: { rollouts, runs: [] } }) } as never;
  return { source: createRolloutSource({ client, store }), asked };
}

const steps = (...list: number[]) => [{ runId: RUN, steps: list }];

describe('heads', () => {
  it('are requested once, and afterwards only for new steps', async () => {
    const { source: it, asked } = source();
    expect(await it.heads(steps(1, 2, 3), '')).toHaveLength(6);
    await it.heads(steps(2, 3), '');
    const all = await it.heads(steps(1, 2, 3, 4, 5), '');
    expect(all.map((head) => head.step)).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    expect(asked.map(([, params]) => params)).toMatchObject([
      { from: 1, to: 3 },
      { from: 4, to: 5 },
    ]);
  });

  it('are not duplicated if a known step lies between unknown ones', async () => {
    const { source: it } = source();
    await it.heads(steps(2), '');
    expect((await it.heads(steps(1, 2, 3), '')).map((head) => head.step)).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it('come from the page if it has the step, and are searched for the text there', async () => {
    const { source: it, asked } = source([7]);
    expect((await it.heads(steps(7), 'NEEDLE')).map((head) => head.sampleIndex)).toEqual([1]);
    expect(asked).toEqual([]);
  });

  it('of an earlier search are not mixed with those of a later one', async () => {
    const { source: it } = source();
    const [old, found] = await Promise.all([it.heads(steps(1, 2), ''), it.heads(steps(1, 2), 'needle')]);
    expect([old.length, found.length]).toEqual([4, 2]);
    expect(await it.heads(steps(1, 2), 'needle')).toHaveLength(2);
  });
});

describe('texts', () => {
  it('are requested once per step, and the oldest are dropped', async () => {
    const { source: it, asked } = source();
    await Promise.all([it.step(RUN, 1), it.step(RUN, 1)]);
    expect(asked).toHaveLength(1);
    expect(it.peek(RUN, 1)).toHaveLength(2);
    for (let n = 2; n <= STEPS_IN_PAGE + 1; n++) await it.step(RUN, n);
    expect(it.peek(RUN, 1)).toBeUndefined();
    expect(it.peek(RUN, 2)).toHaveLength(2);
  });

  it('lead to one rollout or to none', async () => {
    const { source: it } = source();
    expect(await it.find({ runId: RUN, step: 3, promptIndex: 0, sampleIndex: 1 })).toMatchObject({ step: 3 });
    expect(await it.find({ runId: RUN, step: 3, promptIndex: 0, sampleIndex: 9 })).toBeNull();
  });
});

it('requests the tokens of a text once', async () => {
  const { source: it, asked } = source();
  expect(await it.pieces(['a', 'b', 'a'], 'm')).toEqual([
    [{ text: 'a', tokens: 1 }],
    [{ text: 'b', tokens: 1 }],
    [{ text: 'a', tokens: 1 }],
  ]);
  await it.pieces(['b', 'c'], 'm');
  expect(asked.map(([, params]) => params)).toEqual([
    { texts: ['a', 'b'], modelSha256: 'm' },
    { texts: ['c'], modelSha256: 'm' },
  ]);
});
