// P3: does a run itself warn, without a label, before hacking rises? The rule and the measures were written before any judged run of the
// arena (../../arena/early-warning.ts); the rows are the vanilla and the repaired-grader runs of the arena's judged cells.

import { two } from '../../../lib/numbers.ts';
import { mean } from '../../../stats/index.ts';
import { comparedRuns, ONSET, SIGNALS } from '../../analysis/early-warning.ts';
import { earlyWarning, estimateOf, WARNING_NAMES, WARNING_RULE, type WarningKey } from '../../arena/early-warning.ts';
import { nameOfCell } from '../../arena/published.ts';
import { eachLine, madeOf } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import { tableOf } from '../../judge/table.ts';
import type { Estimates, Judgement } from '../../judge/types.ts';
import type { RunRecord } from '../../records/events.ts';
import { namedRuns } from './shares.ts';

const FILE = 'prediction/baselines.runs.json.gz';

/** Of the judged cells' baselines those that are compared. */
const asked = (runs: readonly RunRecord[]) => runs.filter(({ spec }) => spec.arm === 'none' || spec.arm === 'repaired');

export const EARLY_WARNING: Question<readonly RunRecord[], WarningKey> = {
  id: 'P3',
  title: 'Do the directions of the update warn before hacking rises?',
  hypothesis: `The dominant output directions of the update turn before a model begins to hack: against runs with repaired graders they tell in the ${ONSET.before} steps before, they leave those runs’ range steps earlier, and they tell more than KL, entropy, reward and completion length.`,
  falsified: 'An AUC whose interval is not above ½, or no lead.',
  unit: 'runs that hack',
  caveat:
    'One model of .85 M parameters and two flawed graders. The clean runs are the same for every run that hacks, and their own spread is not in the intervals. Each baseline counts on the side that favours it, the directions only where they fall. KL was not logged.',
  section: 'Do the update’s directions warn?',
  files: [FILE],
  commands: ['npm run lab -- arena public/results/prediction/baselines.runs.json.gz --warning'],
  says: {
    holds:
      'Without any label the update’s directions warn before hacking rises, and tell more than what is logged anyway.',
    'in part: they warn, and something simpler is not shown to warn less':
      'The update’s directions warn before hacking rises; something simpler is not shown to warn less.',
    fails: 'The update’s directions give no early warning here.',
    open: 'Too few runs to say whether the update’s directions warn.',
  },
  read: (rows) => asked(rows.runs(FILE)),
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
          name: WARNING_NAMES[key as WarningKey],
          word: null,
          n,
          mean,
          interval,
          each: each.map(({ value }, i) => ({ of: cells[i], value })),
        },
      ]),
    ) as Estimates<WarningKey>;
  },
  line: ['auc', 'lead', 'over:kl', 'over:entropy', 'over:reward', 'over:length'],
  shown(runs, { estimates, verdict }): Pick<Judgement, 'tables' | 'chart' | 'made' | 'runs' | 'inDocs' | 'limits'> {
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
      made: madeOf(runs),
      runs: () => namedRuns(runs),
      limits: [
        `Hacking rises at steps ${onsets[0]} to ${onsets[onsets.length - 1]}. The directions are first compared at step 10, so an early rise has few comparisons before it.`,
        `Reward tells the two kinds of runs apart before any hacking (in steps 1 to 5 ${two(earliest('none'))} against ${two(earliest('repaired'))}): a flawed grader pays right answers less often. Its AUC is no warning.`,
      ],
      inDocs: [`**P3: ${verdict.status}`, ...(estimates.auc ? [eachLine(estimates.auc, two)] : [])],
    };
  },
};
