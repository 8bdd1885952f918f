// G2: does pretraining on composed forms transfer to held-out forms? Its rows are episodes, not runs. Tables: docs/lab-book/agents.md.
import { SPLITS, type Split } from '@projected-grpo-lab/are/generate/template.ts';
import { composedMetrics, type SampledRow } from '../../../src/experiments/environments/agents.ts';
import { eachLine } from '../../../src/experiments/judge/estimate.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import { three, two } from '../../../src/lib/numbers.ts';
import { dotChart, seedsEstimate } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';

const FILE = 'agents/composed.jsonl.gz';
const MODEL = 'tiny-agent-forms';
const LEAST = 0.25;
const SPLITS_WANTED = 3;
const PARTS = { templates: 'held-out forms', words: 'forms for training, other words' } as const;

const estimatesOf = (rows: readonly SampledRow[], part: keyof typeof PARTS) => {
  const [figures] = composedMetrics(rows.filter((row) => row.part === part));
  if (!figures) return null;
  const { seeds, solve } = figures;
  const ofSplit = (split: Split) => {
    const estimate = seedsEstimate(split, seeds, solve[split]);
    return { ...estimate, each: estimate.each.map(({ value }, i) => ({ of: `draw ${seeds[i]}`, value })) };
  };
  return Object.fromEntries(SPLITS.map((split) => [split, ofSplit(split)])) as Record<
    Split,
    ReturnType<typeof ofSplit>
  >;
};

/** Reads the rows of one model. */
export const G2: Question<readonly SampledRow[], Split> = {
  id: 'G2',
  title: 'Does a small agent pass composed forms that its pretraining held out?',
  hypothesis:
    'A model below two megabytes, pretrained on right transcripts of composed forms for training, passes a quarter or more of held-out forms in three splits or more.',
  falsified: 'Three splits in which a draw of tasks is passed to less than a quarter.',
  says: {
    holds: 'Pretrained on composed forms, one small agent passes a quarter or more of held-out forms in three splits.',
    'in part':
      'Pretrained on composed forms, one small agent passes a quarter or more of held-out forms in three splits on average alone.',
    fails: 'Pretrained on composed forms, one small agent does not pass a quarter of held-out forms in three splits.',
  },
  unit: 'draws of tasks',
  caveat:
    'One training of one model: draws differ in tasks and forms, so intervals and n say nothing of another training. Forms for training, in other words, stand in the table beside held-out ones: what fails there is skill, not composition.',
  section: 'What it does',
  files: [FILE],
  commands: [
    'npm run lab -- pretrain --environment agents:composed',
    `npm run lab -- are composed --model public/models/${MODEL} --model-name ${MODEL} --rows FILE`,
    `npm run lab -- are composed --model public/models/${MODEL} --model-name ${MODEL} --part words --rows FILE`,
    `npm run research -- tables agents public/results/${FILE}`,
  ],
  runsNote: 'Rows are episodes of a model that comes with the lab: it plays on the Agents view, not as a run.',
  read: (rows) => rows.lines<SampledRow>(FILE).filter(({ model }) => model === MODEL),
  names: Object.fromEntries(SPLITS.map((split) => [split, split])) as Record<Split, string>,
  rule: {
    cases: [
      {
        status: 'holds',
        when: { least: SPLITS_WANTED, among: SPLITS.map((split) => ({ every: split, atLeast: LEAST })) },
      },
      {
        status: 'in part',
        when: { least: SPLITS_WANTED, among: SPLITS.map((split) => ({ mean: split, atLeast: LEAST })) },
      },
      { status: 'fails' },
    ],
  },
  estimates: (rows) => estimatesOf(rows, 'templates'),
  shown(rows, { verdict, figures }) {
    const parts = (Object.keys(PARTS) as (keyof typeof PARTS)[]).flatMap((part) => {
      const of = estimatesOf(rows, part);
      return of ? [{ part, estimates: SPLITS.map((split) => of[split]) }] : [];
    });
    const [{ tasks, mean }] = composedMetrics(rows.filter(({ part }) => part === 'templates'));
    return {
      limits: [
        `One training of one model: n counts draws of ${tasks} tasks a split. Of held-out forms it passes ${SPLITS.map((split) => `${split} ${two(mean[split])}`).join(', ')}.`,
      ],
      tables: [
        tableOf(
          'Share passed, greedy, draw by draw',
          parts.flatMap(({ part, estimates }) => estimates.map((one) => ({ part, one }))),
          [
            ['of', ({ one }) => one.name],
            ['forms', ({ part }) => PARTS[part]],
            ['n', ({ one }) => String(one.n)],
            ['draws', ({ one }) => eachLine({ ...one, interval: null })],
          ],
        ),
      ],
      chart: dotChart('Held-out forms passed', 'share passed', figures, 'none', [{ at: LEAST, label: three(LEAST) }]),
      runs: () => [],
      inDocs: [
        `**G2: ${verdict.status}**`,
        ...parts.flatMap(({ part, estimates }) =>
          estimates.map(
            (one) =>
              `| ${one.name}${part === 'words' ? ', forms for training' : ''} | ${eachLine({ ...one, interval: null })} |`,
          ),
        ),
      ],
    };
  },
};
