// Tests the budget for thoughts on a real engine: where a thought is cut, which tokens are not trained, that the other tokens are unchanged,
// and the record.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneTurn } from '../../environments/types.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { FORCED_END } from '../../text/thinking.ts';
import { openTinyLab, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import { rollOut } from './rollouts.ts';
import { episodeTokens } from './sequences.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab();
});
afterAll(() => lab.close());

const BUDGET = 6;
const acted: [string, boolean | undefined][] = [];
const one = oneTurn<{ prompt: string }>('x');
const dynamics: typeof one = {
  ...one,
  act: async (state, completion, ended) => {
    acted.push([completion, ended]);
    return one.act(state, completion, ended);
  },
};

/** Twelve sampled episodes of one prompt; a forced end is about ten tokens in this vocabulary. */
async function play(prompt: string, thinkingBudget: number, maxNew = 30) {
  acted.length = 0;
  const episodes = Array.from({ length: 12 }, (_, i) => ({
    task: { prompt },
    key: (turn: number) => keyFor(5, STREAMS.rollout, i, turn),
  }));
  const settings = { maxNew, maxTokens: maxNew, maxTurns: 1, temperature: 1, thinking: 'strip' as const };
  const ports = { policy: lab.engine, codec: lab.codec, dynamics };
  return (await rollOut(ports, episodes, { ...settings, thinkingBudget })).map(({ turns }) => turns);
}

/** Asserts that teacher-forced log-probabilities of the trained tokens equal those at sampling. */
async function expectSampled(turns: Awaited<ReturnType<typeof play>>[number]) {
  const { written, trained, ...sequence } = episodeTokens(turns)!;
  const batch = await lab.engine.score([{ ...sequence, segment: 0 }], 1);
  batch.free();
  expect(batch.logprobs[0]).toHaveLength(trained);
  for (const [t, logprob] of batch.logprobs[0].entries()) expect(logprob).toBeCloseTo(written![t], 4);
}

describe('a thought beyond its budget', () => {
  it('is ended by the lab: the end is shown, not trained, and the answer follows within maxNew', async () => {
    const whole = await play('a<think>\n', 0);
    const cut = await play('a<think>\n', BUDGET);
    const forced = cut.filter((turns) => turns.length === 2);
    expect(forced.length).toBeGreaterThan(5);
    for (const [i, turns] of cut.entries()) {
      const [thought, answer] = turns;
      // Up to the budget the tokens equal those of a run without one.
      expect(thought.completionIds).toEqual(whole[i][0].completionIds.slice(0, BUDGET));
      await expectSampled(turns);
      if (!answer) {
        expect(thought).toMatchObject({ ended: true, thought: { isUnclosed: true } });
        continue;
      }
      expect(answer).toMatchObject({ prompt: FORCED_END, promptIds: lab.codec.encode(FORCED_END) });
      expect(thought).toMatchObject({ ended: false, thought: { tokens: BUDGET, isUnclosed: true } });
      expect(answer.thought).toEqual({ tokens: 0, isUnclosed: false, isOpened: false });
      const { mask, completion } = episodeTokens(turns)!;
      expect(Array.from(mask!).filter((bit) => bit === 0)).toHaveLength(answer.promptIds.length);
      expect(completion.length).toBeLessThanOrEqual(30);
      if (!answer.ended) expect(completion).toHaveLength(30);
      // Tools see only the answer.
      expect(acted).toContainEqual([answer.completion.replace(/^\n+/, ''), answer.ended]);
    }
    expect(acted).toHaveLength(12);
  });

  it('that does not occur leaves the answer unchanged, in one turn', async () => {
    const cut = await play('a', BUDGET);
    const long = cut.filter(([{ completionIds }]) => completionIds.length > BUDGET);
    expect(long.length).toBeGreaterThan(5);
    for (const turns of cut) {
      expect(turns).toHaveLength(1);
      expect(turns[0].thought?.isUnclosed).toBe(false);
      await expectSampled(turns);
      if (!turns[0].ended) expect(turns[0].completionIds).toHaveLength(30);
    }
    expect(await play('a', BUDGET)).toEqual(cut);
  });

  it('is refused if it leaves no room for an answer', async () => {
    await expect(play('a<think>\n', BUDGET, 10)).rejects.toBeInstanceOf(SpecError);
    await expect(play('a<think>\n', BUDGET, 10)).rejects.toThrow(/leave no answer of maxNew = 10/);
    const refused = (overrides: object) => () => tinySpec({ arms: ['none'], overrides });
    expect(refused({ thinkingBudget: 10, maxNew: 10 })).toThrow(/thought and answer have maxNew tokens together/);
    expect(refused({ thinkingBudget: 4, maxTurns: 2, environment: 'lookup' })).toThrow(
      /thinkingBudget = 4 with maxTurns = 2/,
    );
  });
});

describe('a run of a model that thinks', () => {
  const about = { modelId: 'tiny-coder', modelSha256: 'random', appVersion: 'test' };
  const spec = (overrides: object) =>
    tinySpec({ arms: ['none'], overrides: { steps: 1, mix: 0, evalEvery: 0, ...overrides } });
  const first = async (overrides: object, knowsThinking?: boolean) => {
    const known = knowsThinking === undefined ? {} : { knowsThinking };
    const { result } = await runTiny(lab, spec(overrides), { about: { ...about, ...known } });
    const [{ thinking, rows, spec: ran }] = result.runs;
    return { thinking, row: rows[0], ran };
  };

  it.each([
    ['an embedded model', {}, undefined, undefined, false],
    ['a template that knows thoughts', {}, true, 'strip', true],
    ['a template that does not', {}, false, 'keep', false],
    ['keep', { thinking: 'keep' }, true, 'keep', true],
    ['strip', { thinking: 'strip' }, undefined, 'strip', true],
  ] as const)('%s: its record says what was judged', async (_, overrides, knows, thinking, isCounted) => {
    const found = await first(overrides, knows);
    expect(found.thinking).toBe(thinking);
    expect('thinkingMeanLength' in found.row).toBe(isCounted);
    // An option at its default is not recorded.
    expect(['chatArgs', 'thinkingBudget', 'thinking'].filter((name) => name in found.ran)).toEqual(
      Object.keys(overrides),
    );
    if (isCounted) expect(found.row).toMatchObject({ thinkingMeanLength: 0, thinkingUnclosedRatio: 0 });
  });

  it('trains with a budget', async () => {
    const { row, ran } = await first({ thinkingBudget: 3, maxNew: 20 });
    expect(ran.thinkingBudget).toBe(3);
    expect(row).toMatchObject({ thinkingMeanLength: 0, thinkingUnclosedRatio: 0 });
  });
});
