// The charts: what each draws from a step's row, how its value axis looks, and the sentence under its title that says how to
// read it. Formula, range and caveats of each are in glossary.ts.
import type { RunRecord, StepRow } from '../../experiments/records/events.ts';
import { figureOf, type Rates } from '../../experiments/records/figures.ts';
import type { GlossaryEntry } from '../../experiments/spec/option.ts';
import { termsOf } from '../../experiments/worlds/all-terms.ts';
import type { WorldEntry } from '../../experiments/worlds/definition.ts';
import { type MetricInfo, wordsOf } from '../../experiments/worlds/metric.ts';
import { findWorld } from '../../experiments/worlds/registry.ts';

export interface Metric {
  id: string;
  title: string;
  /** What the question mark says; the glossary's entry of that id where absent. */
  words?: GlossaryEntry;
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
  /** Drawn only where this holds for a run; always where absent. */
  applies?(run: RunRecord): boolean;
}

export interface MetricGroup {
  id: 'main' | 'kinds' | 'overlaps' | 'rollouts' | 'adapter';
  title: string;
  /** Whether it is unfolded at first; the main group always is. */
  open: boolean;
  metrics: readonly Metric[];
}

const SHARES = [0, 0.2, 0.4, 0.6, 0.8, 1];
const share = { ticks: SHARES, format: 'share' } as const;
/** Without pairs there is no basis, and nothing overlaps with it. */
const hasPairs = ({ spec }: RunRecord): boolean => termsOf(spec.environment)?.pairs ?? true;
const overlap = { ticks: null, format: 'fixed', axis: 'overlap', applies: hasPairs } as const;
const size = { ticks: null, format: 'size' } as const;

/** The chart of one of a world's metrics. */
function ofWorld(info: MetricInfo): Metric {
  const { id, label, about, unit, kind, occasional } = info;
  return {
    id,
    title: label,
    about,
    words: wordsOf(info),
    value: ({ student }) => figureOf(student, id),
    evaluated: (rates) => figureOf(rates, id),
    ...(kind === undefined && !occasional
      ? {}
      : { applies: ({ rows }: RunRecord) => rows.some(({ student }) => id in student.figures) }),
    ...(unit === 'share' ? share : size),
  };
}

/** Only then does a row speak of ratios. */
const movesRatios = ({ rows }: RunRecord): boolean => rows.some(({ ratioMean }) => ratioMean !== undefined);

/** What every run has, whatever its world. */
const SPINE: readonly MetricGroup[] = [
  {
    id: 'overlaps',
    title: 'Overlap with the hack basis',
    open: false,
    metrics: [
      {
        id: 'cinStudent',
        title: 'Hack overlap, student',
        about:
          'How much of the live rollouts’ gradient points along the hack directions (cin_s). Dotted: a random gradient.',
        value: (row) => row.cinStudent,
        nullLine: (row) => row.cinNull,
        ...overlap,
      },
      {
        id: 'cinTeacher',
        title: 'Hack overlap, teacher',
        about: 'The same for cached teacher rollouts, which are known hacks (cin_t).',
        value: (row) => row.cinTeacher,
        nullLine: (row) => row.cinNull,
        ...overlap,
      },
      {
        id: 'cout',
        title: 'Overlap after projection',
        about: 'What is left of it in the gradient that AdamW is fed (cout). Near 0 under erase by construction.',
        value: (row) => row.cout,
        ...overlap,
      },
      {
        id: 'coutUpdate',
        title: 'Overlap of the update',
        about: 'The same of the deployed model’s actual step: what the optimizer makes of it.',
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
        about: 'Mean over the step.',
        value: (row) => row.reward,
        ticks: null,
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
    id: 'adapter',
    title: 'Adapter and optimizer',
    open: false,
    metrics: [
      {
        id: 'normDeltaS',
        title: '‖δS‖',
        about: 'How far the deployed knob has moved from the base.',
        value: (row) => row.normDeltaS,
        ...size,
      },
      {
        id: 'normDeltaSHack',
        title: '‖δS_hack‖',
        about: 'What route has put into the quarantine; deployment leaves it out.',
        value: (row) => row.normDeltaSHack,
        applies: (run) => run.spec.projection === 'route',
        ...size,
      },
      {
        id: 'gradNorm',
        title: 'Gradient norm',
        about: 'Before the clip; 0 where every group was skipped.',
        value: (row) => row.gradNorm,
        ...size,
      },
      {
        id: 'kl',
        title: 'KL to the base',
        about: 'Mean K3 estimate for each scored token, in nats.',
        value: (row) => row.kl,
        applies: (run) => run.spec.klBeta > 0,
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

export const SPINE_METRICS: readonly Metric[] = SPINE.flatMap((group) => group.metrics);

const known = new Map<WorldEntry | null, readonly MetricGroup[]>();

/** The charts of a run of this environment, in the order in which they are read; the first group always is unfolded. */
export function metricGroups(environment: string): readonly MetricGroup[] {
  const world = findWorld(environment);
  const found = known.get(world) ?? groupsOf(world);
  known.set(world, found);
  return found;
}

function groupsOf(world: WorldEntry | null): readonly MetricGroup[] {
  const drawn = world?.metrics.filter(({ undrawn }) => !undrawn) ?? [];
  const headlines = drawn.filter(({ headline }) => headline);
  const others = drawn.filter(({ headline, kind }) => !headline && kind === undefined);
  const kinds = drawn.filter(({ kind }) => kind !== undefined);
  const spine = SPINE.map((group) => (group.id === 'rollouts' ? withReward(group, world, others) : group));
  const at = spine.findIndex(({ id }) => id === 'adapter');
  const byKind: MetricGroup = { id: 'kinds', title: world?.kinds ?? '', open: false, metrics: kinds.map(ofWorld) };
  const [first, ...rest] = headlines.map(({ label }) => label);
  const main: MetricGroup = {
    id: 'main',
    title: [first ?? 'No figures', ...rest.map((label) => label.toLowerCase())].join(' and '),
    open: true,
    metrics: headlines.map(ofWorld),
  };
  return [main, ...spine.slice(0, at), ...(kinds.length > 0 ? [byKind] : []), ...spine.slice(at)];
}

/** The reward's words and axis are the world's; what else it measures stands beside it. */
function withReward(group: MetricGroup, world: WorldEntry | null, others: readonly MetricInfo[]): MetricGroup {
  const metrics = group.metrics.map((metric) =>
    metric.id === 'reward' && world ? { ...metric, ...world.reward } : metric,
  );
  return { ...group, metrics: [...metrics, ...others.map(ofWorld)] };
}

/** Those that at least one of the runs has something to show for. */
export function metricsFor(runs: readonly RunRecord[], group: MetricGroup): Metric[] {
  return group.metrics.filter(({ applies }) => !applies || runs.some(applies));
}
