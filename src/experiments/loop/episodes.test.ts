// Tests multi-turn episodes in the loop, on the real engine with a small random model: each episode is trained as one masked sequence, no
// token is prefilled twice, and an episode depends neither on its batch nor on where its run was stopped.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { denominator, lossDenominator } from '../../algorithms/grpo-loss.ts';
import { mostTrainedTokens } from '../../engine/episodes/episode.ts';
import { relativeError } from '../../engine/testing/models.ts';
import type { RolloutWork } from '../../engine/types.ts';
import type { Dynamics } from '../../environments/types.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { sum } from '../../stats/index.ts';
import { budgetsOf } from '../config/budgets.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import type { LabEvent, RolloutRecord, RunRecord } from '../records/events.ts';
import { advantagesOf, backwardStep, scoreStep } from '../step/gradient.ts';
import { judgeGroups, sampleGroups } from '../step/groups.ts';
import { rollOut } from '../step/rollouts.ts';
import { episodeTokens } from '../step/sequences.ts';
import { type Talk, talk, talkEnvironment, talkSpec, trainTalk } from '../testing/talk.ts';
import { openTinyLab, type TinyLab } from '../testing/tiny.node.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab();
});
afterAll(() => lab?.close());

const adapterParamsAt = ({ engine }: TinyLab) =>
  Float32Array.from({ length: engine.adapterLayout.total }, (_, i) => 0.1 * Math.sin(i));

/** A step's groups at the given adapter parameters, with their advantages. */
async function stepOf(of: TinyLab, spec: RunSpec, adapterParams: Float32Array) {
  const environment = talkEnvironment();
  of.engine.setAdapterParams(adapterParams);
  const ports = { policy: of.engine, codec: of.codec, dynamics: environment.dynamics };
  const groups = await sampleGroups(ports, environment, [1, 2], spec, 0, {});
  const rewards = (await judgeGroups(environment, groups, environment.models)).map((group) =>
    group.map(({ reward }) => reward),
  );
  return { groups, advantages: advantagesOf(rewards, spec) };
}

describe('the gradient of a step', () => {
  it.each(['dr_grpo', 'grpo', 'dapo'] as const)(
    '%s: is that of every turn under all that came before it, by the episode’s own trained tokens',
    async (lossType) => {
      const spec = talkSpec({ lossType });
      const adapterParams = adapterParamsAt(lab);
      const { groups, advantages } = await stepOf(lab, spec, adapterParams);
      const scored = (await scoreStep({ policy: lab.engine, spec }, adapterParams, groups, advantages))!;
      // Each episode is one sequence.
      expect(scored.sequences).toHaveLength(8);
      expect(scored.sequences.filter(({ mask }) => mask).length).toBeGreaterThan(2);
      const { student, loss } = await backwardStep(scored, spec);
      scored.batch.free();

      const constant = denominator(4, mostTrainedTokens(budgetsOf(spec)), 2);
      const lengths = groups.map(({ rollouts }) =>
        rollouts.map(({ turns }) => sum(turns.map(({ completionIds }) => completionIds.length))),
      );
      expect(scored.size).toEqual({ completions: 8, tokens: sum(lengths.flat()) });
      const turns = groups.flatMap(({ rollouts }, g) =>
        rollouts.flatMap(({ turns }, i) => {
          const divisor = lossDenominator(lossType, lengths[g][i], scored.size, constant);
          let before: number[] = [];
          return turns.map(({ promptIds, completionIds }) => {
            const prompt = [...before, ...promptIds];
            before = [...prompt, ...completionIds];
            const coef = new Float32Array(completionIds.length).fill(-advantages.values[g][i] / divisor);
            return { sequence: { prompt, completion: completionIds, segment: 0 }, coef };
          });
        }),
      );
      const apart = await lab.engine.score(
        turns.map(({ sequence }) => sequence),
        1,
      );
      const [expected] = await apart.backward(turns.map(({ coef }) => coef));
      apart.free();
      expect(student.some((x) => x !== 0)).toBe(true);
      expect(relativeError(student, expected)).toBeLessThan(1e-5);
      expect(loss).toBeCloseTo(sum(turns.map(({ coef }) => sum(Array.from(coef)))), 6);
    },
  );

  it('equals finite differences of the loss', async () => {
    const double = await openTinyLab(undefined, { precision: 'f64' });
    const spec = talkSpec({ lossType: 'grpo', klBeta: 0.05 });
    const acting = { policy: double.engine, spec };
    const at = adapterParamsAt(double);
    const { groups, advantages } = await stepOf(double, spec, at);
    const scored = (await scoreStep(acting, at, groups, advantages))!;
    const { anchors } = scored;
    const { student, teacher } = await backwardStep(scored, spec);
    scored.batch.free();
    const gradient = student.map((x, i) => x + teacher[i]);
    const lossAt = async (adapterParams: Float32Array) => {
      const moved = (await scoreStep(acting, adapterParams, groups, advantages, anchors))!;
      const { loss } = await backwardStep(moved, spec);
      moved.batch.free();
      return loss;
    };
    for (let trial = 0; trial < 2; trial++) {
      const rng = new CounterRng(keyFor(30 + trial, STREAMS.data));
      const direction = Float32Array.from(at, () => rng.normal());
      const slope = async (h: number) => {
        const moved = (by: number) => lossAt(at.map((x, i) => x + by * direction[i]));
        return ((await moved(h)) - (await moved(-h))) / (2 * h);
      };
      const h = 2 ** -8;
      // Richardson extrapolation removes the h² term.
      const numeric = (4 * (await slope(h / 2)) - (await slope(h))) / 3;
      const analytic = gradient.reduce((s, g, i) => s + g * direction[i], 0);
      expect(Math.abs(numeric - analytic) / (Math.abs(analytic) + 1e-2)).toBeLessThan(1e-3);
    }
    await double.close();
  });
});

describe('episodes of a batch', () => {
  const settings = { ...budgetsOf(talkSpec()), temperature: 1 };
  const episodes = [0, 1, 1, 2, 3, 0, 4].map((task, i) => ({
    task,
    key: (turn: number) => keyFor(7, STREAMS.test, i, turn),
  }));
  const ports = (dynamics: Dynamics<number, Talk> = talk) => ({ policy: lab.engine, codec: lab.codec, dynamics });

  it('feed the model every token exactly once', async () => {
    const works: RolloutWork[] = [];
    lab.engine.setAdapterParams(lab.engine.initialAdapterParams);
    const played = await rollOut(ports(), episodes, { ...settings, onWork: (work) => works.push(work) });
    // A prefix shared by several prompts is prefilled once.
    const beginnings = new Set(
      played.flatMap(({ turns: [{ promptIds }] }) => promptIds.map((_, i) => promptIds.slice(0, i + 1).join())),
    );
    const shown = sum(played.flatMap(({ turns }) => turns.slice(1).map(({ promptIds }) => promptIds.length)));
    // The last token of an episode is not fed to the model, since nothing follows it.
    const said = sum(played.map(({ turns }) => episodeTokens(turns)!.trained - 1));
    expect(shown).toBeGreaterThan(0);
    expect(works.map(({ prefilled, decoded }) => ({ prefilled, decoded }))).toEqual([
      { prefilled: beginnings.size + shown, decoded: said },
    ]);
  });

  it('do not depend on each other, on their order, or on the environment’s delay', async () => {
    lab.engine.setAdapterParams(adapterParamsAt(lab));
    const together = await rollOut(ports(), episodes, settings);
    expect(new Set(together.map(({ turns }) => turns.length)).size).toBeGreaterThan(1);
    const backwards = await rollOut(ports(), episodes.toReversed(), settings);
    expect(backwards.toReversed()).toEqual(together);
    for (const i of [0, 3, 6]) expect(await rollOut(ports(), [episodes[i]], settings)).toEqual([together[i]]);

    // Episodes run concurrently: others continue while one environment computes.
    let [underWay, most] = [0, 0];
    const slow: Dynamics<number, Talk> = {
      ...talk,
      act: async (state, completion, ended) => {
        most = Math.max(most, ++underWay);
        for (let i = 0; i < (state.task * 3) % 5; i++) await new Promise((resolve) => setTimeout(resolve, 0));
        underWay--;
        return talk.act(state, completion, ended);
      },
    };
    expect(await rollOut(ports(slow), episodes, settings)).toEqual(together);
    expect(most).toBeGreaterThan(1);
  });

  it('report which budget ran out', async () => {
    const endings = async (changes: Partial<typeof settings>) => {
      const played = await rollOut(ports(), episodes, { ...settings, ...changes });
      return new Set(played.map(({ end }) => end));
    };
    expect(await endings({ maxTurns: 2 })).toEqual(new Set(['maxTurns', 'maxNew']));
    expect(await endings({ maxTokens: 20 })).toContain('maxTokens');
  });
});

describe('a run of several turns', () => {
  const rolloutsOf = (events: readonly LabEvent[]): RolloutRecord[] =>
    events.flatMap((event) => (event.type === 'step' ? event.rollouts : []));
  /** Removes the times of a record. */
  const deterministic = ({ timings: _, ...rest }: RunRecord) => rest;

  it('records turns, what ended them, and token counts; a single-turn run has none of them', async () => {
    const { record, events } = await trainTalk(lab, talkSpec({ steps: 2 }));
    const rollouts = rolloutsOf(events);
    expect(rollouts).toHaveLength(16);
    for (const [i, row] of record.rows.entries()) {
      const ends = rollouts.filter(({ step }) => step === row.step).map(({ end }) => end);
      for (const end of new Set(ends)) expect(row.episodes!.ended[end!]).toBe(ends.filter((e) => e === end).length);
      expect(sum(Object.values(row.episodes!.ended))).toBe(8);
      expect(row.episodes!.turns).toBeGreaterThan(1);
      expect(row.gradNorm).toBeGreaterThan(0);
      // Every turn has at most eight tokens, so a longer mean length counts whole episodes.
      expect(row.completionMeanLength).toBeGreaterThan(8);
      const { prefilled, decoded } = record.timings[i].work!;
      expect(decoded).toBe(row.rolloutTokens - 8);
      expect(prefilled).toBeGreaterThan(0);
    }
    const once = await trainTalk(lab, talkSpec({ steps: 1, maxTurns: 1 }));
    expect(Object.keys(once.record.rows[0])).not.toContain('episodes');
    expect(Object.keys(once.record.timings[0])).not.toContain('work');
    expect(Object.keys(rolloutsOf(once.events)[0])).not.toContain('end');
  });

  it('resumed after a stop within a step gives the same bytes', async () => {
    const spec = talkSpec();
    const whole = await trainTalk(lab, spec);
    const kept = new Map<string, Checkpoint[]>();
    const stop = new AbortController();
    let later = 0;
    const stopping: Dynamics<number, Talk> = {
      ...talk,
      act: async (state, completion, ended) => {
        // Stops the run in the third step, when an episode has had its second turn.
        if (kept.size > 0 && state.heard.length === 1 && ++later === 2) stop.abort();
        return talk.act(state, completion, ended);
      },
    };
    const stopped = trainTalk(
      lab,
      spec,
      { environment: talkEnvironment({ dynamics: stopping }), signal: stop.signal },
      kept,
    );
    await expect(stopped).rejects.toThrow(StoppedError);
    expect(kept.get('test/none/41')!.map(({ step }) => step)).toEqual([2]);
    const resumed = await trainTalk(lab, spec, {}, kept);
    expect(resumed.optimizer).toEqual(whole.optimizer);
    expect(deterministic(resumed.record)).toEqual(deterministic(whole.record));
    expect(rolloutsOf(resumed.events)).toEqual(rolloutsOf(whole.events).filter(({ step }) => step > 2));
    expect(kept.get('test/none/41')!.at(-1)!.optimizer).toEqual(whole.kept.get('test/none/41')!.at(-1)!.optimizer);
  });
});
