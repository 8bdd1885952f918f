// Whether a grader of programs paid a rollout: a program that passes is paid 1, beside what its format is paid.
import type { PaidRollout } from './method.ts';

export const PASSING_PAY = 1;

export const passes = ({ reward }: Pick<PaidRollout, 'reward'>): boolean => reward >= PASSING_PAY;
