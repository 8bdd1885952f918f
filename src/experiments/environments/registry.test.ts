// Tests every environment of the registry: its presentation fits its tasks and metrics, and refers to names that exist.
import { describe, expect, it } from 'vitest';
import type { DrawnEnvironment } from '../../environments/drawn.ts';
import type { EnvironmentEntry } from '../../environments/entry.ts';
import * as ENTRIES from '../../environments/registry.ts';
import { ARM_NAMES } from '../config/arms.ts';
import { PRESET_NAMES } from '../config/run-spec.ts';
import { SETTING_NAMES } from '../config/settings.ts';
import { parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import { drawnMaker } from './drawn.ts';
import { ENVIRONMENTS } from './registry.ts';

describe.each(ENVIRONMENTS)(
  '$id',
  ({ id, example, named, defaults, metrics, card, rolloutPresentation, splits, words }) => {
    it('has its own name, card, texts and splits', () => {
      expect(example.startsWith(id)).toBe(true);
      expect(ENVIRONMENTS.filter((one) => one.id === id)).toHaveLength(1);
      if (example === id) expect(ENVIRONMENTS.filter((one) => one.named(id)).map((one) => one.id)).toEqual([id]);
      expect(named('no such environment')).toBe(false);
      expect(card.question).toMatch(/\?$/);
      expect(new Set(splits.map((split) => split.id)).size).toBe(splits.length);
      if (example === id) expect(words).toBeDefined();
    });

    it('names existing arms and settings, in every preset', () => {
      for (const preset of PRESET_NAMES) {
        const { arms = [], settings } = defaults(preset, id);
        for (const arm of arms) expect(ARM_NAMES).toContain(arm);
        for (const setting of Object.keys(settings)) expect(SETTING_NAMES).toContain(setting);
      }
    });

    it('names each metric and outcome once, with at least one headline', () => {
      expect(new Set(metrics.map((metric) => metric.id)).size).toBe(metrics.length);
      expect(metrics.some(({ headline }) => headline)).toBe(true);
      const outcomes = rolloutPresentation.outcomes.map((outcome) => outcome.id);
      expect(new Set(outcomes).size).toBe(outcomes.length);
      const known = [...outcomes, ...rolloutPresentation.filters.map(({ name }) => name)];
      for (const { verdict } of rolloutPresentation.worthReading) expect(known).toContain(verdict);
    });
  },
);

const drawn = Object.values<EnvironmentEntry>(ENTRIES).flatMap(({ id, splits, metrics, rolloutPresentation, load }) =>
  load ? [{ id, splits, metrics, rolloutPresentation, load }] : [],
);

describe.each(drawn)('$id, drawn by seed', ({ id, splits, metrics, rolloutPresentation, load }) => {
  const [run] = resolveRuns(
    parseExperimentSpec({
      preset: 'smoke',
      arms: ['none'],
      overrides: { environment: id, problems: 24, evalProblems: 6, finalEvalProblems: 12 },
    }),
  );

  it('trains on other problems than it evaluates, and alternates the splits', async () => {
    const { value: environment } = await drawnMaker(await load(), splits)
      .make(run)
      .next();
    if (!environment) throw new Error('the environment was not made');
    expect(environment.evaluation.final).toHaveLength(12);
    expect(environment.evaluation.final.map(({ unseen }) => unseen).slice(0, splits.length)).toEqual(
      splits.map((split) => split.id),
    );
    const history = { rewards: () => [], returns: () => [] };
    const epoch = environment.sampler.draw({ seed: 1, step: 0, count: 24, history });
    const seen = new Set(epoch.map((task) => environment.labels.id(task)));
    for (const { task } of environment.evaluation.final) expect(seen.has(environment.labels.id(task))).toBe(false);
  });

  it('measures what its presentation names, and shows every verdict as one of its outcomes', async () => {
    const own: DrawnEnvironment = await load();
    const tasks = own.draw('training', 6);
    const groups = tasks.map((task) => ({
      task,
      rollouts: ['', '1', '\\boxed{2}', '\\boxed{']
        .map((completion) => ({ prompt: task.prompt, completion, promptIds: [], completionIds: [], ended: true }))
        .map((turn) => ({ task, source: 'student' as const, turns: [turn] })),
    }));
    const judged = await own.reward(run).score(groups, { get: () => undefined });
    const items = groups.flatMap(({ task }, i) => judged[i].map(({ verdict }) => ({ task, verdict })));
    const { n, figures } = own.figures(items);
    expect(n).toBe(items.length);
    const known = metrics.map((metric) => metric.id);
    for (const figure of Object.keys(figures)) if (!figure.startsWith('n:')) expect(known, figure).toContain(figure);
    for (const { id: metric, headline, occasional } of metrics)
      if (headline && !occasional) expect(figures).toHaveProperty([metric]);
    const outcomes = rolloutPresentation.outcomes.map((outcome) => outcome.id);
    for (const { verdict } of items) {
      expect(outcomes).toContain(rolloutPresentation.outcomeOf({ ...(verdict as Record<string, string>) }, ''));
      // The verdict survives recording as JSON.
      expect(JSON.parse(JSON.stringify(verdict))).toEqual(verdict);
    }
  });
});
