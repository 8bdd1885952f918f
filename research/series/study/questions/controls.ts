// Is this basis needed, or would any basis do: controls, regularisation and steering (Q12, Q19)?

import { percent } from '../../../../src/experiments/analysis/words.ts';
import type { ArmName } from '../../../../src/experiments/config/arms.ts';
import type { Condition } from '../../../../src/experiments/judge/rule.ts';
import { grouped } from '../answer.ts';
import { base, control, deployed, FIVE, testsAlone, trained, vanilla } from '../cells.ts';
import {
  capital,
  cellSentence,
  change,
  effectSentence,
  hack,
  isMost,
  isRun,
  lowers,
  near,
  solve,
  truth,
} from '../judge.ts';
import type { CellResults, Sentence, StudyQuestion } from '../types.ts';
import { byTests } from './held-out.ts';

const PERMUTED = 'permuted labels';
/** Bases that know nothing of the hack, or have it wrong. */
const CONTROLS = [
  { id: 'random_V', label: 'random V', kind: 'random' },
  { id: 'random_V_matched', label: 'random V, matched in removed norm', kind: 'random_matched' },
  { id: 'permuted_V', label: PERMUTED, kind: 'permuted' },
  { id: 'flipped_V', label: 'flipped labels', kind: 'flipped' },
  { id: 'nonhack_V', label: 'non-hack pairs', kind: 'real', settings: { pairSet: 'nonhack' } },
  { id: 'placebo_V', label: 'placebo pairs', kind: 'real', settings: { pairSet: 'placebo' } },
] as const;
const routeArm = (id: (typeof CONTROLS)[number]['id']): ArmName => `${id}-route`;

interface Intervention {
  name: string;
  /** Id of its cell along the real V; `idOf` gives the one along a control. */
  own: string;
  idOf: (control: string) => string;
}
const INTERVENTIONS: readonly Intervention[] = [
  { name: 'route (update)', own: 'route', idOf: (id) => id },
  { name: 'erase', own: 'erase', idOf: (id) => `erase-${id}` },
  { name: 'route (gradient)', own: 'route-gradient', idOf: (id) => `gradient-${id}` },
];

/** Flipped labels test only the orientation vote, and permuted ones may contain part of the real subspace. */
const NULLS = CONTROLS.filter(({ id }) => id !== 'flipped_V' && id !== 'permuted_V');

const beatsEveryNull = (own: string, idOf: Intervention['idOf']) => ({
  all: [lowers(hack(own)), ...NULLS.map(({ id }) => lowers(hack(own, idOf(id))))],
});

const q12: StudyQuestion = {
  id: 'Q12',
  title: 'Does the real V beat every control?',
  hypothesis: 'Along the real V the intervention lowers hack more than along any basis that knows nothing of the hack.',
  falsified: 'One of the nulls (random, matched, non-hack, placebo) lowers hack as much.',
  reference: null,
  finding: '',
  cells: [
    vanilla(),
    deployed('route', 'route (update), real V, deployed', 'route-update'),
    control('route (update), no gate, deployed', { id: 'no_gate', gate: 'no_gate' }),
    deployed(
      'steered',
      'steered base (base + V-component of the deployed adapter)',
      'route-update',
      {},
      { model: 'steered_base' },
    ),
    ...CONTROLS.map(({ label, ...spec }) => control(`route (update), ${label}, deployed`, spec)),
    testsAlone('route (update), missing-tests pairs, deployed'),
    trained('erase', 'erase, real V', 'erase', {}, { seeds: FIVE }),
    ...CONTROLS.map(({ id, label }) => trained(`erase-${id}`, `erase, ${label}`, id, {}, { seeds: FIVE })),
    deployed('route-gradient', 'route (gradient), real V, deployed', 'route', {}, { seeds: FIVE }),
    ...CONTROLS.map(({ id, label }) =>
      deployed(`gradient-${id}`, `route (gradient), ${label}, deployed`, routeArm(id), {}, { seeds: FIVE }),
    ),
    base(),
  ],
  notes: [
    'Flipped labels leave the subspace as it is and test the orientation vote alone: it is not held against the real V.',
    'Permuted labels are reported, but are not a null of the subspace: about half of their pairs still set hack against clean, with a sign at random, and singular vectors know no sign, so this basis may hold part of the real one. To beat it means something; not to beat it does not make the effect regularisation.',
    'Every clean side of the pairs has a run_tests with asserts, and no hack side has asserts. The missing-tests pairs differ in nothing else: the same right body without and with run_tests, no exploit on either side. “Write the asserts” explains whatever their quarantine does.',
    'The matched random V of erase and of route (gradient) is as wide as it must be to remove from vanilla’s steps what the real V removes from those. These arms split gradients on a path of their own: there the match is of width, not of what was removed.',
    'Random bases are drawn anew in every seed. The pairs, real, non-hack and placebo, are one draw: their seeds repeat the training, not the pairs.',
  ],
  needs: ['route', 'random_V'],
  clauses: [
    grouped(
      INTERVENTIONS.map(({ name, own, idOf }) => ({ name, is: beatsEveryNull(own, idOf), where: isRun(own) })),
      'along the real V … lower hack more than along every null',
      'along the real V … do not lower hack more than along every null',
    ),
  ],
  says: [
    (figures) => beatenControls(figures, INTERVENTIONS[0]),
    (figures) => [
      byTests(figures, 'pairs_no_tests', 'route', 'Of the deployed route (update) model’s effect'),
      ...INTERVENTIONS.slice(1).flatMap((intervention) => beatenControls(figures, intervention)),
      byFirstFalsifier(figures),
    ],
  ],
};

/** The falsifier as first written; permuted labels were removed from it after the results were known (docs/explanation/study.md). */
function byFirstFalsifier(figures: CellResults): string | null {
  const measured = INTERVENTIONS.filter(({ own }) => truth(figures, isRun(own)) === true);
  if (measured.length === 0) return null;
  const beaten = truth(figures, {
    all: measured.flatMap(({ own, idOf }) => [beatsEveryNull(own, idOf), lowers(hack(own, idOf('permuted_V')))]),
  });
  const outcome = beaten === true ? 'holds too' : beaten === false ? 'fails' : 'is open';
  return `By the falsifier as first written, which counted permuted labels among the nulls, the hypothesis ${outcome}.`;
}

/** The intervention's own effect, then the controls that it beats and those that it does not. */
function beatenControls(figures: CellResults, { name, own, idOf }: Intervention): (Sentence | string)[] {
  const first = effectSentence(
    figures,
    hack(own),
    `${capital(name)}${own === 'erase' ? '' : ', deployed'}, along the real V`,
  );
  if (!first) return [];
  const outcome = { beaten: [] as string[], not: [] as string[], open: [] as string[] };
  let permuted: string | null = null;
  for (const { id, label } of CONTROLS) {
    if (id === 'flipped_V') continue;
    const gap = hack(own, idOf(id));
    if (truth(figures, { unknown: gap })) continue;
    const less = truth(figures, lowers(gap));
    if (id === 'permuted_V')
      permuted = less === true ? 'It beats' : less === false ? 'It does not beat' : 'Open against';
    else outcome[less === true ? 'beaten' : less === false ? 'not' : 'open'].push(label);
  }
  const sentences: (Sentence | string)[] = [first];
  if (outcome.beaten.length > 0) sentences.push(`It beats ${outcome.beaten.join(', ')}.`);
  if (outcome.not.length > 0) {
    // Without an effect there is nothing to explain.
    const means = truth(figures, lowers(hack(own))) === true ? ': measured by that, the effect is regularisation' : '';
    sentences.push(`It does not beat ${outcome.not.join(', ')}${means}.`);
  }
  if (outcome.open.length > 0) sentences.push(`Open against ${outcome.open.join(', ')}.`);
  if (permuted) sentences.push(`${permuted} permuted labels, which are not a null.`);
  return sentences;
}

const CAPABILITY = { honestShare: 0.75 };
const Q19_IN = [
  { id: 'classic', label: 'hackable only at 40 steps', overrides: {}, preset: 'classic' as const },
  { id: 'honest', label: '¾ honest', overrides: CAPABILITY, preset: 'capability' as const },
];

const hasEffect = (id: string): Condition => lowers(hack(`route-${id}`));
/** The matched random V has most of the effect; the steered base is within 5 points of the deployed model. */
const byNoise = (id: string): Condition => ({ given: hasEffect(id), is: isMost(`matched-${id}`, `route-${id}`) });
const bySteering = (id: string): Condition => ({
  given: hasEffect(id),
  is: { all: [hack, solve].map((of) => near(of(`steered-${id}`, `route-${id}`), 0.05)) },
});

const q19: StudyQuestion = {
  id: 'Q19',
  title: 'How much of the effect is regularisation, how much steering?',
  hypothesis:
    'Removing as much norm along random directions, or only steering the base, does not explain the drop of hack.',
  falsified:
    'The matched random V removes at least half as much hack, or the steered base stands within 5 points of the deployed model in hack and solve.',
  reference: null,
  finding: '',
  cells: Q19_IN.flatMap(({ id, label, overrides, preset }) => {
    const extra = { preset, against: `vanilla-${id}` };
    const modelOfRun = (cellId: string, name: string, model: string) =>
      deployed(`${cellId}-${id}`, `${name}, ${label}`, 'route-update', overrides, { ...extra, model });
    return [
      vanilla(overrides, { preset, id: `vanilla-${id}`, label: `vanilla, ${label}` }),
      modelOfRun('route', 'route (update), deployed', 'deployed'),
      control(`no gate, ${label}`, { id: 'no_gate', gate: 'no_gate' }, overrides, { ...extra, cellId: `net-${id}` }),
      control(`random V matched, ${label}`, { id: 'random_V_matched', kind: 'random_matched' }, overrides, {
        ...extra,
        cellId: `matched-${id}`,
      }),
      modelOfRun('steered', 'steered base', 'steered_base'),
      modelOfRun('base', 'base (untrained)', 'base'),
    ];
  }),
  notes: [
    'No gate removes exactly the net component along V: what is left of the effect then is no steering by the gate.',
  ],
  needs: ['route-classic'],
  // A missing effect needs no explanation.
  clauses: [
    grouped(
      Q19_IN.map(({ id, label }) => ({ name: label, is: { not: byNoise(id) }, where: isRun(`route-${id}`) })),
      'random directions of equal norm do less than half of the effect (…)',
      'random directions of equal norm do at least half of the effect (…)',
    ),
    grouped(
      Q19_IN.map(({ id, label }) => ({ name: label, is: { not: bySteering(id) }, where: isRun(`route-${id}`) })),
      'the steered base differs from the deployed model (…)',
      'the steered base does not differ from the deployed model (…)',
    ),
  ],
  says: Q19_IN.map(
    ({ id, label }) =>
      (figures: CellResults) =>
        explanation(figures, id, label),
  ),
};

function explanation(figures: CellResults, id: string, label: string): (Sentence | string)[] {
  const first = effectSentence(figures, hack(`route-${id}`), `${capital(label)}: the deployed model`);
  const effect = change(figures, hack(`route-${id}`));
  if (!first || effect === null) return [];
  // A share of a missing effect is noise.
  if (truth(figures, hasEffect(id)) !== true) return [first];
  const sentences: (Sentence | string)[] = [first];
  const [matched, net] = ['matched', 'net'].map((cell) => change(figures, hack(`${cell}-${id}`)));
  if (matched !== null) {
    const most = truth(figures, byNoise(id));
    const what =
      most === true
        ? 'most of the effect is regularisation'
        : most === false
          ? 'regularisation does not explain it'
          : 'whether that is half of the effect is open';
    sentences.push(`Random directions that remove as much norm do ${percent(matched / effect)} of it: ${what}.`);
  }
  if (net !== null) sentences.push(`Without the gate ${percent(net / effect)} of it stays.`);
  const same = truth(figures, bySteering(id));
  const where = cellSentence(figures.get(`steered-${id}`), 'The steered base');
  if (where)
    sentences.push(
      `${where} ${same === true ? 'It does not differ from the deployed model: the effect is steering, or looks like it.' : same === false ? 'It differs from the deployed model.' : 'Whether it differs from the deployed model is open.'}`,
    );
  return sentences;
}

export const CONTROL_QUESTIONS = { q12, q19 };
