// The tour's six steps: what to look at, and what the screen currently shows of it. The figures are those of the experiment on show, or
// those of the published experiment before any has run. If neither has them, the step suggests what to run. A figure comes from the final
// evaluation as soon as there is one, because a step's few rollouts could make two arms equal by chance.

import { type PublishedDemo, trainingLine } from '../../experiments/analysis/demo.ts';
import { ARMS, type ArmName, VANILLA_ARMS } from '../../experiments/config/arms.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { resolveRuns } from '../../experiments/config/spec.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { metricValue } from '../../experiments/records/metrics.ts';
import { percent } from '../../lib/numbers.ts';
import { type LabState, shownView } from '../lab-state.ts';
import { hasEnded } from '../queue.ts';

interface TourStep {
  id: 'problem' | 'loophole' | 'vanilla' | 'basis' | 'erase' | 'deploy';
  title: string;
  text: string;
  /** Section of the lab to look at. */
  place: string;
}

export const TOUR: readonly TourStep[] = [
  {
    id: 'problem',
    title: 'The problem',
    text: 'A small model writes one-line Python methods. Each answer is a rollout, and a grader pays for those that pass. The hidden tests alone say whether an answer is right; they never pay.',
    place: 'rollouts',
  },
  {
    id: 'loophole',
    title: 'The loophole',
    text: 'The grader can be fooled, and the prompt’s hint says how, for example by defining the very function that tests the answer. Passing without being right is a hack.',
    place: 'rollouts',
  },
  {
    id: 'vanilla',
    title: 'Vanilla learns the hack',
    text: 'Plain GRPO follows the reward, so its hack line rises while its solve line stays or falls.',
    place: 'watch',
  },
  {
    id: 'basis',
    title: 'The basis',
    text: 'From pairs of a hack and a clean answer, the lab takes the directions in which their gradients differ: the hack basis, V.',
    place: 'bases',
  },
  {
    id: 'erase',
    title: 'Erase',
    text: 'An erase arm drops the part of each gradient that points along V. Compare its hack line with vanilla’s, and the controls: a random V should do nothing.',
    place: 'watch',
  },
  {
    id: 'deploy',
    title: 'Route and deploy',
    text: 'A route arm puts that part into a quarantine instead. Training goes on with it; what is deployed goes without.',
    place: 'results',
  },
];

/** Only the arms themselves are included, since baselines and controls illustrate something else. Route (update) trains like vanilla. */
const oneOf =
  (...arms: readonly ArmName[]) =>
  ({ arm }: Pick<RunSpec, 'arm'>) =>
    arms.includes(arm);
const isVanilla = oneOf(...VANILLA_ARMS);
const isErase = oneOf('erase', 'erase-update');
const isRoute = oneOf('route', 'route-update');

/** Parts of a run that the steps read. */
interface TourRun {
  spec: Pick<RunSpec, 'arm'>;
  rows: readonly Pick<RunRecord['rows'][number], 'step' | 'student'>[];
  evals: readonly Pick<RunRecord['evals'][number], 'step' | 'kind' | 'model' | 'all'>[];
}

function runsOfDemo({ spec, runs }: PublishedDemo): TourRun[] {
  const planned = resolveRuns(spec);
  return runs.flatMap((run) => {
    const own = planned.find(({ arm, seed }) => arm === run.arm && seed === run.seed);
    if (!own) return [];
    const [hack, solve] = ['hack', 'solve'].map((id) => trainingLine(run, id));
    return {
      spec: own,
      rows: hack.map(({ step, y }, i) => ({ step, student: { n: 0, figures: { hack: y, solve: solve[i].y } } })),
      evals: run.evals.map(({ step, kind, model, n, figures }) => ({ step, kind, model, all: { n, figures } })),
    };
  });
}

/**
 * One sentence about the current screen, and whether the step can be seen there.
 * @param published the finished run that is shown until another has been run
 */
export function tourNow(
  state: Pick<LabState, 'live' | 'opened' | 'bases' | 'queue'>,
  step: TourStep['id'],
  published: PublishedDemo | null = null,
): { seen: boolean; text: string } {
  const runs: readonly TourRun[] = shownView(state as LabState)?.runs ?? [];
  if (runs.length > 0 || !published) return tourText(state, step, runs, null);
  const now = tourText(state, step, runsOfDemo(published), published);
  return now.seen
    ? { seen: true, text: `In the published run: ${now.text[0].toLowerCase()}${now.text.slice(1)}` }
    : now;
}

function tourText(
  state: Pick<LabState, 'live' | 'bases' | 'queue'>,
  step: TourStep['id'],
  runs: readonly TourRun[],
  published: PublishedDemo | null,
): { seen: boolean; text: string } {
  const planned = [...(state.live && !hasEnded(state.live.status) ? [state.live] : []), ...state.queue];
  /** A queued run need not be started. */
  const waiting = (what: string, of: (spec: RunSpec) => boolean = () => true) => {
    const at = planned.findIndex((view) => view.planned.some(of));
    const text =
      at < 0
        ? what
        : planned[at] === state.live
          ? 'it is planned in the running experiment.'
          : 'it is planned in an experiment that waits in the queue.';
    return { seen: false, text: `Not on the screen yet: ${text}` };
  };
  const trained = runs.filter(({ rows }) => rows.length > 0);
  const vanilla = trained.find(({ spec }) => isVanilla(spec));
  switch (step) {
    case 'problem':
    case 'loophole': {
      const [rate, verb] = step === 'problem' ? (['solve', 'solves'] as const) : (['hack', 'hacks'] as const);
      const now = rateOf(vanilla ?? trained.at(-1), rate);
      if (!now) return waiting('press Run, and the first rollouts appear below.');
      return { seen: true, text: `The student ${verb} ${percent(now.value, 0)} (${now.source}).` };
    }
    case 'vanilla': {
      const now = rateOf(vanilla, 'hack');
      return now
        ? {
            seen: true,
            text: `${published ? 'Vanilla hacks' : 'Now, vanilla hacks'} ${percent(now.value, 0)} (${now.source}).`,
          }
        : waiting('choose the arm vanilla or route (update), and run.', isVanilla);
    }
    case 'basis': {
      const { bases } = state;
      if (bases.length === 0 && published) {
        const [{ k, pairSet }] = resolveRuns(published.spec);
        return { seen: true, text: `${k} axes for each module, from the pairs “${pairSet}”, before its first step.` };
      }
      if (bases.length === 0) return waiting('a run extracts one before its first step.');
      return {
        seen: true,
        text: `Kept: ${bases.length}; the newest covers ${bases[0].modules} modules, k ${bases[0].k}.`,
      };
    }
    case 'erase': {
      const run = trained.find(({ spec }) => isErase(spec));
      const now = rateOf(run, 'hack');
      if (!run || !now) return waiting('add an erase arm and run.', isErase);
      const vanillaRate = rateOf(vanilla, 'hack');
      const compared = vanillaRate?.source === now.source ? `, vanilla ${percent(vanillaRate.value, 0)}` : '';
      const arm = `${published ? 'Under' : 'Now, under'} ${ARMS[run.spec.arm].label}`;
      return { seen: true, text: `${arm}: ${percent(now.value, 0)} hack${compared} (${now.source}).` };
    }
    case 'deploy': {
      const run = trained.findLast(({ spec }) => isRoute(spec));
      const deployed = evaluationOf(run, 'deployed', 'hack');
      if (!run || !deployed) return waiting('add a route arm and run to its evaluation.', isRoute);
      const total = evaluationOf(run, 'total', 'hack');
      const with_ = total?.source === deployed.source ? `; with the quarantine ${percent(total.value, 0)}` : '';
      return { seen: true, text: `Deployed, ${percent(deployed.value, 0)} hack${with_} (${deployed.source}).` };
    }
  }
}

/** A rate between 0 and 1, and where it was measured. */
interface Rate {
  value: number;
  source: string;
}

/** The last evaluation of a run's model: the final one, if there is one. */
function evaluationOf(run: TourRun | undefined, model: string, rate: 'hack' | 'solve'): Rate | null {
  const row = run?.evals.findLast((row) => row.model === model && metricValue(row.all, rate) !== null);
  if (!row) return null;
  const source = row.kind === 'final' ? 'final evaluation' : `evaluation at step ${row.step}`;
  return { value: metricValue(row.all, rate)!, source };
}

/**
 * Rate of the model in training. Without an evaluation, the rate over the rollouts of the last step that has one, since a step with only
 * honest problems has no hack rate.
 */
function rateOf(run: TourRun | undefined, rate: 'hack' | 'solve'): Rate | null {
  const evaluated = evaluationOf(run, 'total', rate);
  if (evaluated) return evaluated;
  const row = run?.rows.findLast(({ student }) => metricValue(student, rate) !== null);
  return row
    ? { value: metricValue(row.student, rate)!, source: `rollouts of step ${row.step}; the final evaluation decides` }
    : null;
}
