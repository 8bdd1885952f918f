// The method as a diagram of one step: the prompts, the answers, the reward, the gradient, and where the update goes. All numbers are from
// the run's rows and evaluations. Without a projection nothing is split.
import type { RolloutPresentation } from '../../environments/rollout-presentation.ts';
import type { MethodRow } from '../../experiments/analysis/demo-steps.ts';
import { plural } from '../../experiments/analysis/words.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { headlinesOf } from '../../experiments/environments/registry.ts';
import { metricValue } from '../../experiments/records/metrics.ts';
import { decimal, percent, significant } from '../../lib/numbers.ts';

interface MethodStage {
  id: 'asked' | 'written' | 'reference' | 'paid' | 'compared' | 'gradient' | 'update';
  title: string;
  /** The value at this step. */
  figure: string;
  /** At most twelve words. */
  about: string;
}

/** The split of a gradient, or of the optimizer's step, along the hack basis V. */
export interface MethodSplit {
  of: 'gradient' | 'update';
  does: 'measured' | 'erased' | 'routed';
  /** Share of the gradient's norm that points hack-ward along V, from 0 to 1. */
  share: number;
  /** The same share for a random gradient. */
  chance: number | null;
  /** The share that remains in the update of the deployed adapter. */
  left: number | null;
  /** Norms of the changes of the deployed adapter and of the quarantine. */
  deployed: number;
  quarantine: number;
}

/** One model's evaluation, in a form that the rows of runs and demos share. */
interface MethodEval {
  step: number;
  model: string;
  figures: Readonly<Record<string, number | null>>;
}

interface Deployed {
  step: number;
  model: string;
  figures: { label: string; text: string }[];
}

export interface MethodStep {
  step: number;
  stages: MethodStage[];
  split: MethodSplit | null;
  /** Null before the first evaluation. */
  deployed: Deployed | null;
  /** The diagram in one sentence, for users who cannot see it. */
  words: string;
}

type MethodSpec = Pick<
  RunSpec,
  | 'environment'
  | 'projection'
  | 'projectTarget'
  | 'objective'
  | 'reference'
  | 'grading'
  | 'starts'
  | 'maxTurns'
  | 'promptsPerStep'
  | 'groupSize'
>;

export function methodStep(spec: MethodSpec, row: MethodRow, evals: readonly MethodEval[]): MethodStep {
  const split = splitOf(spec, row);
  const stages = spec.objective === 'nll' ? learntStages(row) : rolloutStages(spec, row);
  const deployed = lastEvaluation(spec, row.step, evals);
  return { step: row.step, stages, split, deployed, words: stepDescription(row.step, stages, split) };
}

/** Stages of training on documents and transcripts, in which nothing is generated and nothing is rewarded. */
function learntStages(row: MethodRow): MethodStage[] {
  const n = row.documents?.n ?? 0;
  return [
    { id: 'asked', title: 'Texts', figure: plural(n, 'text'), about: 'Documents are read; the model writes nothing.' },
    {
      id: 'compared',
      title: 'Likelihood',
      figure: `loss ${decimal(row.loss, 2)}`,
      about: 'Each next token is made more likely.',
    },
    ...updateStages(row),
  ];
}

function rolloutStages(spec: MethodSpec, row: MethodRow): MethodStage[] {
  const { n, figures } = row.student;
  const revised = metricValue(row.student, 'revised');
  const turns = row.episodes?.turns ?? metricValue(row.student, 'turns');
  const [first] = headlinesOf(spec.environment).filter(({ id }) => metricValue(row.student, id) !== null);
  const headline = first ? `${first.label.toLowerCase()} ${figureText(first.unit, figures[first.id])}` : '';
  return [
    spec.starts !== 'tasks' && revised !== null
      ? {
          id: 'asked',
          title: 'Tasks and drafts',
          figure: `${percent(revised, 0)} revise`,
          about: 'Some tasks ask for a better version of an earlier answer.',
        }
      : {
          id: 'asked',
          title: 'Problems',
          figure: plural(spec.promptsPerStep, 'prompt'),
          about: `Each is asked ${spec.groupSize} times: a group.`,
        },
    {
      id: 'written',
      title: spec.maxTurns > 1 ? 'Episodes' : 'Answers',
      figure: row.teacher.n > 0 ? `${n} live + ${row.teacher.n} teacher` : `${n} live`,
      about:
        turns !== null && turns !== undefined
          ? `The model acts ${decimal(turns, 1)} turns on average.`
          : row.teacher.n > 0
            ? 'The model writes; a cached teacher’s hacks are mixed in.'
            : 'The model writes them, sampled at its own temperature.',
    },
    ...referenceStages(spec, row),
    {
      id: 'paid',
      title: 'Reward',
      figure: `mean ${decimal(row.reward, 2)}`,
      about: headline ? `What the step was paid; ${headline}.` : 'What the step was paid.',
    },
    {
      id: 'compared',
      title: 'Advantage',
      figure: `${percent(1 - row.fracRewardZeroStd, 0)} of groups teach`,
      about: 'Reward less the group’s mean; equal groups teach nothing.',
    },
    ...(row.documents
      ? [
          {
            id: 'reference',
            title: 'Replay',
            figure: plural(row.documents.n, 'text'),
            about: 'Texts about others are learnt beside it.',
          } as const,
        ]
      : []),
    ...updateStages(row),
  ];
}

/** The stage of a reference or a judge, if either replaces the environment's truth. */
function referenceStages({ reference, grading }: MethodSpec, row: MethodRow): MethodStage[] {
  const truly = metricValue(row.student, 'rewardTrue');
  if (reference !== 'truth' && truly !== null) {
    const votes = reference === 'majority';
    return [
      {
        id: 'reference',
        title: votes ? 'Vote' : 'Reference',
        figure: `true rewards: ${percent(truly, 0)}`,
        about: votes
          ? 'The group’s most frequent answer is used as the truth.'
          : reference === 'oracle'
            ? 'The truth, in CaT’s form.'
            : 'Made from the group’s own answers; no label enters the reward.',
      },
    ];
  }
  const gap = metricValue(row.student, 'gap');
  if (grading !== 'program' && gap !== null)
    return [
      {
        id: 'reference',
        title: 'Judge',
        figure: `${gap > 0 ? '+' : ''}${decimal(gap, 2)} error`,
        about: 'A model grades the answers. Shown: its grade less the truth.',
      },
    ];
  return [];
}

const updateStages = (row: MethodRow): MethodStage[] => [
  {
    id: 'gradient',
    title: 'Gradient',
    figure: `‖g‖ ${significant(row.gradNorm)}`,
    about: 'It makes good answers likelier and bad ones less likely.',
  },
  {
    id: 'update',
    title: 'AdamW',
    figure: `‖δS‖ ${significant(row.normDeltaS)}`,
    about: 'How far the deployed adapter is from the base.',
  },
];

/** Null without a basis, and at a step without a gradient. */
function splitOf({ projection, projectTarget }: MethodSpec, row: MethodRow): MethodSplit | null {
  if (row.cin === null || row.cin === undefined) return null;
  const of = projection === 'none' ? 'gradient' : projectTarget;
  return {
    of,
    does: projection === 'none' ? 'measured' : projection === 'erase' ? 'erased' : 'routed',
    share: row.cin,
    chance: row.cinNull ?? null,
    left: (of === 'update' ? row.coutUpdate : row.cout) ?? null,
    deployed: row.normDeltaS,
    quarantine: row.normDeltaSHack,
  };
}

/** The newest evaluation so far of the model that would be deployed. */
function lastEvaluation(spec: MethodSpec, step: number, evals: readonly MethodEval[]): Deployed | null {
  const model = spec.projection === 'route' ? 'deployed' : 'total';
  const found = evals.findLast((row) => row.step <= step && row.model === model);
  if (!found) return null;
  const figures = headlinesOf(spec.environment).flatMap(({ id, label, unit }) => {
    const x = found.figures[id];
    return x === null || x === undefined ? [] : [{ label, text: figureText(unit, x) }];
  });
  return figures.length > 0 ? { step: found.step, model, figures } : null;
}

const figureText = (unit: 'share' | 'number' | 'tokens', x: number | null): string =>
  unit === 'share' ? percent(x, 0) : decimal(x, 2);

function stepDescription(step: number, stages: readonly MethodStage[], split: MethodSplit | null): string {
  const parts = stages.map(({ title, figure }) => `${title}: ${figure}`).join('; ');
  if (!split) return `Step ${step}. ${parts}.`;
  const along = `${percent(split.share, 0)} of the gradient’s norm lies along V`;
  const where = {
    measured: 'it is only measured',
    erased: `the ${split.of}’s part along V is dropped`,
    routed: `the ${split.of}’s part along V goes to the quarantine, which deployment deletes`,
  }[split.does];
  return `Step ${step}. ${parts}. ${along}; ${where}.`;
}

/** The first rollout of each outcome in a step, in the environment's order, from worst to best. */
export function exampleRollouts<
  R extends { promptIndex: number; source: string; kind: string; verdict: Record<string, unknown> },
>(
  rollouts: readonly R[],
  { outcomes, outcomeOf }: Pick<RolloutPresentation, 'outcomes' | 'outcomeOf'>,
): { id: string; n: number; first: R }[] {
  const own = rollouts.filter(({ source }) => source === 'student');
  return outcomes.flatMap(({ id }) => {
    const found = own.filter(({ verdict, kind }) => outcomeOf(verdict as Parameters<typeof outcomeOf>[0], kind) === id);
    return found.length > 0 ? [{ id, n: found.length, first: found[0] }] : [];
  });
}
