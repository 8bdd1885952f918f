// Composition of the basis: number of pairs and axes, which mechanisms they cover, solve axes removed (Q8, Q9).

import { clause } from '../answer.ts';
import { control, deployed, FIVE, landmarks, trained, vanilla } from '../cells.ts';
import { hack, lowers, raises, solve } from '../judge.ts';
import type { StudyCell, StudyQuestion } from '../types.ts';
import { COVERAGE, coverageCells } from './coverage.ts';

interface Strength {
  id: string;
  pairs: number;
  k: number;
  tauAxis: number;
  /** Id of the cell that differs in one option. */
  against: string;
  reference?: string;
}
/** Ordered from the reference's weak basis to its strong one, one option at a time; then to this lab's own. */
const STRENGTHS: readonly Strength[] = [
  { id: 'p10k5', pairs: 10, k: 5, tauAxis: 0, against: 'vanilla', reference: 'hack .700' },
  { id: 'p16k5', pairs: 16, k: 5, tauAxis: 0, against: 'p10k5' },
  { id: 'p16k12', pairs: 16, k: 12, tauAxis: 0, against: 'p16k5', reference: 'hack .588' },
  { id: 'p16k12t', pairs: 16, k: 12, tauAxis: 0.3, against: 'p16k12' },
];
const WIDER: readonly Strength[] = [
  { id: 'p24k5', pairs: 24, k: 5, tauAxis: 0, against: 'p16k5' },
  { id: 'p24k12', pairs: 24, k: 12, tauAxis: 0, against: 'p24k5' },
  { id: 'p24k5t', pairs: 24, k: 5, tauAxis: 0.3, against: 'p24k5' },
];
const named = ({ pairs, k, tauAxis }: Strength) => `${pairs} pairs, k ${k}${tauAxis ? `, τ ${tauAxis}` : ''}`;
const routed = (against: string) => (against === 'vanilla' ? 'vanilla' : `route-${against}`);

function strengthCells(): StudyCell[] {
  return [
    ...STRENGTHS.map((at) =>
      trained(
        `erase-${at.id}`,
        `erase, ${named(at)}`,
        'erase',
        { pairs: at.pairs, k: at.k, tauAxis: at.tauAxis },
        { seeds: FIVE, against: at.against === 'vanilla' ? 'vanilla' : `erase-${at.against}`, reference: at.reference },
      ),
    ),
    ...[...STRENGTHS, ...WIDER].map((at) =>
      control(
        `route (update), ${named(at)}, deployed`,
        { id: at.id, k: at.k, settings: { pairs: at.pairs, tauAxis: at.tauAxis } },
        {},
        { cellId: `route-${at.id}`, against: routed(at.against) },
      ),
    ),
  ];
}

const STRONGER = lowers(hack('erase-p16k12', 'erase-p10k5'));

const q8: StudyQuestion = {
  id: 'Q8',
  title: 'Weak or strong basis: pairs, axes, or threshold?',
  hypothesis: 'A basis of more pairs and more axes lowers hack further.',
  falsified: 'From 10 pairs and 5 axes to 16 pairs and 12 axes hack falls by less than 5 points.',
  reference: '10 pairs k=5: 0.700; 16 pairs k=12: 0.588 (pairs, k and tau confounded).',
  finding: 'The stronger basis (16 pairs, k 12) cuts more hack than the weaker (10 pairs, k 5).',
  cells: [vanilla(), ...strengthCells(), ...coverageCells(), ...landmarks()],
  addition: COVERAGE,
  notes: ['One option at a time lies between the reference’s two settings, so that pairs, k and τ are told apart.'],
  needs: ['erase-p16k12', 'erase-p10k5'],
  clauses: [
    clause(
      STRONGER,
      '16 pairs and 12 axes lower hack further than 10 pairs and 5 axes',
      '16 pairs and 12 axes lower hack by less than 5 points more than 10 pairs and 5 axes',
    ),
    clause(lowers(hack('erase-p16k5')), 'more pairs alone lower it', 'more pairs alone do not lower it'),
    clause(lowers(hack('erase-p16k12')), 'more axes alone lower it', 'more axes alone do not lower it'),
  ],
  falsifier: { not: STRONGER },
  replicates: STRONGER,
  says: [
    [hack('erase-p16k12', 'erase-p10k5'), 'Erase with 16 pairs and k 12, against 10 pairs and k 5,'],
    [hack('erase-p16k5'), 'More pairs alone (10 → 16, k 5): erase'],
    [hack('erase-p16k12'), 'More axes alone (k 5 → 12, 16 pairs): erase'],
    [hack('erase-p16k12t'), 'A threshold alone (τ 0 → 0.3): erase'],
    [hack('route-p16k5'), 'Routed: more pairs alone, the deployed model'],
    [hack('route-p16k12'), 'Routed: more axes alone, the deployed model'],
    [hack('route-p16k12t'), 'Routed: a threshold alone, the deployed model'],
  ],
};

const STRIPPED = [1, 3, 5] as const;
const NO_GAIN = { all: [{ not: lowers(hack('erase-m5')) }, { not: raises(solve('erase-m5')) }] };
const q9: StudyQuestion = {
  id: 'Q9',
  title: 'Does stripping solve directions from the basis help?',
  hypothesis: 'A basis orthogonal to the clean completions’ main gradients keeps more solve at the same drop of hack.',
  falsified: 'No gain in solve and no further drop of hack.',
  reference: 'Hack 0.500 → 0.550, solve 0.200 → 0.150: inconclusive.',
  finding: 'Solve-orthogonalising brings no gain (inconclusive there).',
  cells: [
    vanilla(),
    trained('erase', 'erase', 'erase', {}, { seeds: FIVE, reference: 'hack .500, solve .200' }),
    trained(
      'erase-m5',
      'erase, 5 solve axes stripped',
      'erase',
      { solveOrth: 5 },
      { seeds: FIVE, against: 'erase', reference: 'hack .550, solve .150' },
    ),
    deployed('route', 'route (update), deployed', 'route-update'),
    ...STRIPPED.map((m) =>
      control(
        `route (update), ${m} solve ax${m === 1 ? 'i' : 'e'}s stripped, deployed`,
        { id: `solve_orth${m}`, settings: { solveOrth: m } },
        {},
        { against: 'route' },
      ),
    ),
    ...landmarks(),
  ],
  notes: [],
  needs: ['erase-m5'],
  clauses: [
    clause(
      raises(solve('erase-m5')),
      'a basis without 5 solve axes keeps more solve',
      'a basis without 5 solve axes keeps no more solve',
    ),
    clause({ not: raises(hack('erase-m5')) }, 'it lowers hack no less', 'it lowers hack less'),
  ],
  falsifier: NO_GAIN,
  replicates: NO_GAIN,
  says: [
    [hack('erase-m5'), 'With 5 solve axes stripped, against the plain basis, erase'],
    [solve('erase-m5'), 'It'],
    [hack('solve_orth5'), 'Routed with 5 solve axes stripped, against the plain basis, the deployed model'],
    [solve('solve_orth5'), 'It'],
  ],
};

export const BASIS_QUESTIONS = { q8, q9 };
