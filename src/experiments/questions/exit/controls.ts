// E2 to E4: what of the method it is. Rules and tables: docs/lab-book/exit.md.
import type { SeriesQuestion } from '../../judge/types.ts';
import { ADDS, added, addsEach, FEW } from './added.ts';
import { OF_FIVE } from './arms.ts';

const E2: SeriesQuestion = {
  ...OF_FIVE,
  id: 'E2',
  title: 'Does the variance curriculum add to other ways of starting?',
  hypothesis:
    'Choosing starts by variance adds to Q(16) over an even choice, random drafts, first answers alone, and taking a group’s best rollout as the child.',
  falsified: 'An interval that holds 0.',
  rule: addsEach(
    ['chosen evenly', 'random drafts', 'first answers alone', 'the best goes on'].map((other) => `ExIt − ${other}`),
  ),
  says: {
    holds: 'The variance curriculum adds to every other way of starting.',
    'in part': 'The variance curriculum adds to some other ways of starting, and to others not.',
    fails: 'The variance curriculum adds to no other way of starting.',
    open: 'Whether the variance curriculum adds to other ways of starting is open.',
  },
  caveat: `Random drafts test whether the curriculum matters at all: where they do as well, it does not. ${FEW}`,
  judge: (rows) => added(rows, 'E2', ['exit', 'exit_uniform', 'exit_drafts', 'exit_depth1', 'exit_best']),
};

const E3: SeriesQuestion = {
  ...OF_FIVE,
  id: 'E3',
  title: 'Do divergence and the diversity bonus add to it?',
  hypothesis: 'Divergence and the diversity bonus add to Q(16) of ExIt.',
  falsified: 'An interval that holds 0.',
  rule: ADDS,
  says: {
    holds: 'Divergence and the diversity bonus add to Q(16).',
    'fails: adds nothing': 'Divergence and the diversity bonus add nothing to Q(16).',
    'fails: costs': 'Divergence and the diversity bonus cost at Q(16).',
    open: 'Whether divergence and the diversity bonus add to Q(16) is open.',
  },
  caveat: `Both at once: which of the two does what is not asked. ${FEW}`,
  judge: (rows) => added(rows, 'E3', ['exit_full', 'exit']),
};

/** Of a signed gain, on these seeds and on fresh ones. */
export const SIGNED_SAYS = {
  holds: 'A signed gain adds to Q(16).',
  'fails: adds nothing': 'A signed gain adds nothing to Q(16).',
  'fails: costs': 'A signed gain costs at Q(16).',
  open: 'Whether a signed gain adds to Q(16) is open.',
};

const E4: SeriesQuestion = {
  ...OF_FIVE,
  id: 'E4',
  title: 'Does a signed gain add over the published clipped one?',
  hypothesis: 'A gain that counts worsening too adds to Q(16) over one that is clipped at 0.',
  falsified: 'An interval that holds 0.',
  rule: ADDS,
  says: SIGNED_SAYS,
  caveat: FEW,
  judge: (rows) => added(rows, 'E4', ['exit', 'exit_clipped']),
};

export const CONTROLS = [E2, E3, E4];
