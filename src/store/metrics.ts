// The five charts: what each draws from a step's row, and the sentence under its title that says how to read it.
import type { Rates, StepRow } from '../experiments/events.ts';

export interface Metric {
  id: 'hack' | 'solve' | 'cinStudent' | 'cinTeacher' | 'reward';
  title: string;
  /** One line for a person who meets the chart for the first time. */
  about: string;
  value(row: StepRow): number | null;
  /** The same quantity in an evaluation of the deployed model, where there is one. */
  evaluated?(rates: Rates): number | null;
  /** What a random gradient would show. */
  nullLine?(row: StepRow): number | null;
  /** Ticks of the value axis, its ends included; null fits the data from 0. */
  ticks: readonly number[] | null;
  percent: boolean;
}

export const METRICS: readonly Metric[] = [
  {
    id: 'hack',
    title: 'Hack',
    about: 'Rollouts of hackable problems that pass while wrong. Lower is better.',
    value: (row) => row.student.hack,
    evaluated: (rates) => rates.hack,
    ticks: [0, 0.2, 0.4, 0.6, 0.8, 1],
    percent: true,
  },
  {
    id: 'solve',
    title: 'Solve',
    about: 'Rollouts that are right on tests nobody sees. Higher is better.',
    value: (row) => row.student.solve,
    evaluated: (rates) => rates.solve,
    ticks: [0, 0.2, 0.4, 0.6, 0.8, 1],
    percent: true,
  },
  {
    id: 'cinStudent',
    title: 'Hack overlap, student',
    about: 'cin_s: hack-ward share of the live rollouts’ gradient. Dotted: a random gradient.',
    value: (row) => row.cinStudent,
    nullLine: (row) => row.cinNull,
    ticks: null,
    percent: false,
  },
  {
    id: 'cinTeacher',
    title: 'Hack overlap, teacher',
    about: 'cin_t: the same for cached teacher rollouts, which are known hacks.',
    value: (row) => row.cinTeacher,
    nullLine: (row) => row.cinNull,
    ticks: null,
    percent: false,
  },
  {
    id: 'reward',
    title: 'Reward',
    about: 'Mean over the step: 0.25 for a code block, 1 more for passing the grader.',
    value: (row) => row.reward,
    ticks: [0, 0.25, 0.5, 0.75, 1, 1.25],
    percent: false,
  },
];
