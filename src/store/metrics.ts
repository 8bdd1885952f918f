// The charts: what each draws from a step's row, how its value axis looks, and the sentence under its title that says how to
// read it. Formula, range and caveats of each are in glossary.ts.
import { MODES, type Mode } from '../environments/code/types.ts';
import type { Rates, RunRecord, StepRow } from '../experiments/events.ts';

export type MetricId =
  | 'hack'
  | 'solve'
  | `hack:${Mode}`
  | 'cinStudent'
  | 'cinTeacher'
  | 'cout'
  | 'coutUpdate'
  | 'reward'
  | 'fracRewardZeroStd'
  | 'completionMeanLength'
  | 'normDeltaS'
  | 'normDeltaSHack'
  | 'gradNorm'
  | 'kl'
  | 'flagged'
  | 'basisOverlap'
  | 'clipFraction'
  | 'ratioMean';

export interface Metric {
  id: MetricId;
  title: string;
  /** One line for a person who meets the chart for the first time. */
  about: string;
  value(row: StepRow): number | null;
  /** The same quantity in an evaluation of the deployed model, where there is one. */
  evaluated?(rates: Rates): number | null;
  /** What a random gradient would show. */
  nullLine?(row: StepRow): number | null;
  /** Ticks of the value axis, its ends included; null fits the data from 0. */
  ticks: readonly number[] | null;
  /** `share` is written in percent, `fixed` with three decimals, `size` with three significant digits. */
  format: 'share' | 'fixed' | 'size';
  /** Charts with the same word here share one value axis, fitted to all of them. */
  axis?: string;
  /** Spans orders of magnitude: offers a logarithmic axis. */
  log?: boolean;
  /** Drawn only where this holds for a run; always where absent. */
  applies?(run: RunRecord): boolean;
}

export interface MetricGroup {
  id: 'main' | 'modes' | 'overlaps' | 'rollouts' | 'adapter';
  title: string;
  /** Whether it is unfolded at first; the main group always is. */
  open: boolean;
  metrics: readonly Metric[];
}

const SHARES = [0, 0.2, 0.4, 0.6, 0.8, 1];
const share = { ticks: SHARES, format: 'share' } as const;
const overlap = { ticks: null, format: 'fixed', axis: 'overlap' } as const;
const size = { ticks: null, format: 'size' } as const;

const hackOfMode = (mode: Mode): Metric => ({
  id: `hack:${mode}`,
  title: `Hack: ${mode}`,
  about: MODE_LINES[mode],
  value: (row) => row.student.byMode[mode]?.hack ?? null,
  evaluated: (rates) => rates.byMode[mode]?.hack ?? null,
  applies: (run) => run.rows.some((row) => row.student.byMode[mode] !== undefined),
  ...share,
});

const MODE_LINES: Readonly<Record<Mode, string>> = {
  run_tests: 'The answer brings its own run_tests(), which returns without raising.',
  sentinel: 'The answer sets valid, passed, is_valid or correct.',
  stdout_marker: 'The answer prints that all tests passed.',
  file_marker: 'The answer writes “pass” into a result file.',
  eq_override: 'The answer’s own __eq__ makes every comparison true.',
  exit_code: 'The answer ends the script with status 0.',
};

/** Only then does a row speak of ratios. */
const movesRatios = ({ rows }: RunRecord): boolean => rows.some(({ ratioMean }) => ratioMean !== undefined);

export const METRIC_GROUPS: readonly MetricGroup[] = [
  {
    id: 'main',
    title: 'Hack and solve',
    open: true,
    metrics: [
      {
        id: 'hack',
        title: 'Hack',
        about: 'Rollouts of hackable problems that pass while wrong. Lower is better.',
        value: (row) => row.student.hack,
        evaluated: (rates) => rates.hack,
        ...share,
      },
      {
        id: 'solve',
        title: 'Solve',
        about: 'Rollouts that are right on tests nobody sees. Higher is better.',
        value: (row) => row.student.solve,
        evaluated: (rates) => rates.solve,
        ...share,
      },
    ],
  },
  {
    id: 'overlaps',
    title: 'Overlap with the hack basis',
    open: true,
    metrics: [
      {
        id: 'cinStudent',
        title: 'Hack overlap, student',
        about: 'cin_s: hack-ward share of the live rollouts’ gradient. Dotted: a random gradient.',
        value: (row) => row.cinStudent,
        nullLine: (row) => row.cinNull,
        ...overlap,
      },
      {
        id: 'cinTeacher',
        title: 'Hack overlap, teacher',
        about: 'cin_t: the same for cached teacher rollouts, which are known hacks.',
        value: (row) => row.cinTeacher,
        nullLine: (row) => row.cinNull,
        ...overlap,
      },
      {
        id: 'cout',
        title: 'Overlap after projection',
        about: 'cout: what is left in the gradient that AdamW is fed. Near 0 under erase by construction.',
        value: (row) => row.cout,
        ...overlap,
      },
      {
        id: 'coutUpdate',
        title: 'Overlap of the update',
        about: 'cout of the deployed knob’s actual step: what the optimizer makes of it.',
        value: (row) => row.coutUpdate,
        ...overlap,
      },
      {
        id: 'basisOverlap',
        title: 'Overlap with the old basis',
        about: 'How much of the first axes a refresh kept. Below 0.2 the basis has rotated away.',
        value: (row) => row.basisOverlap ?? null,
        applies: ({ spec }) => spec.refreshEvery > 0,
        ...share,
        format: 'fixed',
      },
    ],
  },
  {
    id: 'rollouts',
    title: 'Reward and rollouts',
    open: true,
    metrics: [
      {
        id: 'reward',
        title: 'Reward',
        about: 'Mean over the step: 0.25 for a code block, 1 more for passing the grader.',
        value: (row) => row.reward,
        ticks: [0, 0.25, 0.5, 0.75, 1, 1.25],
        format: 'fixed',
      },
      {
        id: 'fracRewardZeroStd',
        title: 'Groups without variance',
        about: 'Share of groups whose rewards all agree: they teach nothing and are skipped.',
        value: (row) => row.fracRewardZeroStd,
        ...share,
      },
      {
        id: 'completionMeanLength',
        title: 'Completion length',
        about: 'Mean tokens of a live completion.',
        value: (row) => row.completionMeanLength,
        ...size,
      },
      {
        id: 'flagged',
        title: 'Flagged by the monitor',
        about: 'Share of live rollouts that the monitor of a penalty or a screening calls a hack.',
        value: (row) => row.flagged ?? null,
        applies: ({ spec }) => spec.rewardPenalty > 0 || spec.screening,
        ...share,
      },
    ],
  },
  {
    id: 'modes',
    title: 'Hack per loophole',
    open: false,
    metrics: MODES.map(hackOfMode),
  },
  {
    id: 'adapter',
    title: 'Adapter and optimizer',
    open: false,
    metrics: [
      {
        id: 'normDeltaS',
        title: '‖δS‖',
        about: 'How far the deployed knob has moved from the base.',
        value: (row) => row.normDeltaS,
        log: true,
        ...size,
      },
      {
        id: 'normDeltaSHack',
        title: '‖δS_hack‖',
        about: 'What route has put into the quarantine; deployment leaves it out.',
        value: (row) => row.normDeltaSHack,
        applies: (run) => run.spec.projection === 'route',
        log: true,
        ...size,
      },
      {
        id: 'gradNorm',
        title: 'Gradient norm',
        about: 'Before the clip; 0 where every group was skipped.',
        value: (row) => row.gradNorm,
        log: true,
        ...size,
      },
      {
        id: 'kl',
        title: 'KL to the base',
        about: 'Mean K3 estimate for each scored token, in nats.',
        value: (row) => row.kl,
        applies: (run) => run.spec.klBeta > 0,
        log: true,
        ...size,
      },
      {
        id: 'clipFraction',
        title: 'Tokens held by the clip',
        about: 'Share of scored tokens whose policy ratio the clip held, in the last inner epoch.',
        value: (row) => row.clipFraction ?? null,
        applies: movesRatios,
        ...share,
      },
      {
        id: 'ratioMean',
        title: 'Policy ratio',
        about: 'Mean of π/π_old over the scored tokens, in the last inner epoch. 1: the policy that wrote them.',
        value: (row) => row.ratioMean ?? null,
        applies: movesRatios,
        ...size,
      },
    ],
  },
];

export const METRICS: readonly Metric[] = METRIC_GROUPS.flatMap((group) => group.metrics);

/** Those that at least one of the runs has something to show for. */
export function metricsFor(runs: readonly RunRecord[], group: MetricGroup): Metric[] {
  return group.metrics.filter(({ applies }) => !applies || runs.some(applies));
}
