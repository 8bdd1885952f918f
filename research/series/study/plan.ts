// Questions × seeds → jobs: which runs must be trained, and which quarantines replayed from their stored steps. A run that several
// questions need is made once, for the first of them.

import type { ControlSpec } from '../../../src/experiments/config/controls.ts';
import type { RunSpec } from '../../../src/experiments/config/run-spec.ts';
import type { SettingName, Settings } from '../../../src/experiments/config/settings.ts';
import { resolveRun } from '../../../src/experiments/config/spec.ts';
import type { PlannedRun } from '../../../src/experiments/runs/finished.ts';
import { controlKey, runKey } from '../../../src/experiments/runs/key.ts';
import { oncePer } from '../../../src/lib/once-per.ts';
import { QUESTIONS, RUN_ORDER } from './questions/index.ts';
import type { QuestionId, StudyCell, StudyQuestion } from './types.ts';

export interface StudyJob {
  run: PlannedRun;
  /** Quarantines to replay from the run's stored steps: those that its spec does not include. */
  shadows: ControlSpec[];
  /** Key of the vanilla run whose stored steps the run itself needs (a matched random basis), or null. */
  needs: string | null;
  /** The first question that needs the run. */
  question: QuestionId;
}

export interface StudyScope {
  questions?: readonly QuestionId[];
  /** Restricts each cell's seeds; a short check may use other seeds. */
  seeds?: readonly number[];
  /** A short check of the code with this many steps and few problems. Its figures do not count for the study. */
  steps?: number;
}

export interface StudyPlan {
  scope: StudyScope;
  questions: StudyQuestion[];
  jobs: StudyJob[];
}

/** Further settings of a short check. */
const SHORT = { problems: 16, evalProblems: 4, finalEvalProblems: 16, checkpointEvery: 1 } as const;

/** The run behind a cell. Its labels (arm, preset) are those of the first question that needs it, whatever the scope. */
export function runOfCell(cell: StudyCell, seed: number, scope: StudyScope = {}): PlannedRun {
  if (scope.steps !== undefined) return planRun(cell, seed, scope);
  const known = wholeRuns(cell);
  const run = known.get(seed) ?? planRun(cell, seed, scope);
  known.set(seed, run);
  return run;
}

/** Whole runs by cell and seed, cached since plans, tables and reports ask repeatedly, and resolving takes most of their time. */
const wholeRuns = oncePer((_: StudyCell) => new Map<number, PlannedRun>());

/** A cell's options that differ from its preset. */
export const overridesOfCell = ({ overrides }: StudyCell, { steps }: StudyScope): Partial<Settings> => ({
  ...overrides,
  ...(steps === undefined ? {} : { ...SHORT, steps }),
});

function planRun(cell: StudyCell, seed: number, scope: StudyScope): PlannedRun {
  const overrides = overridesOfCell(cell, scope);
  const spec = resolveRun(
    { schema: 1, preset: cell.preset, arms: [cell.arm], seeds: [seed], overrides, device: 'auto' },
    cell.arm,
    seed,
  );
  return { key: runKey(spec), spec };
}

export function seedsOfCell(cell: StudyCell, { seeds, steps }: StudyScope): readonly number[] {
  if (!seeds) return cell.seeds;
  return steps === undefined ? cell.seeds.filter((seed) => seeds.includes(seed)) : seeds;
}

export function planStudy(scope: StudyScope = {}): StudyPlan {
  const wanted = RUN_ORDER.filter(({ id }) => !scope.questions || scope.questions.includes(id));
  const canonical = canonicalRuns(scope);
  const jobs: StudyJob[] = [];
  /** Run key → quarantines that the run will have after the earlier jobs. */
  const planned = new Map<string, Set<string>>();
  for (const question of wanted) {
    for (const seed of seedsOf(question, scope)) {
      const own = new Map<string, StudyJob>();
      const jobOf = (cell: StudyCell): StudyJob => {
        const { key } = runOfCell(cell, seed, scope);
        const run = canonical.get(key) as PlannedRun;
        const job = own.get(key) ?? { question: question.id, run, shadows: [], needs: needsOf(run.spec, cell, scope) };
        own.set(key, job);
        return job;
      };
      for (const cell of question.cells) {
        if (!seedsOfCell(cell, scope).includes(seed)) continue;
        const job = jobOf(cell);
        const { key, spec } = job.run;
        const carried = planned.get(key) ?? new Set(spec.shadows.map((control) => controlKey(control, spec)));
        if (!cell.shadow) continue;
        const content = controlKey(cell.shadow, spec);
        if (carried.has(content) || job.shadows.some((control) => controlKey(control, spec) === content)) continue;
        job.shadows.push(cell.shadow);
      }
      for (const job of withNeeded(own, planned, canonical)) {
        const { key, spec } = job.run;
        const known = planned.get(key);
        if (known && job.shadows.length === 0) continue;
        const carried = known ?? new Set(spec.shadows.map((control) => controlKey(control, spec)));
        for (const control of job.shadows) carried.add(controlKey(control, spec));
        planned.set(key, carried);
        jobs.push(job);
      }
    }
  }
  return { scope, questions: QUESTIONS.filter((question) => wanted.includes(question)), jobs };
}

/** Puts a vanilla run first that only provides its steps, unless it is already planned. */
function withNeeded(
  own: ReadonlyMap<string, StudyJob>,
  planned: ReadonlyMap<string, unknown>,
  canonical: ReadonlyMap<string, PlannedRun>,
): StudyJob[] {
  const jobs = [...own.values()];
  const first = jobs.flatMap(({ question, needs }) => {
    const run = needs === null || planned.has(needs) || own.has(needs) ? undefined : canonical.get(needs);
    return run ? [{ question, run, shadows: [], needs: null }] : [];
  });
  return [...first, ...jobs];
}

/** Distinct runs that a plan trains. */
export function runsOf({ jobs }: Pick<StudyPlan, 'jobs'>): PlannedRun[] {
  return [...new Map(jobs.map(({ run }) => [run.key, run])).values()];
}

/**
 * Every run of the whole study under its first labels, so a part of the study gives the same records as the whole. An arm's default
 * quarantines are dropped unless a cell needs them, since each costs a final evaluation.
 */
function canonicalRuns(scope: StudyScope): ReadonlyMap<string, PlannedRun> {
  if (scope.seeds !== undefined || scope.steps !== undefined) return plannedRuns(scope);
  canonicalPlan ??= plannedRuns({});
  return canonicalPlan;
}
/** Cached, since it depends only on the questions. */
let canonicalPlan: ReadonlyMap<string, PlannedRun> | null = null;

function plannedRuns(scope: StudyScope): Map<string, PlannedRun> {
  const found = new Map<string, PlannedRun>();
  const quarantines = new Map<string, Set<string>>();
  for (const question of RUN_ORDER)
    for (const cell of question.cells)
      for (const seed of seedsOfCell(cell, scope)) {
        const run = runOfCell(cell, seed, scope);
        if (!found.has(run.key)) found.set(run.key, run);
        const models = quarantines.get(run.key) ?? new Set();
        if (!cell.isReplayed) models.add(cell.shadow ? controlKey(cell.shadow, run.spec) : cell.model);
        quarantines.set(run.key, models);
      }
  for (const [key, { spec }] of found) {
    const models = quarantines.get(key) as Set<string>;
    const controls = spec.shadows.filter((own) => models.has(own.id) || models.has(controlKey(own, spec)));
    found.set(key, { key, spec: { ...spec, shadows: controls } });
  }
  return found;
}

function seedsOf(question: StudyQuestion, scope: StudyScope): number[] {
  return [...new Set(question.cells.flatMap((cell) => [...seedsOfCell(cell, scope)]))].sort((a, b) => a - b);
}

/** Key of the vanilla run whose stored steps set the width of a matched random basis, which must remove as much as the real one. */
function needsOf(spec: RunSpec, cell: StudyCell, scope: StudyScope): string | null {
  if (spec.basisSource !== 'random_matched') return null;
  const vanilla: StudyCell = { ...cell, arm: 'route-update', overrides: without(cell.overrides, 'basisSource') };
  return runOfCell(vanilla, spec.seed, scope).key;
}

function without(overrides: Partial<Settings>, name: SettingName): Partial<Settings> {
  const { [name]: _, ...rest } = overrides;
  return rest;
}
