// Tests the example of an environment in one file. It is added to the registry as a build adds it, trained for two steps on the model that it
// names, and shown and documented by the code for every environment.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { measuresMarkdown } from '../src/cli/run/settings.ts';
import { taskList } from '../src/environments/task-list/task-list.ts';
import type { TaskList } from '../src/environments/task-list/types.ts';
import { inOrder } from '../src/experiments/config/environments.ts';
import {
  environmentNamed,
  rolloutPresentationOf,
  SHOWN_ENVIRONMENTS,
} from '../src/experiments/environments/registry.ts';
import type { ExperimentResult, LabEvent, RolloutRecord } from '../src/experiments/records/events.ts';
import { openModelLab, runTiny, type TinyLab, tinySpec } from '../src/experiments/testing/tiny.node.ts';
import { metricGroups, metricsFor } from '../src/store/charts/metrics.ts';
import { chartSet } from '../src/store/charts/set.ts';
import { stepsCsv } from '../src/store/runs/download.ts';
import { tableColumns } from '../src/store/runs/table-columns.ts';

vi.mock('../src/environments/registry.ts', async (original) => ({
  ...(await original<object>()),
  OWN: (await import('./week.ts')).default,
}));

let lab: TinyLab;
let result: ExperimentResult;
const events: LabEvent[] = [];
beforeAll(async () => {
  lab = await openModelLab('tiny-arithmetic');
  const overrides = { environment: 'week', steps: 2, maxNew: 48, problems: 16, evalEvery: 1, finalEvalProblems: 8 };
  const about = { modelId: 'tiny-arithmetic', modelSha256: 'its own', appVersion: 'test' };
  ({ result } = await runTiny(lab, tinySpec({ arms: ['none'], overrides }), { about }, events));
});
afterAll(() => lab?.close());

it('is one file of at most 90 lines', () => {
  const text = readFileSync(fileURLToPath(new URL('./week.ts', import.meta.url)), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(90);
  expect([...text.matchAll(/^import .* from '(.*)';$/gm)].map(([, from]) => from)).toEqual([
    '../src/environments/task-list/task-list.ts',
  ]);
});

describe('a run of two steps', () => {
  it('has the reward and the metrics of the list', () => {
    const [run] = result.runs;
    expect(run.status).toBe('done');
    expect(run.spec.model).toBe('tiny-arithmetic');
    expect(run.rows).toHaveLength(2);
    for (const { student, reward } of run.rows) {
      expect(Object.keys(student.figures)).toEqual(['solve', 'boxed', 'five']);
      const { solve, boxed } = student.figures;
      expect(reward).toBeCloseTo(solve! + 0.1 * boxed!, 6);
    }
    // The untrained model writes boxes, some of them right.
    expect(run.rows[0].student.figures.boxed).toBeGreaterThan(0.5);
  });

  it('is evaluated on tasks that it does not train on', async () => {
    const maker = await environmentNamed('week').load();
    const { value: environment } = await maker.make(result.runs[0].spec, {} as never).next();
    if (!environment || !('evaluation' in environment)) throw new Error('the environment was not made');
    const history = { rewards: () => [], returns: () => [] };
    const trained = environment.sampler.draw({ seed: 1, step: 0, count: 16, history }).map(environment.labels.id);
    const evaluated = environment.evaluation.final.map(({ task }) => environment.labels.id(task));
    expect([new Set(trained).size, evaluated.length]).toEqual([16, 8]);
    expect(evaluated.filter((id) => trained.includes(id))).toEqual([]);
  });
});

describe('the lab’s own display', () => {
  it('shows its metrics as charts and columns', () => {
    const { runs, table } = result;
    const [main, ...groups] = metricGroups('week');
    expect(main.title).toBe('Solve and boxed and five');
    expect(main.metrics.map(({ id }) => id)).toEqual(['solve', 'boxed', 'five']);
    const set = chartSet(runs, 0, 'step', 2);
    for (const metric of [...main.metrics, ...groups.flatMap((group) => metricsFor(runs, group))]) {
      const { points, lines } = set.data(metric, false);
      expect(points.length, metric.id).toBeGreaterThan(0);
      if (main.metrics.includes(metric)) expect(lines.length, metric.id).toBeGreaterThan(0);
    }
    const columns = tableColumns('week', table).map(({ id }) => id);
    for (const id of ['final:solve', 'final:boxed', 'final:five']) expect(columns).toContain(id);
    expect(stepsCsv(runs).split('\r\n')[0]).toContain('solve');
  });

  it('shows its rollouts by outcome, with a fact for each reward', () => {
    const shown = rolloutPresentationOf('week');
    const rollouts = events.flatMap((event): readonly RolloutRecord[] => (event.type === 'step' ? event.rollouts : []));
    expect(rollouts.length).toBeGreaterThan(0);
    const outcomes = shown.outcomes.map(({ id }) => id);
    for (const { verdict, kind, reward } of rollouts) {
      expect(outcomes).toContain(shown.outcomeOf(verdict, kind));
      expect(shown.facts(verdict).map(([name]) => name)).toEqual(['solve', 'boxed', 'five']);
      expect(shown.plainly(verdict, kind).paid).toMatch(/^Paid [\d.]+: solve [01], boxed [01], five [01]\.$/);
      expect(verdict.paid).toBe(reward);
    }
  });

  it('has a card, and no finished run to show', () => {
    expect(environmentNamed('week').card.question).toBe('Does a model learn that a week has seven days?');
    expect(SHOWN_ENVIRONMENTS).not.toContain('week');
    expect(SHOWN_ENVIRONMENTS).toContain('arithmetic');
  });

  it('documents its metrics', () => {
    const page = measuresMarkdown();
    const own = page.slice(page.indexOf('## week'));
    expect(own).toContain('| `five` | share | lower | Answers with the number after five days.');
  });
});

describe('an invalid list', () => {
  const list: TaskList = {
    id: 'own',
    label: 'Own',
    question: 'What?',
    about: 'Tasks.',
    model: 'tiny-coder',
    maxNew: 4,
    tasks: ['a', 'b', 'c', 'd'].map((prompt) => ({ prompt })),
    rewards: [{ id: 'solve', about: 'Right.', weight: 1, score: () => 1 }],
  };
  const reward = list.rewards[0];

  it.each([
    [{ id: 'Own' }, /"Own": id: /],
    [{ question: 'What.' }, /question: /],
    [{ maxNew: 0 }, /maxNew: /],
    [{ maxTokens: 3 }, /maxTokens/],
    [{ tasks: [{ prompt: 'a' }] }, /tasks: /],
    [{ tasks: [...list.tasks, { prompt: 'a' }] }, /two tasks with the id "a"/],
    [{ rewards: [reward, reward] }, /two rewards with the id "solve"/],
    [{ rewards: [{ ...reward, id: 'paid' }] }, /rewards\.0\.id: /],
    [{ rewards: [{ ...reward, weight: Number.NaN }] }, /rewards\.0\.weight: /],
    [{ rewards: [{ ...reward, score: 1 }] }, /rewards\.0\.score: a function/],
  ])('is refused: %o', (wrong, message) => {
    expect(() => taskList(list)).not.toThrow();
    expect(() => taskList({ ...list, ...wrong } as TaskList)).toThrow(message);
  });

  it('is refused beside an environment of that name', () => {
    expect(() => inOrder({ A: { id: 'week' }, B: { id: 'week' } })).toThrow(/two environments are called week/);
  });

  it.each([2, -1, Number.NaN])('is refused in a run where a score is %s', async (score) => {
    const drawn = await taskList({ ...list, rewards: [{ ...reward, score: () => score }] }).load!();
    const [task] = drawn.draw('training', 1);
    const turns = [{ prompt: '', completion: 'x', promptIds: [], completionIds: [], ended: true }];
    const groups = [{ task, rollouts: [{ task, source: 'student' as const, turns }] }];
    const judged = async () => drawn.reward({}).score(groups, { get: () => undefined });
    await expect(judged()).rejects.toThrow(/The reward solve gave/);
  });

  it('gives charts by kind if its tasks have several kinds', async () => {
    const kinds = list.tasks.map((task, i) => ({ ...task, kind: i % 2 ? 'odd' : 'even' }));
    const { metrics, load } = taskList({ ...list, tasks: kinds });
    expect(metrics.map(({ id }) => id)).toEqual(['solve', 'solve:even', 'solve:odd']);
    const { figures } = await load!();
    const of = (kind: string, solve: number) => ({
      task: { id: kind, kind, prompt: '' },
      verdict: { solve, paid: solve },
    });
    expect(figures([of('odd', 1), of('odd', 0)]).figures).toEqual({
      solve: 0.5,
      'n:even': 0,
      'solve:even': null,
      'n:odd': 2,
      'solve:odd': 0.5,
    });
  });
});
