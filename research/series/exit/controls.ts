// E2 to E4: which part of the method has the effect. Rules and tables: docs/lab-book/exit.md.
import type { Question } from '../../judge/question.ts';
import { addsQuestion, FEW } from './added.ts';
import { type ExitData, FIVE_SEEDS_QUESTION, MADE, UNIT } from './arms.ts';

const E2: Question<ExitData> = {
  ...FIVE_SEEDS_QUESTION,
  id: 'E2',
  title: 'Does the variance curriculum add to other ways of starting?',
  hypothesis:
    'Choosing starts by variance adds to Q(16) over an even choice, random drafts, first answers alone, and taking a group’s best rollout as the child.',
  falsified: 'An interval that includes 0; by the rule that alone leaves it open.',
  ...addsQuestion('E2', [
    ['exit', 'exit_uniform'],
    ['exit', 'exit_drafts'],
    ['exit', 'exit_depth1'],
    ['exit', 'exit_best'],
  ]),
  says: {
    holds: 'The variance curriculum adds to every other way of starting.',
    'in part': 'The variance curriculum adds to some other ways of starting, and to others not.',
    fails: 'The variance curriculum adds to no other way of starting.',
    open: 'Whether the variance curriculum adds to other ways of starting is open.',
  },
  caveat: `Random drafts test whether the curriculum matters at all: where they do as well, it does not. ${FEW}`,
};

const E3: Question<ExitData> = {
  ...FIVE_SEEDS_QUESTION,
  id: 'E3',
  title: 'Do divergence and the diversity bonus add to it?',
  hypothesis: 'Divergence and the diversity bonus add to Q(16) of ExIt.',
  falsified: 'An interval that includes 0; by the rule that alone leaves it open.',
  ...addsQuestion('E3', [['exit_full', 'exit']]),
  says: {
    holds: 'Divergence and the diversity bonus add to Q(16).',
    'fails: adds nothing': 'Divergence and the diversity bonus add nothing to Q(16).',
    'fails: costs': 'Divergence and the diversity bonus cost at Q(16).',
    open: 'Whether divergence and the diversity bonus add to Q(16) is open.',
  },
  caveat: `Both at once: which of the two does what is not asked. ${FEW}`,
};

/** Words for a signed gain, on these seeds and on fresh ones. */
const SIGNED_SAYS = {
  holds: 'A signed gain adds to Q(16).',
  'fails: adds nothing': 'A signed gain adds nothing to Q(16).',
  'fails: costs': 'A signed gain costs at Q(16).',
  open: 'Whether a signed gain adds to Q(16) is open.',
};

const E4: Question<ExitData> = {
  ...FIVE_SEEDS_QUESTION,
  id: 'E4',
  title: 'Does a signed gain add over the published clipped one?',
  hypothesis: 'A gain that counts worsening too adds to Q(16) over one that is clipped at 0.',
  falsified: 'An interval that includes 0; by the rule that alone leaves it open.',
  ...addsQuestion('E4', [['exit', 'exit_clipped']]),
  says: SIGNED_SAYS,
  caveat: FEW,
};

export const CONTROLS = [E2, E3, E4];

// E3 and E4 again, on five fresh seeds with the same rules.

const FRESH_ROWS = { files: ['exit/fresh.jsonl.gz'], trained: ['exit/fresh-training.json.gz'] };
const FRESH_QUESTION = {
  falsified: 'An interval that includes 0; by the rule that alone leaves it open.',
  unit: UNIT,
  section: 'Other bases, and more seeds: the rules',
  files: [...FRESH_ROWS.files, ...FRESH_ROWS.trained],
  commands: [
    'npm run lab -- run --environment chain --arms exit,exit_full,exit_clipped,exit_diverge,exit_diverse --seeds 46,47,48,49,50 --set evalEvery=0 --set finalEvalProblems=1 --out DIR',
    MADE,
    `npm run research -- tables exit public/results/${FRESH_ROWS.files[0]}`,
  ],
};

const E3_AGAIN: Question<ExitData> = {
  ...FRESH_QUESTION,
  id: 'E3-again',
  title: 'Divergence and the diversity bonus, together and apart, on five fresh seeds',
  hypothesis: 'Divergence and the diversity bonus, and each alone, add to Q(16) of ExIt.',
  ...addsQuestion(
    'E3',
    [
      ['exit_full', 'exit'],
      ['exit_diverge', 'exit'],
      ['exit_diverse', 'exit'],
    ],
    FRESH_ROWS,
    ['exit', 'exit_full', 'exit_diverge', 'exit_diverse'],
  ),
  says: {
    holds: 'Divergence and the diversity bonus add to Q(16), together and apart.',
    'in part': 'Some of divergence and the diversity bonus adds to Q(16), and some does not.',
    fails: 'Neither divergence nor the diversity bonus adds to Q(16).',
    open: 'Whether divergence and the diversity bonus add to Q(16) is open.',
  },
  caveat: `Judged on these seeds alone, since of the first five it was known that they leave it open. ${FEW}`,
};

const E4_AGAIN: Question<ExitData> = {
  ...FRESH_QUESTION,
  id: 'E4-again',
  title: 'A signed gain against the published clipped one, on five fresh seeds',
  hypothesis: 'A gain that counts worsening too adds to Q(16) over one that is clipped at 0.',
  ...addsQuestion('E4', [['exit', 'exit_clipped']], FRESH_ROWS),
  says: SIGNED_SAYS,
  caveat: `Judged on these seeds alone, since of the first five it was known that they leave it open. ${FEW}`,
};

export const FRESH = [E3_AGAIN, E4_AGAIN];
