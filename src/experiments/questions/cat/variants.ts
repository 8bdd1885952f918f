// C9 to C11: other group sizes, a pull towards the anchor, finetuning on references. Rules and tables: docs/lab-book/cat.md.
import { finalBySeed, SIZES, variantOf, variantVerdicts } from '../../cat/variants.ts';
import { dotsOf, ofSpread, shown, within, ZERO } from '../../judge/estimates.ts';
import { experimentOfRun, judgedAs } from '../../judge/question.ts';
import { tableOf } from '../../judge/table.ts';
import type { Judged, LabRun, Rows, SeriesQuestion, Table } from '../../judge/types.ts';
import type { RunRecord } from '../../records/events.ts';
import { catQuestion } from './question.ts';

const FILE = 'cat/variants.json.gz';
const PLAIN = 'cat/training-2.json.gz';
const UNIT = 'training seeds';

const ofVariants = (runs: readonly RunRecord[], wanted: (name: string) => boolean) =>
  runs.flatMap((run) => {
    const name = variantOf(run);
    return name !== null && wanted(name) ? [{ name, run }] : [];
  });

function finals(runs: readonly RunRecord[], wanted: (name: string) => boolean): Table {
  const names = [...new Set(ofVariants(runs, wanted).map(({ name }) => name))];
  const variants = names.map((name) => ({ name, values: [...finalBySeed(runs, name, 'solve').values()] }));
  return tableOf('Solve of the final evaluation, means over seeds [95 %]', variants, [
    ['variant', ({ name }) => name],
    ['n', ({ values }) => String(values.length)],
    ['solve', ({ values }) => within(values)],
  ]);
}

function judged(rows: Rows, id: string, wanted: (name: string) => boolean): Judged | null {
  const runs = [...rows.runs(PLAIN), ...rows.runs(FILE)];
  const found = variantVerdicts(runs).find(({ question }) => question === id);
  if (!found) return null;
  const seeds = [...finalBySeed(runs, 'G 8', 'solve').keys()];
  const figures = found.figures.map((one) => ofSpread(one, one.values.length === seeds.length ? seeds : []));
  return judgedAs(
    found.verdict,
    { unit: UNIT, figures },
    {
      tables: [finals(runs, wanted)],
      chart: {
        kind: 'dots',
        title: 'Difference in solve',
        x: 'difference in solve',
        bounds: [ZERO],
        rows: dotsOf(figures, () => (id === 'C11' ? 'cat_sft' : 'cat')),
      },
      runs: ofVariants(runs, wanted).map(({ name, run }): LabRun => {
        return { group: name, name: `seed ${run.spec.seed}`, spec: experimentOfRun(run), record: run };
      }),
      inDocs: [`**${id}: ${found.verdict}.**`, ...figures.map((figure) => shown(figure))],
    },
  );
}

const PLAIN_SET = '--steps 30 --set evalEvery=0 --set finalEvalProblems=400 --set checkpointEvery=0 --json FILE';
const made = (...arms: readonly string[]) => [
  ...arms.map((arm) => `npm run lab -- run --environment arithmetic --arms ${arm} --seeds 41,42,43 ${PLAIN_SET}`),
  `npm run lab -- synthesise --runs public/results/${PLAIN},public/results/${FILE}`,
];
const COMMON = { unit: UNIT, section: 'Variants of the training', files: [PLAIN, FILE] };
const isSize = (name: string) => SIZES.some((size) => name === `G ${size}`);

export const VARIANTS: readonly SeriesQuestion[] = [
  catQuestion('C9', {
    ...COMMON,
    commands: made(...[2, 16].map((size) => `cat --set groupSize=${size} --set promptsPerStep=${64 / size}`)),
    says: {
      holds: 'Groups of eight end truer than groups of two, at equal rollouts.',
      fails: 'Groups of two end truer than groups of eight, at equal rollouts.',
      open: 'Whether larger groups end truer is open.',
    },
    caveat:
      'At equal rollouts a larger group sees fewer problems: both change at once, and cost of synthesis is not counted.',
    judge: (rows) => judged(rows, 'C9', isSize),
  }),
  catQuestion('C10', {
    ...COMMON,
    commands: made('cat --set klBeta=0.1'),
    says: {
      holds: 'A pull towards the anchor costs what is learnt.',
      fails: 'A pull towards the anchor does not cost: solve ends higher.',
      open: 'Whether a pull towards the anchor costs is open.',
    },
    caveat: 'One strength is judged, at thirty steps: what a pull is for, longer runs, is not asked.',
    judge: (rows) => judged(rows, 'C10', (name) => name === 'G 8' || name.startsWith('KL ')),
  }),
  catQuestion('C11', {
    ...COMMON,
    commands: made('cat_sft'),
    says: {
      holds: 'Finetuning on references ends lower than being paid for agreeing with them.',
      fails: 'Finetuning on references ends higher than being paid for agreeing with them.',
      open: 'Whether finetuning on references ends lower is open.',
    },
    caveat: 'At the same rate and as many steps, not at the best rate of each: at this one a run in three broke.',
    judge: (rows) => judged(rows, 'C11', (name) => name === 'G 8' || name === 'finetuned'),
  }),
];
