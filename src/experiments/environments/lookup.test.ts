// Tests the questions with tools as an environment: its presets, its metrics, and a whole multi-turn run of a few steps.

import { describe, expect, it } from 'vitest';
import { trainedTokens } from '../../engine/episodes/episode.ts';
import type { Policy, Sequence } from '../../engine/types.ts';
import { LOOKUP_ROLLOUTS, LOOKUP_SPLITS } from '../../environments/lookup/presentation.ts';
import { lookupDrawn, lookupMetrics } from '../../environments/lookup/reward.ts';
import type { LookupVerdict } from '../../environments/lookup/task.ts';
import { EMBEDDED_MODELS } from '../config/preset-in.ts';
import { parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import type { LabEvent, RolloutRecord } from '../records/events.ts';
import { openModelLab, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import { drawnMaker } from './drawn.ts';
import { ENVIRONMENTS, environmentNamed, pretrainingOf } from './registry.ts';

const lookupMaker = drawnMaker(lookupDrawn, LOOKUP_SPLITS);
const environment = 'lookup';
const specOf = (overrides: object = {}, arms?: readonly string[]) =>
  parseExperimentSpec({ preset: 'demo', overrides: { environment, ...overrides }, ...(arms ? { arms } : {}) });

const verdict = (changes: Partial<LookupVerdict> = {}): LookupVerdict => ({
  answer: '2',
  value: '2',
  expected: '2',
  correct: true,
  formatOk: true,
  turns: 2,
  answered: 1,
  refused: 0,
  ...changes,
});

describe('the environment', () => {
  it('is in the registry with its model, and presets run multi-turn episodes in it', async () => {
    expect(ENVIRONMENTS.filter(({ id }) => id === environment)).toHaveLength(1);
    expect((await pretrainingOf(environment)).model).toBe('tiny-lookup');
    expect(EMBEDDED_MODELS).toContain('tiny-lookup');
    const spec = specOf();
    expect([spec.arms, spec.overrides]).toEqual([['none'], { environment }]);
    const preset = { steps: 40, problems: 512, groupSize: 8, maxTurns: 5, maxTokens: 160, maxNew: 24, mix: 0 };
    expect(resolveRuns(spec)[0]).toMatchObject({ model: 'tiny-lookup', ...preset });
    expect(() => specOf({}, ['erase'])).toThrow(/has no labelled pairs/);
    expect(() => specOf({ mix: 0.25 })).toThrow(/has no teacher/);
    expect(() => specOf({}, ['penalty'])).toThrow(/has no loopholes/);
    expect(specOf({}, ['none', 'kl']).arms).toEqual(['none', 'kl']);
  });

  it('counts solved, boxed and tool-using episodes and their turns, by kind of question', () => {
    const figures = lookupMetrics([
      { task: { kind: 'both' }, verdict: verdict({ turns: 4, answered: 3 }) },
      {
        task: { kind: 'both' },
        verdict: verdict({ correct: false, turns: 5, answered: 0, refused: 4, formatOk: false }),
      },
      { task: { kind: 'look' }, verdict: verdict({ correct: false, turns: 1, answered: 0 }) },
    ]);
    expect(figures.n).toBe(3);
    expect(figures.figures).toEqual({
      solve: 1 / 3,
      format: 2 / 3,
      asked: 1 / 3,
      turns: 10 / 3,
      'n:both': 2,
      'solve:both': 1 / 2,
      'n:look': 1,
      'solve:look': 0,
    });
    expect(lookupMetrics([])).toEqual({ n: 0, figures: { solve: null, format: null, asked: null, turns: null } });
    const known = environmentNamed(environment).metrics.map(({ id }) => id);
    for (const id of ['solve', 'format', 'asked', 'turns', 'solve:both', 'solve:look']) expect(known).toContain(id);
  });

  it('shows each episode as one outcome', () => {
    const { outcomeOf, outcomes, tags, filters } = LOOKUP_ROLLOUTS;
    const shown = (changes: Partial<LookupVerdict>) => outcomeOf({ ...verdict(changes) }, '');
    expect(shown({})).toBe('solved');
    expect(shown({ correct: false })).toBe('wrong');
    expect(shown({ correct: false, answered: 0 })).toBe('guessed');
    expect(shown({ correct: false, formatOk: false })).toBe('unboxed');
    expect(outcomes.map(({ id }) => id).sort()).toEqual(['guessed', 'solved', 'unboxed', 'wrong']);
    expect(tags({ ...verdict({ refused: 2 }) })).toEqual([{ text: '2 refused', tone: 'warn' }]);
    expect(filters.map(({ keeps }) => keeps({ ...verdict({ answered: 0, refused: 1 }) }))).toEqual([false, true]);
  });

  it('trains on the set in epochs and evaluates both splits alternately', async () => {
    const [run] = resolveRuns(specOf({ problems: 40, evalProblems: 8, finalEvalProblems: 20 }));
    const { value: environment } = await lookupMaker.make(run).next();
    if (!environment) throw new Error('the environment was not made');
    expect(environment.evaluation.final.map(({ unseen }) => unseen)).toEqual(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'shapes' : 'params')),
    );
    expect(environment.evaluation.during).toEqual(environment.evaluation.final.slice(0, 8));
    const history = { rewards: () => [], returns: () => [] };
    const epoch = environment.sampler.draw({ seed: 1, step: 0, count: 40, history });
    expect(new Set(epoch.map(({ id }) => id)).size).toBe(40);
    expect(environment.sampler.draw({ seed: 2, step: 0, count: 40, history })).not.toEqual(epoch);
    const unseen = new Set(environment.evaluation.final.map(({ task }) => task.id));
    expect(epoch.filter(({ id }) => unseen.has(id))).toEqual([]);
    expect(() => lookupMaker.prompts({ ...run, problems: 100_000 })).toThrow(/problems = 100000/);
  });
});

/** The environment's own model on the CPU, with a record of every scored sequence. */
async function openLookupLab(scored: Sequence[]): Promise<{ lab: TinyLab; policy: Policy }> {
  const lab = await openModelLab('tiny-lookup');
  const { engine } = lab;
  const score: Policy['score'] = (sequences, ...rest) => {
    scored.push(...sequences);
    return engine.score(sequences, ...rest);
  };
  const policy = new Proxy<Policy>(engine, {
    get(_, name) {
      const value = name === 'score' ? score : Reflect.get(engine, name, engine);
      return typeof value === 'function' && name !== 'score' ? value.bind(engine) : value;
    },
  });
  return { lab, policy };
}

describe('a run', () => {
  it('of a few steps has multi-turn episodes, and trains on no observation', async () => {
    const scored: Sequence[] = [];
    const events: LabEvent[] = [];
    const { lab, policy } = await openLookupLab(scored);
    try {
      const overrides = { environment, steps: 2, problems: 16, maxNew: 24, groupSize: 8, finalEvalProblems: 8 };
      const about = { modelId: 'tiny-lookup', modelSha256: 'pretrained', appVersion: 'test' };
      const { result } = await runTiny(lab, tinySpec({ overrides }), { policy, about }, events);
      const [record] = result.runs;
      expect(record.status).toBe('done');
      for (const row of record.rows) expect(row.episodes!.turns).toBeGreaterThan(1);
      const rollouts = events.flatMap((event): RolloutRecord[] => (event.type === 'step' ? event.rollouts : []));
      const several = rollouts.filter(({ turns }) => turns.length > 1);
      expect(several.length).toBeGreaterThan(rollouts.length / 4);
      for (const { turns, verdict: judged } of rollouts) expect(judged.turns).toBe(turns.length);
      // Trained tokens are exactly those that the model generated; the tools' answers are not trained.
      const written = new Set(rollouts.map(({ turns }) => turns.map(({ completion }) => completion).join('|')));
      const trained = scored.filter(({ mask }) => mask);
      expect(trained.length).toBeGreaterThan(0);
      for (const { completion, mask } of trained) {
        const shown = lab.codec.decode(completion.filter((_, t) => !mask![t]));
        expect(shown).toMatch(/^(\n<\|im_start\|>user\n[^<]*<\|im_end\|>\n<\|im_start\|>assistant\n|<\|im_end\|>)+$/);
        const text = lab.codec.decode(completion.filter((_, t) => mask![t]));
        expect(text).not.toContain('<|im_start|>');
        expect(trainedTokens({ completion, mask })).toBeLessThan(completion.length);
        if (text.endsWith('<|im_end|>')) expect(written).toContain(text.slice(0, -10).replaceAll('<|im_end|>', '|'));
      }
      const final = record.evals.filter(({ kind }) => kind === 'final');
      for (const row of final) {
        expect(Object.keys(row.splits)).toEqual(['shapes', 'params']);
        expect(row.all.figures).toHaveProperty('asked');
      }
    } finally {
      await lab.close();
    }
  }, 60_000);
});
