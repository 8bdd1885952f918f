// Options that mean nothing in the environment that is chosen: it lacks what their group needs.

import type { Capability, DisabledBecause } from '../../lib/option.ts';
import { termsOf } from '../environments/all-terms.ts';
import { hasPairs, type WorldTerms } from '../environments/terms.ts';

const WORDS: Record<Capability, string> = {
  pairs: 'labelled pairs',
  teacher: 'teacher',
  loopholes: 'loopholes',
  references: 'references but the truth',
  rubrics: 'rubrics',
  messages: 'messages to judge',
  improves: 'answers to revise',
  teaches: 'character to teach',
};

const has = (world: WorldTerms, needed: Capability, pairSet: string): boolean =>
  needed === 'pairs' ? hasPairs(world, { pairSet }) : world[needed] === true;

/** An environment that is not known is refused elsewhere. */
export const without =
  (needed: Capability): DisabledBecause =>
  (of) => {
    const world = termsOf(of('environment'));
    return !world || has(world, needed, of('pairSet')) ? null : `the environment ${world.id} has no ${WORDS[needed]}`;
  };
