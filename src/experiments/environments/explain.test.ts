// Tests the explanations as an environment: its presets, the source of each arm's reward, its metrics against values by hand, and its display.

import { describe, expect, it } from 'vitest';
import { rubricOf } from '../../environments/cat/shown.ts';
import { EXPLAIN_ROLLOUTS } from '../../environments/explain/presentation.ts';
import { explainMetrics } from '../../environments/explain/reward.ts';
import type { ExplainVerdict, JudgedVerdict } from '../../environments/explain/task.ts';
import { ARMS } from '../config/arms.ts';
import { disabledReasonOf } from '../config/effect.ts';
import { isOffered } from '../config/preset-in.ts';
import { parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import { runKey } from '../runs/key.ts';
import { environmentNamed } from './registry.ts';

const environment = 'explain';
const specOf = (overrides: object = {}, arms?: readonly string[]) =>
  parseExperimentSpec({ preset: 'smoke', overrides: { environment, ...overrides }, ...(arms ? { arms } : {}) });

describe('a preset in the environment', () => {
  it('has the environment’s arms and model', () => {
    const [run] = resolveRuns(parseExperimentSpec({ preset: 'demo', overrides: { environment } }));
    expect(run).toMatchObject({ model: 'tiny-explain', mix: 0, environment, grading: 'rubric', answerBudget: 0 });
  });

  it('rewards each arm by its own grading, which other environments lack', () => {
    const arms = ['none', 'rubric', 'rubric_question', 'rubric_fixed', 'judge', 'hasty', 'hasty_budget'] as const;
    const runs = resolveRuns(specOf({}, arms));
    expect(runs.map(({ grading }) => grading)).toEqual([
      ...['program', 'rubric', 'rubric_question', 'rubric_fixed', 'judge', 'hasty', 'hasty'],
    ]);
    expect(runs.map(({ answerBudget }) => answerBudget)).toEqual([0, 0, 0, 0, 0, 0, 36]);
    const [elsewhere] = resolveRuns(parseExperimentSpec({ preset: 'demo' }));
    for (const name of ['grading', 'answerBudget']) expect(runKey(elsewhere)).not.toContain(name);
    for (const arm of arms.slice(1)) {
      expect(isOffered(environment, arm)).toBe(true);
      expect(isOffered('arithmetic', arm)).toBe(false);
      expect(() => parseExperimentSpec({ preset: 'demo', arms: [arm] })).toThrow(/has no rubrics/);
    }
    expect(() => specOf({}, ['cat'])).toThrow(/has no reference/);
    const disabledBecause = (where: string) => disabledReasonOf('grading', () => where, ARMS.none);
    expect(disabledBecause('chain')).toBe('the environment chain has no rubrics');
    expect(disabledBecause(environment)).toBeNull();
  });
});

const verdict = (changes: Partial<JudgedVerdict> = {}): ExplainVerdict => ({
  score: 0.4,
  complete: false,
  formatOk: true,
  said: 4,
  wrong: 1,
  contradicts: false,
  stamped: false,
  ...changes,
});
const judged = (changes: Partial<JudgedVerdict> = {}) =>
  verdict({
    judged: 0.6,
    checked: 0.4,
    synthesis: 'zero=0.',
    synthesisScore: 0.8,
    rubric: 'zero=0\nedge=8\nelse: 3\nodd',
    marks: 'yyny',
    checks: 'ynn?',
    criteria: 4,
    criteriaTrue: 2,
    criteriaFound: 1,
    overBudget: false,
    dead: false,
    judgeTokens: 100,
    ...changes,
  });
const task = (kind: 'plain' | 'edge') => ({ task: { kind } });

describe('its metrics', () => {
  it('are the program’s verdicts, and for judged texts the accuracy of judge and rubric', () => {
    const { n, figures } = explainMetrics([
      { ...task('plain'), verdict: judged() },
      { ...task('edge'), verdict: judged({ score: 0, judged: 1, checked: 0.2, marks: 'nnnn', stamped: true }) },
    ]);
    expect(n).toBe(2);
    const wanted = {
      score: 0.2,
      complete: 0,
      wrong: 1 / 4,
      contradicts: 0,
      stamped: 1 / 2,
      'n:plain': 1,
      'score:plain': 0.4,
      'n:edge': 1,
      'score:edge': 0,
      judged: 0.8,
      gap: 0.6,
      gapJudge: 0.5,
      synthesisScore: 0.8,
      teacherDelta: 0.6,
      // The six checked verdicts are y/y, y/n, n/n, then n/y, n/n, n/n.
      judgeAgrees: 4 / 6,
      judgePrecision: 1 / 2,
      judgeRecall: 1 / 2,
      rubricPrecision: 4 / 8,
      rubricRecall: 1 / 5,
    };
    expect(Object.keys(figures).sort()).toEqual(Object.keys(wanted).sort());
    for (const [id, value] of Object.entries(wanted)) expect(figures[id], id).toBeCloseTo(value);
    const known = environmentNamed(environment).metrics.map(({ id }) => id);
    for (const id of Object.keys(figures)) if (!id.startsWith('n:')) expect(known).toContain(id);
    // Arms rewarded by the program or by a grade have no metrics of a rubric.
    expect(explainMetrics([{ ...task('plain'), verdict: verdict() }]).figures).not.toHaveProperty('judged');
    const graded = judged({
      rubric: null,
      checked: null,
      synthesis: null,
      synthesisScore: null,
      marks: '',
      checks: '',
    });
    const without = explainMetrics([{ ...task('plain'), verdict: graded }]).figures;
    expect(without).toMatchObject({ judged: 0.6 });
    for (const id of ['judgeAgrees', 'rubricRecall', 'synthesisScore']) expect(without).not.toHaveProperty(id);
  });

  it('show verdicts by outcome, and a group’s rubric by criterion and attempt', () => {
    const { outcomeOf, facts, tags } = EXPLAIN_ROLLOUTS;
    const of = (changes: Partial<JudgedVerdict>) => outcomeOf({ ...verdict({ wrong: 0, ...changes }) }, '');
    expect(of({ complete: true })).toBe('complete');
    expect(of({})).toBe('partial');
    expect(of({ wrong: 1, complete: true })).toBe('false');
    expect(of({ wrong: 1, contradicts: true })).toBe('contradicts');
    expect(of({ formatOk: false })).toBe('unreadable');
    expect([facts({ ...verdict() }), facts({ ...judged() })].map(({ length }) => length)).toEqual([1, 2]);
    expect(tags({ ...verdict({ stamped: true }) })).toHaveLength(1);
    const shown = rubricOf([{ ...judged() }, { ...judged({ judged: 0.2 }) }])!;
    expect(shown.synthesis).toEqual({ text: 'zero=0.', score: 0.8 });
    expect(shown.criteria.map(({ text, marks }) => [text, marks.length])).toEqual([
      ...[['zero=0', 2] as const, ['edge=8', 2] as const, ['else: 3', 2] as const, ['odd', 2] as const],
    ]);
    expect(shown.criteria.map(({ marks }) => marks[0])).toEqual([
      { judge: true, program: true },
      { judge: true, program: false },
      { judge: false, program: false },
      { judge: true, program: null },
    ]);
    expect(shown.attempts[1]).toEqual({ judged: 0.2, score: 0.4 });
    expect(rubricOf([{ ...verdict() }])).toBeNull();
  });
});
