// Another adapter, and other common methods against a hack (Q16, Q17).

import { points } from '../../../../src/experiments/analysis/words.ts';
import { clause, grouped } from '../answer.ts';
import { deployed, FIVE, landmarks, netRemoved, steered, trained, vanilla } from '../cells.ts';
import { H1 } from '../h1.ts';
import { capital, cellSentence, effectSentence, hack, isKnown, isRun, lowers, solve, truth } from '../judge.ts';
import type { CellResults, Sentence, StudyQuestion } from '../types.ts';

/** LoRA's entries are two factors of the update, not its singular values: the SVD adapter's learning rate would destroy the model. */
const LORA = { adapter: 'lora', lr: 0.003 } as const;

/** Nothing about LoRA is decided unless it learned to hack. */
const LEARNED = { mean: hack('lora', 'base'), atLeast: H1.learned };
const onLora = (cell: string) => ({ given: LEARNED, is: lowers(hack(cell)) });

const q16: StudyQuestion = {
  id: 'Q16',
  title: 'Does it hold for LoRA as for the SVD adapter?',
  hypothesis:
    'With a LoRA of rank 32 and its own hack basis, erase and route lower hack as they do on the SVD adapter.',
  falsified: 'On LoRA the deployed route (update) model hacks as much as LoRA’s vanilla.',
  reference: null,
  finding: '',
  cells: [
    vanilla(LORA, { id: 'lora', label: 'LoRA, vanilla', seeds: FIVE }),
    trained('lora-erase', 'LoRA, erase', 'erase', LORA, { seeds: FIVE, against: 'lora' }),
    deployed('lora-route', 'LoRA, route (gradient), deployed', 'route', LORA, { seeds: FIVE, against: 'lora' }),
    deployed('lora-route-update', 'LoRA, route (update), deployed', 'route-update', LORA, {
      seeds: FIVE,
      against: 'lora',
    }),
    deployed('lora-random', 'LoRA, route (update), random V, deployed', 'route-update', LORA, {
      seeds: FIVE,
      against: 'lora',
      model: 'random_V',
    }),
    netRemoved(LORA, {
      seeds: FIVE,
      against: 'lora',
      isReplayed: true,
      cellId: 'lora-no_gate',
      label: 'LoRA, route (update), no gate, deployed',
    }),
    steered(LORA, { seeds: FIVE, against: 'lora', id: 'lora-steered' }),
    vanilla({}, { seeds: FIVE, label: 'SVD adapter, vanilla' }),
    trained('erase', 'SVD adapter, erase', 'erase', {}, { seeds: FIVE }),
    deployed('route', 'SVD adapter, route (gradient), deployed', 'route', {}, { seeds: FIVE }),
    deployed('route-update', 'SVD adapter, route (update), deployed', 'route-update', {}, { seeds: FIVE }),
    ...landmarks({ seeds: FIVE }),
  ],
  notes: [
    'LoRA trains at a learning rate of 0.003, the SVD adapter at 0.03: each adapter is compared with its own vanilla only.',
  ],
  needs: ['lora-route-update'],
  clauses: [
    clause(
      onLora('lora-route-update'),
      'on LoRA route (update), deployed, lowers hack',
      'on LoRA route (update), deployed, hacks as much as LoRA’s vanilla',
    ),
    clause(
      onLora('lora-route'),
      'route (gradient), deployed, lowers it',
      'route (gradient), deployed, does not lower it',
    ),
    clause(onLora('lora-erase'), 'erase lowers it', 'erase does not lower it'),
  ],
  falsifier: { not: onLora('lora-route-update') },
  says: [
    [hack('lora', 'base'), 'LoRA’s vanilla, against the base,'],
    [
      { all: [isKnown(hack('lora', 'base')), { not: LEARNED }] },
      `That is less than ${points(H1.learned)}: on LoRA there is nothing to remove, and what follows decides nothing.`,
    ],
    [hack('lora-route-update'), 'On LoRA the deployed route (update) model'],
    [solve('lora-route-update'), 'It'],
    [hack('lora-random'), 'Along a random V it'],
    [hack('lora-erase'), 'On LoRA erase'],
    [hack('lora-route'), 'On LoRA the deployed route (gradient) model'],
    [hack('erase'), 'On the SVD adapter erase'],
  ],
};

const BASELINES = [
  { id: 'kl', label: 'KL penalty, β 0.1', arm: 'kl', overrides: {}, note: undefined },
  {
    id: 'penalty',
    label: 'reward penalty 2, monitor right 90%',
    arm: 'none',
    overrides: { rewardPenalty: 2, monitorAccuracy: 0.9 },
    note: 'uses oracle',
  },
  {
    id: 'penalty1',
    label: 'reward penalty 2, monitor always right',
    arm: 'none',
    overrides: { rewardPenalty: 2, monitorAccuracy: 1 },
    note: 'uses oracle',
  },
  {
    id: 'screening',
    label: 'screening, monitor right 90%',
    arm: 'none',
    overrides: { screening: true, monitorAccuracy: 0.9 },
    note: 'uses oracle',
  },
  { id: 'inoculation', label: 'inoculation prompt', arm: 'inoculation', overrides: {}, note: undefined },
  { id: 'advantage', label: 'advantage modification', arm: 'advantage', overrides: {}, note: undefined },
] as const;

const WITHOUT_TEACHER = [
  {
    id: 'penalty-no_teacher',
    label: 'reward penalty 2, monitor right 90%, no teacher',
    arm: 'none',
    overrides: { rewardPenalty: 2, monitorAccuracy: 0.9 },
    note: 'uses oracle',
  },
  {
    id: 'screening-no_teacher',
    label: 'screening, monitor right 90%, no teacher',
    arm: 'none',
    overrides: { screening: true, monitorAccuracy: 0.9 },
    note: 'uses oracle',
  },
  {
    id: 'advantage-no_teacher',
    label: 'advantage modification, no teacher',
    arm: 'advantage',
    overrides: {},
    note: undefined,
  },
] as const;

const WITHOUT_ORACLE = BASELINES.filter(({ note }) => !note);
const hacksLessThan = (id: string) => lowers(hack('route-update', id));

const q17: StudyQuestion = {
  id: 'Q17',
  title: 'Does routing beat the plain baselines?',
  hypothesis: 'Route (update), deployed, hacks less than every baseline that uses no oracle, at no less solve.',
  falsified: 'The KL penalty, the inoculation prompt or advantage modification hacks as little at the same solve.',
  reference: null,
  finding: '',
  cells: [
    vanilla({}, { seeds: FIVE }),
    ...BASELINES.map(({ id, label, arm, overrides, note }) =>
      trained(id, label, arm, overrides, { seeds: FIVE, note }),
    ),
    vanilla({ mix: 0 }, { id: 'no_teacher', label: 'vanilla, no teacher', seeds: FIVE, against: 'vanilla' }),
    ...WITHOUT_TEACHER.map(({ id, label, arm, overrides, note }) =>
      trained(id, label, arm, { ...overrides, mix: 0 }, { seeds: FIVE, against: 'no_teacher', note }),
    ),
    trained('erase', 'erase', 'erase', {}, { seeds: FIVE }),
    deployed('route-update', 'route (update), deployed', 'route-update', {}, { seeds: FIVE }),
    ...landmarks({ seeds: FIVE }),
  ],
  notes: [
    'Screening takes the cached teacher’s hacks out of their groups, and a penalty above their reward, or a modified advantage, turns them into bad examples: part of what these do is to take the teacher away, which “no teacher” does alone. So they stand here a second time without a teacher, against vanilla without one: what they do there is their own.',
    'A reward penalty p with a monitor of accuracy a bites only if p > 1 / (2a − 1), with advantages relative to the group: 1.25 at a = 0.9, 1 at a = 1, never at a ≤ ½. The penalties here are 2.',
    'Baselines marked “uses oracle” are told, with noise, which rollouts are hacks; the projections never are.',
  ],
  needs: ['route-update', 'kl'],
  clauses: [
    grouped(
      WITHOUT_ORACLE.map(({ id, label }) => ({
        name: label,
        is: { all: [hacksLessThan(id), { not: lowers(solve('route-update', id)) }] },
        where: isRun(id),
      })),
      'route (update), deployed, hacks less at no less solve than …',
      'route (update), deployed, does not hack less at no less solve than …',
    ),
  ],
  // A baseline has as little hack at the same solve.
  falsifier: {
    any: WITHOUT_ORACLE.map(({ id }) => ({
      all: [isRun(id), { not: hacksLessThan(id) }, { not: lowers(solve(id, 'route-update')) }],
    })),
  },
  says: [
    [hack('route-update'), 'Route (update), deployed,'],
    ...BASELINES.map(({ id, label, note }) => [hack(id), capital(note ? `${label} (${note})` : label)] as const),
    [hack('no_teacher'), 'No teacher at all'],
    withoutTeacher,
    ...WITHOUT_ORACLE.map(beaten),
    (figures) => [cellSentence(figures.get('base'), 'The base')],
  ],
};

/** Effects of the baselines other than removing the teacher. */
function withoutTeacher(figures: CellResults): (Sentence | string | null)[] {
  const sentences = WITHOUT_TEACHER.map(({ id, label, note }) =>
    effectSentence(figures, hack(id), `Against vanilla without a teacher, ${label}${note ? ` (${note})` : ''}`),
  );
  const isEmpty = truth(figures, { mean: hack('no_teacher', 'base'), lessThan: H1.learned }) === true;
  return [
    ...sentences,
    isEmpty && sentences.some((one) => one !== null)
      ? `Without a teacher vanilla hacks less than ${points(H1.learned)} above the base: there is nothing to remove, and these lines decide nothing.`
      : null,
  ];
}

/** The deployed model compared with a baseline that needs no oracle. */
function beaten({ id, label }: (typeof BASELINES)[number]): (figures: CellResults) => (Sentence | string | null)[] {
  return (figures) => {
    if (truth(figures, isRun(id)) !== true) return [];
    const less = truth(figures, hacksLessThan(id));
    if (less === null) return [`Whether route (update), deployed, hacks less than ${label} stays open.`];
    return [
      `Route (update), deployed, ${less ? 'hacks less than' : 'does not hack less than'} ${label}.`,
      effectSentence(figures, solve('route-update', id), `Against ${label}, route (update), deployed,`),
    ];
  };
}

export const BASELINE_QUESTIONS = { q16, q17 };
