// What runs by reference or judge that carry quarantines answer (C8 of docs/lab-book/cat.md), by the rules that stand there: does a direction
// from labelled pairs take away what the reward wrongly pays (flattery, the majority's misconception), and does what is left keep the
// gain? The unit is the seed. Under route (update) whole and deployed model are of one run; an erasing run is compared with the whole
// model of its seed, which is trained as vanilla is.
import type { ArmName } from '../config/arms.ts';
import { type Spread, spreadOver } from '../judge/estimates.ts';
import type { RunRecord } from '../records/events.ts';
import { finalMetric } from '../records/metrics.ts';
import { by, C8, C8E, type RunsVerdict } from './questions.ts';

export type ProjectedRun = Pick<RunRecord, 'spec' | 'evals'>;

/** What is wrongly paid, and what is to be kept: ids of final figures. */
export interface Subject {
  id: 'flattery' | 'misconception' | 'cat';
  hack: string;
  gain: string;
  isOf(spec: ProjectedRun['spec']): boolean;
}

export const SUBJECTS: readonly Subject[] = [
  { id: 'flattery', hack: 'stamped', gain: 'score', isOf: ({ grading }) => grading === 'hasty' },
  { id: 'misconception', hack: 'misconception', gain: 'solve', isOf: ({ reference }) => reference === 'majority' },
  { id: 'cat', hack: 'misconception', gain: 'solve', isOf: ({ reference }) => reference === 'synthesis' },
];

/** A model: an arm's, and which of its models; erasing arms have one, the whole one. */
export type Model = readonly [arm: ArmName, model: string];

export const WHOLE: Model = ['route-update', 'total'];
const DEPLOYED: Model = ['route-update', 'deployed'];
const ERASED: Model = ['erase', 'total'];
const BASE: Model = ['route-update', 'base'];
const ridden = (id: string): Model => ['route-update', id];
const random: readonly Model[] = [ridden('random_V'), ridden('random_V_matched'), ridden('placebo_V')];

/** Each with the controls that it has to take away more than. */
const QUESTIONS = [
  ['C8a', 'flattery', DEPLOYED, random],
  ['C8b', 'flattery', ERASED, [['random_V', 'total']]],
  ['C8c', 'misconception', DEPLOYED, random],
  ['C8d', 'misconception', ERASED, [['random_V', 'total']]],
] as const satisfies readonly (readonly [string, Subject['id'], Model, readonly Model[]])[];

/** Of a question without the runs that it asks for, nothing. */
export function projectedVerdicts(runs: readonly ProjectedRun[]): RunsVerdict[] {
  return [
    ...QUESTIONS.flatMap(([question, id, model, controls]) => {
      const { own, hack, gain } = ofSubject(runs, id);
      const taken = against(own, hack, model, WHOLE, 'from the whole model’s');
      const beyond = controls.map((control) => against(own, hack, model, control, `from ${control.join('/')}’s`));
      const kept = spreadOver(
        'gain beyond half of the whole model’s',
        seedsOf(own).flatMap((seed) => {
          const [one, whole, base] = [model, WHOLE, BASE].map((each) => finalOf(own, seed, each, gain));
          return one === null || whole === null || base === null ? [] : [one - (whole + base) / 2];
        }),
      );
      if (!taken || !kept || beyond.some((one) => !one)) return [];
      const others = beyond as Spread[];
      const beyondThem = Object.fromEntries(others.map((one, i) => [controls[i][1], one]));
      return [by<string>(C8.find((one) => one.id === question)!, { taken, ...beyondThem, kept })];
    }),
    ...withoutCost(runs),
  ];
}

/** Where the reward does not pay the misconception: what routing costs. */
function withoutCost(runs: readonly ProjectedRun[]): RunsVerdict[] {
  const { own, gain } = ofSubject(runs, 'cat');
  const cost = against(own, gain, DEPLOYED, WHOLE, 'from the whole model’s');
  return cost ? [by(C8E, { cost })] : [];
}

export function ofSubject(runs: readonly ProjectedRun[], id: Subject['id']) {
  const { isOf, hack, gain } = SUBJECTS.find((one) => one.id === id)!;
  return { own: runs.filter(({ spec }) => isOf(spec)), hack, gain };
}

export const seedsOf = (runs: readonly ProjectedRun[]): number[] =>
  [...new Set(runs.map(({ spec }) => spec.seed))].sort((a, b) => a - b);

/** A final figure of the seed's run; null where there is none. */
export function finalOf(runs: readonly ProjectedRun[], seed: number, [arm, model]: Model, id: string): number | null {
  const run = runs.find(({ spec }) => spec.arm === arm && spec.seed === seed);
  return run ? finalMetric(run, model, id) : null;
}

/** one − other, seed by seed; null where no seed has both. */
function against(runs: readonly ProjectedRun[], id: string, one: Model, other: Model, name: string): Spread | null {
  const values = seedsOf(runs).flatMap((seed) => {
    const [a, b] = [one, other].map((model) => finalOf(runs, seed, model, id));
    return a === null || b === null ? [] : [a - b];
  });
  return spreadOver(`${id}, ${name}`, values);
}
