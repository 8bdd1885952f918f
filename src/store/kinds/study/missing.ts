// What a question still lacks, as work for this browser: experiments to train, quarantines to route from kept steps; and what
// only the command line can make, because the steps of a published run are not here.

import { planStudy, runsOf, type StudyJob, type StudyPlan } from '../../../../research/series/study/plan.ts';
import { QUESTION_IDS, type QuestionId } from '../../../../research/series/study/types.ts';
import {
  type ArmName,
  type ControlSpec,
  type ExperimentSpec,
  experimentOf,
  type RunSpec,
  resolveRuns,
} from '../../../experiments/config/spec.ts';
import { jobCost } from '../../../experiments/runs/cost.ts';
import { controlRow, type FinishedRun, type FinishedRuns } from '../../../experiments/runs/finished.ts';
import { controlKey } from '../../../experiments/runs/key.ts';
import { turn } from '../../../lib/turn.ts';
import type { OwnRun } from './own.ts';

/** One experiment of several seeds, and the quarantines that its runs are given afterwards. */
interface MissingExperiment {
  spec: ExperimentSpec;
  arm: ArmName;
  shadows: ControlSpec[];
}

/** Of a kept experiment whose runs are there. */
interface MissingRoute {
  experimentId: string;
  arm: ArmName;
  runs: RunSpec[];
  shadows: ControlSpec[];
}

export interface Missing {
  experiments: MissingExperiment[];
  routes: MissingRoute[];
  /** Runs to train here, and quarantines to route here. */
  runs: number;
  quarantines: number;
  /** Quarantines of published runs, whose kept steps are not in this browser. */
  elsewhere: number;
  /** In rollouts of a training step, as the study's cost counts; without what must be made elsewhere. */
  cost: number;
}

export function missingOf(question: QuestionId, runs: FinishedRuns, own: ReadonlyMap<string, OwnRun>): Missing {
  const experiments = new Map<string, MissingExperiment>();
  const routes = new Map<string, MissingRoute>();
  let elsewhere = 0;
  for (const job of planOf(question).jobs) {
    const found = runs.get(job.run.key);
    if (!found) {
      addExperiment(experiments, job);
      continue;
    }
    const controls = job.shadows.filter((control) => controlRow(control, found) === null);
    if (controls.length === 0) continue;
    const here = own.get(job.run.key);
    if (here) addRoute(routes, here, controls);
    else elsewhere += controls.length;
  }
  return sum([...experiments.values()], [...routes.values()], elsewhere);
}

function addExperiment(experiments: Map<string, MissingExperiment>, { run, shadows: controls }: StudyJob): void {
  const spec = experimentOf(run.spec);
  const group = JSON.stringify([spec.preset, spec.arms, spec.overrides]);
  const known = experiments.get(group);
  if (!known) {
    experiments.set(group, { spec, arm: run.spec.arm, shadows: [...controls] });
    return;
  }
  known.spec = { ...known.spec, seeds: [...new Set([...known.spec.seeds, ...spec.seeds])] };
  const carried = new Set(known.shadows.map((control) => controlKey(control, run.spec)));
  known.shadows.push(...controls.filter((control) => !carried.has(controlKey(control, run.spec))));
}

function addRoute(routes: Map<string, MissingRoute>, run: OwnRun, controls: readonly ControlSpec[]): void {
  const { experimentId, record } = run;
  const { arm } = record.spec;
  const group = `${experimentId}/${arm}`;
  const known = routes.get(group) ?? { experimentId, arm, runs: [], shadows: [] };
  routes.set(group, known);
  known.runs.push(record.spec);
  const carried = new Set(known.shadows.map((control) => controlKey(control, record.spec)));
  known.shadows.push(...controls.filter((control) => !carried.has(controlKey(control, record.spec))));
}

function sum(experiments: MissingExperiment[], routes: MissingRoute[], elsewhere: number): Missing {
  let [runs, quarantines, cost] = [0, 0, 0];
  for (const { spec, arm, shadows: controls } of experiments) {
    for (const run of resolveRuns(spec)) {
      runs++;
      const own = run.arm === arm ? controls : [];
      quarantines += own.length;
      cost += costOf(run, own);
    }
  }
  for (const { runs: finished, shadows: controls } of routes)
    for (const run of finished) {
      quarantines += controls.length;
      cost += costOf(run, controls, true);
    }
  return { experiments, routes, runs, quarantines, elsewhere, cost };
}

const costOf = (spec: RunSpec, controls: ControlSpec[], isTrained = false): number =>
  jobCost({ run: { key: '', spec }, shadows: controls, needs: null }, isTrained);

/** A name for a quarantine that no model of these runs has yet: the study finds it by what it is. */
export function freeName(id: string, runs: readonly FinishedRun['record'][]): string {
  const taken = new Set(
    runs.flatMap(({ evals, spec }) =>
      [...evals, ...spec.shadows.map(({ id: model }) => ({ model }))].map(({ model }) => model),
    ),
  );
  if (!taken.has(id)) return id;
  for (let i = 2; ; i++) if (!taken.has(`${id} ${i}`)) return `${id} ${i}`;
}

const plans = new Map<QuestionId, StudyPlan>();

export function planOf(id: QuestionId): StudyPlan {
  const plan = plans.get(id) ?? planStudy({ questions: [id] });
  plans.set(id, plan);
  return plan;
}

let asking: ReadonlyMap<string, ReadonlySet<QuestionId>> | null = null;

/** Keys of all runs of the whole study, each with the questions that ask for it; a question at a time, for the page to answer a click. */
export async function studyKeys(): Promise<ReadonlyMap<string, ReadonlySet<QuestionId>>> {
  if (asking) return asking;
  const found = new Map<string, Set<QuestionId>>();
  for (const id of QUESTION_IDS) {
    for (const { key } of runsOf(planOf(id))) found.set(key, (found.get(key) ?? new Set()).add(id));
    await turn();
  }
  asking = found;
  return found;
}
