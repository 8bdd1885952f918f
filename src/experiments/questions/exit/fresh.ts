// E3 and E4 once more, on five seeds that nobody had looked at, with the rules as they were. Docs: docs/lab-book/exit.md.
import type { SeriesQuestion } from '../../judge/types.ts';
import { ADDS, added, addsEach, FEW } from './added.ts';
import { MADE, UNIT } from './arms.ts';
import { SIGNED_SAYS } from './controls.ts';

const FILES = ['exit/fresh.jsonl.gz'];
const TRAINED = ['exit/fresh-training.json.gz'];
const OF_FRESH = {
  falsified: 'An interval that holds 0.',
  unit: UNIT,
  section: 'Other bases, and more seeds: the rules',
  files: [...FILES, ...TRAINED],
  commands: [
    'npm run lab -- run --environment chain --arms exit,exit_full,exit_clipped,exit_diverge,exit_diverse --seeds 46,47,48,49,50 --set evalEvery=0 --set finalEvalProblems=1 --out DIR',
    MADE,
    `npm run lab -- improve --rows public/results/${FILES[0]}`,
  ],
};

const E3_AGAIN: SeriesQuestion = {
  ...OF_FRESH,
  id: 'E3-again',
  title: 'Divergence and the diversity bonus, together and apart, on five fresh seeds',
  hypothesis: 'Divergence and the diversity bonus, and each alone, add to Q(16) of ExIt.',
  rule: addsEach(['divergence and diversity', 'divergence alone', 'diversity alone'].map((one) => `${one} − ExIt`)),
  says: {
    holds: 'Divergence and the diversity bonus add to Q(16), together and apart.',
    'in part': 'Some of divergence and the diversity bonus adds to Q(16), and some does not.',
    fails: 'Neither divergence nor the diversity bonus adds to Q(16).',
    open: 'Whether divergence and the diversity bonus add to Q(16) is open.',
  },
  caveat: `Judged on these seeds alone, since of the first five it was known that they leave it open. ${FEW}`,
  judge: (rows) => added(rows, 'E3', ['exit', 'exit_full', 'exit_diverge', 'exit_diverse'], [FILES, TRAINED]),
};

const E4_AGAIN: SeriesQuestion = {
  ...OF_FRESH,
  id: 'E4-again',
  title: 'A signed gain against the published clipped one, on five fresh seeds',
  hypothesis: 'A gain that counts worsening too adds to Q(16) over one that is clipped at 0.',
  rule: ADDS,
  says: SIGNED_SAYS,
  caveat: `Judged on these seeds alone, since of the first five it was known that they leave it open. ${FEW}`,
  judge: (rows) => added(rows, 'E4', ['exit', 'exit_clipped'], [FILES, TRAINED]),
};

export const FRESH = [E3_AGAIN, E4_AGAIN];
