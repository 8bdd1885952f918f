// Settings that mean nothing in the world that is chosen: idle rules of whole facets.
import { termsOf } from '../../worlds/all-terms.ts';
import { hasPairs, type WorldTerms } from '../../worlds/terms.ts';
import type { Idle } from '../facet.ts';

/** A world that is not known is refused elsewhere. */
const unless =
  (has: (world: WorldTerms, run: { pairSet: string }) => boolean, what: string): Idle =>
  (of) => {
    const world = termsOf(of('environment'));
    return !world || has(world, { pairSet: of('pairSet') }) ? null : `the environment ${world.id} has no ${what}`;
  };

export const withoutPairs = unless(hasPairs, 'labelled pairs');
export const withoutTeacherRows = unless(({ teacher }) => teacher, 'teacher');
export const withoutReferences = unless(({ references }) => references === true, 'references but the truth');
export const withoutRubrics = unless(({ rubrics }) => rubrics === true, 'rubrics');
export const withoutMessages = unless(({ messages }) => messages === true, 'messages to judge');
export const withoutLoopholes = unless(({ loopholes }) => loopholes, 'loopholes');
export const withoutCharacters = unless(({ teaches }) => teaches === true, 'character to teach');
export const withoutRevisions = unless(({ improves }) => improves === true, 'answers to revise');
