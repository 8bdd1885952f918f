// Options that mean nothing in the environment that is chosen: it lacks what their group needs.

import type { Capability, DisabledBecause } from '../../lib/option.ts';
import { type EnvironmentCapabilities, hasPairs, termsOf } from './environments.ts';

const WORDS: Record<Capability, string> = {
  pairs: 'labelled pairs',
  teacher: 'teacher',
  loopholes: 'loopholes',
  references: 'references but the truth',
  rubrics: 'rubrics',
  messages: 'messages to judge',
  improves: 'answers to revise',
  teaches: 'character to teach',
  instructs: 'requirements that rules check',
};

const has = (environment: EnvironmentCapabilities, needed: Capability, pairSet: string): boolean =>
  needed === 'pairs' ? hasPairs(environment, { pairSet }) : environment[needed] === true;

/** An environment that is not known is refused elsewhere. */
export const without =
  (needed: Capability): DisabledBecause =>
  (of) => {
    const environment = termsOf(of('environment'));
    return !environment || has(environment, needed, of('pairSet'))
      ? null
      : `the environment ${environment.id} has no ${WORDS[needed]}`;
  };
