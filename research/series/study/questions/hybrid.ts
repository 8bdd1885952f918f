// Does it hold if most layers have a recurrent state instead of attention (Q21)? Problems, evaluation set, pairs, teacher pool and seeds
// are those of the rest of the study; the base is another one, made by the same recipe. So each cell of the hybrid is compared with the
// same cell of full attention, seed by seed, and the question is equivalence within margins.

import { CODE_MODELS, HYBRID } from '../../../../src/environments/code/types.ts';
import { points } from '../../../../src/experiments/analysis/words.ts';
import { clause, grouped } from '../answer.ts';
import { base, deployed, FIVE, netRemoved, steered, trained, vanilla } from '../cells.ts';
import { H1 } from '../h1.ts';
import { cellSentence, hack, isKnown, lowers, near, solve } from '../judge.ts';
import type { StudyQuestion } from '../types.ts';

/**
 * Two models of the same recipe, with five seeds of one draw: differences below ten points of hack or solve are not significant. H1 allows
 * an equal loss of solve.
 */
const MARGIN = 0.1;

const OVER = { model: CODE_MODELS[HYBRID].model } as const;
const seeds = FIVE;
const ROUTED = 'hybrid-route-update';
const ON_HYBRID = { seeds, against: 'hybrid' };

/** These cells must equal those of full attention. */
const SAME = [
  { id: 'hybrid', label: 'vanilla' },
  { id: 'hybrid-erase', label: 'erase' },
  { id: 'hybrid-route', label: 'route (gradient), deployed' },
  { id: ROUTED, label: 'route (update), deployed' },
] as const;
const isSame = (id: string) => ({ all: [near(hack(id), MARGIN), near(solve(id), MARGIN)] });
const own = (id: string) => hack(id, 'hybrid');
const LEARNED = { mean: own('hybrid-base'), lessThan: -H1.learned };

const q21: StudyQuestion = {
  id: 'Q21',
  title: 'Does it hold for a hybrid of linear and full attention?',
  hypothesis: `A hybrid (three layers of four with a gated delta rule in the place of attention) learns the hack and loses it as full attention does: vanilla, erase and both deployed models hack and solve within ${points(MARGIN)} of full attention’s, and what is deployed hacks less than the hybrid’s vanilla and than along a random V.`,
  falsified: `The deployed route (update) model hacks as much as the hybrid’s vanilla or as along a random V, or its hack or solve differs from full attention’s by more than ${points(MARGIN)}, by the whole interval.`,
  reference: null,
  finding: '',
  cells: [
    vanilla(OVER, { seeds, id: 'hybrid', label: 'hybrid, vanilla', against: 'vanilla' }),
    trained('hybrid-erase', 'hybrid, erase', 'erase', OVER, { seeds, against: 'erase' }),
    deployed('hybrid-route', 'hybrid, route (gradient), deployed', 'route', OVER, { seeds, against: 'route' }),
    deployed(ROUTED, 'hybrid, route (update), deployed', 'route-update', OVER, { seeds, against: 'route-update' }),
    deployed('hybrid-random', 'hybrid, route (update), random V, deployed', 'route-update', OVER, {
      ...ON_HYBRID,
      model: 'random_V',
    }),
    netRemoved(OVER, { ...ON_HYBRID, cellId: 'hybrid-no_gate', label: 'hybrid, route (update), no gate, deployed' }),
    { ...steered(OVER, { ...ON_HYBRID, id: 'hybrid-steered' }), label: 'hybrid, steered base' },
    { ...base(OVER, ON_HYBRID), id: 'hybrid-base', label: 'hybrid, base (untrained)' },
    vanilla({}, { seeds, label: 'full attention, vanilla' }),
    trained('erase', 'full attention, erase', 'erase', {}, { seeds }),
    deployed('route', 'full attention, route (gradient), deployed', 'route', {}, { seeds }),
    deployed('route-update', 'full attention, route (update), deployed', 'route-update', {}, { seeds }),
    netRemoved({}, { seeds, cellId: 'no_gate', label: 'full attention, route (update), no gate, deployed' }),
    { ...steered({}, { seeds, id: 'steered' }), label: 'full attention, steered base' },
    { ...base({}, { seeds }), label: 'full attention, base (untrained)' },
  ],
  notes: [
    'One hybrid of .53 M parameters against one full attention of .85 M, each pretrained once: what differs between them is not the mixers alone.',
    'Lines of the hybrid’s own arms are compared with the same lines of full attention; its controls with its own vanilla.',
  ],
  needs: [ROUTED],
  countedBy: hack(ROUTED),
  given: LEARNED,
  clauses: [
    grouped(
      SAME.map(({ id, label }) => ({ name: label, is: isSame(id) })),
      `within ${points(MARGIN)} of full attention in hack and solve: …`,
      `further than ${points(MARGIN)} from full attention in hack or solve: …`,
    ),
    clause(
      lowers(own(ROUTED)),
      'route (update), deployed, hacks less than the hybrid’s vanilla',
      'route (update), deployed, hacks as much as the hybrid’s vanilla',
    ),
    clause(
      lowers(hack(ROUTED, 'hybrid-random')),
      'it hacks less than along a random V',
      'it hacks as much as along a random V',
    ),
  ],
  falsifier: {
    any: [
      { not: lowers(own(ROUTED)) },
      { not: lowers(hack(ROUTED, 'hybrid-random')) },
      { not: near(hack(ROUTED), MARGIN) },
      { not: near(solve(ROUTED), MARGIN) },
    ],
  },
  says: [
    [own('hybrid-base'), 'The hybrid’s base, against its vanilla,'],
    [
      { all: [isKnown(own('hybrid-base')), { not: LEARNED }] },
      `That is less than ${points(H1.learned)}: the hybrid learns too little hack for anything to be removed.`,
    ],
    [own(ROUTED), 'On the hybrid route (update), deployed, against vanilla'],
    [hack(ROUTED, 'hybrid-random'), 'Against a random V it'],
    [own('hybrid-erase'), 'On the hybrid erase, against vanilla'],
    ...SAME.flatMap(({ id, label }) => [
      [hack(id), `Against full attention, the hybrid’s ${label}`] as const,
      [solve(id), 'It'] as const,
    ]),
    (figures) => [
      cellSentence(figures.get('hybrid-base'), 'The hybrid’s base'),
      cellSentence(figures.get('base'), 'Full attention’s base'),
    ],
  ],
};

export const HYBRID_QUESTIONS = { q21 };
