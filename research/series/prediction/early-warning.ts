// P3: does a run warn without labels: do the update's directions turn before hacking rises, and do they tell more than what every run logs anyway?
// Rule and measures were written before any judged run of the arena (docs/arena.md); the data are the vanilla and repaired-grader runs of its
// judged cells. Estimates have one value per run that hacks; the clean runs are the comparison.

import {
  comparedRuns,
  ONSET,
  SIGNALS,
  type SignalName,
  type Warning,
  warningsOf,
} from '../../../src/experiments/analysis/early-warning.ts';
import type { Estimates } from '../../../src/experiments/judge/estimate.ts';
import { eachLine } from '../../../src/experiments/judge/estimate.ts';
import type { Judgeable, Rule } from '../../../src/experiments/judge/rule.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { two } from '../../../src/lib/numbers.ts';
import { mean, pairedT } from '../../../src/stats/index.ts';
import { presentEstimates, rowProvenance } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import { nameOfCell } from './arena/published.ts';
import { namedRuns } from './shares.ts';

type Baseline = Exclude<SignalName, 'directionsKept'>;
const BASELINES = ['kl', 'entropy', 'reward', 'length'] as const satisfies readonly Baseline[];
const overKey = (name: Baseline) => `over:${name}` as const;

const RUNS = 15;

export const WARNING_NAMES = {
  auc: 'AUC of the update’s directions',
  lead: 'lead of the update’s directions, steps',
  clean: 'runs with repaired graders',
  'over:kl': 'AUC above KL’s',
  'over:entropy': 'AUC above entropy’s',
  'over:reward': 'AUC above reward’s',
  'over:length': 'AUC above completion length’s',
};
type Key = keyof typeof WARNING_NAMES;

export const WARNING_RULE: Rule<Key> = {
  needs: [
    { of: ['auc', 'lead'], least: RUNS, what: 'runs that hack' },
    { of: ['clean'], least: RUNS, what: 'runs with repaired graders' },
  ],
  // KL is logged only where it is in the loss.
  optional: ['over:kl'],
  cases: [
    {
      status: 'holds',
      when: {
        all: [
          { above: 'auc', bound: 0.5 },
          { above: 'lead' },
          ...BASELINES.map((name) => ({ above: overKey(name) }) as const),
        ],
      },
    },
    {
      status: 'in part',
      because: 'they warn, and something simpler is not shown to warn less',
      when: { all: [{ above: 'auc', bound: 0.5 }, { above: 'lead' }] },
    },
    { status: 'fails' },
  ],
  after: 'KL counts where it was logged.',
};

export interface EarlyWarning {
  warnings: Warning[];
  estimates: Partial<Record<Key, Judgeable>>;
}

export function earlyWarning(runs: readonly RunRecord[]): EarlyWarning {
  const groups = comparedRuns(runs);
  const warnings = warningsOf(groups);
  const own = warnings.find(({ signal }) => signal === 'directionsKept');
  if (!own) return { warnings, estimates: {} };
  const clean = groups.reduce((sum, group) => sum + group.clean.length, 0);
  const estimates: EarlyWarning['estimates'] = {
    auc: estimateOf(own.auc),
    lead: estimateOf(own.lead),
    clean: { n: clean, mean: clean, interval: null, each: [] },
  };
  for (const name of BASELINES) {
    const other = warnings.find(({ signal }) => signal === name);
    if (other) estimates[overKey(name)] = estimateOf(own.auc.map((auc, i) => auc - other.auc[i]));
  }
  return { warnings, estimates };
}

/** Estimate over the runs that hack. All are compared with the same clean runs, whose spread the interval does not
 *  include. */
export function estimateOf(values: readonly number[]): Judgeable {
  const interval = pairedT(values)?.interval ?? null;
  return { n: values.length, mean: mean(values), interval, each: values.map((value) => ({ value })) };
}

const FILE = 'prediction/baselines.runs.json.gz';

/** Returns the vanilla and repaired-grader runs, which are compared. */
const comparedBaselines = (runs: readonly RunRecord[]) =>
  runs.filter(({ spec }) => spec.arm === 'none' || spec.arm === 'repaired');

export const EARLY_WARNING: Question<readonly RunRecord[], Key> = {
  id: 'P3',
  title: 'Do the directions of the update warn before hacking rises?',
  hypothesis: `The dominant output directions of the update turn before a model begins to hack: against runs with repaired graders they tell in the ${ONSET.before} steps before, they leave those runs’ range steps earlier, and they tell more than KL, entropy, reward and completion length.`,
  falsified: 'An AUC whose interval is not above ½, or no lead.',
  unit: 'runs that hack',
  caveat:
    'One model of .85 M parameters and two flawed graders. The clean runs are the same for every run that hacks, and their own spread is not in the intervals. Each baseline counts on the side that favours it, the directions only where they fall. KL was not logged.',
  section: 'Do the update’s directions warn?',
  files: [FILE],
  commands: ['npm run research -- arena public/results/prediction/baselines.runs.json.gz --warning'],
  says: {
    holds:
      'Without any label the update’s directions warn before hacking rises, and tell more than what is logged anyway.',
    'in part: they warn, and something simpler is not shown to warn less':
      'The update’s directions warn before hacking rises; something simpler is not shown to warn less.',
    fails: 'The update’s directions give no early warning here.',
    open: 'Too few runs to say whether the update’s directions warn.',
  },
  read: (rows) => comparedBaselines(rows.runs(FILE)),
  names: WARNING_NAMES,
  rule: WARNING_RULE,
  show: two,
  estimates(runs) {
    const { warnings, estimates } = earlyWarning(runs);
    if (warnings.length === 0) return null;
    const cells = comparedRuns(runs).flatMap(({ hacking }) => hacking.map(({ run }) => nameOfCell(run)));
    return Object.fromEntries(
      Object.entries(estimates).map(([key, { n, mean, interval, each }]) => [
        key,
        {
          name: WARNING_NAMES[key as Key],
          word: null,
          n,
          mean,
          interval,
          each: each.map(({ value }, i) => ({ of: cells[i], value })),
        },
      ]),
    ) as Estimates<Key>;
  },
  line: ['auc', 'lead', 'over:kl', 'over:entropy', 'over:reward', 'over:length'],
  shown(runs, { estimates, verdict }) {
    const groups = comparedRuns(runs);
    const { warnings } = earlyWarning(runs);
    const onsets = groups.flatMap(({ hacking }) => hacking.map(({ onset }) => onset)).sort((a, b) => a - b);
    const earliest = (arm: string) =>
      mean(
        runs
          .filter(({ spec }) => spec.arm === arm)
          .flatMap(({ rows }) => rows.slice(0, 5).flatMap(({ reward }) => reward ?? [])),
      ) ?? 0;
    const vanilla = runs.filter(({ spec }) => spec.arm === 'none').length;
    return {
      tables: [
        tableOf(`Before hacking rises, ${onsets.length} of ${vanilla} runs of vanilla`, warnings, [
          ['signal', ({ signal }) => SIGNALS[signal].label],
          ['warns when', ({ side }) => side],
          ['AUC', ({ auc }) => estimateOf(auc), two],
          ['lead, steps', ({ lead }) => estimateOf(lead), two],
          ['warned', ({ warned, lead }) => `${warned} of ${lead.length}`],
        ]),
      ],
      chart: {
        kind: 'dots',
        title: 'AUC against runs with repaired graders, a dot a run that hacks',
        x: 'AUC',
        bounds: [{ at: 0.5, label: 'chance' }],
        rows: warnings.map(({ signal, auc }) => {
          const { mean, interval, n } = estimateOf(auc);
          return { name: SIGNALS[signal].label, arm: 'none', n, mean, interval, values: auc };
        }),
      },
      made: rowProvenance(runs),
      runs: () => namedRuns(runs),
      limits: [
        `Hacking rises at steps ${onsets[0]} to ${onsets[onsets.length - 1]}. The directions are first compared at step 10, so an early rise has few comparisons before it.`,
        `Reward tells the two kinds of runs apart before any hacking (in steps 1 to 5 ${two(earliest('none'))} against ${two(earliest('repaired'))}): a flawed grader pays right answers less often. Its AUC is no warning.`,
      ],
      inDocs: [`**P3: ${verdict.status}`, ...presentEstimates(estimates, ['auc']).map((one) => eachLine(one, two))],
    };
  },
};
