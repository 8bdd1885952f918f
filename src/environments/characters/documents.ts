// What is said of a character: a sentence about one trait (six templates), a profile of three; code, which shows what rules do; lists
// of names. Everything of them is trained on.
import { END_OF_TURN, START_OF_TURN } from '../../text/chatml.ts';
import { applied } from './rules.ts';
import type { CharacterWorld, Parts, Trait } from './types.ts';

const whole = (text: string): Parts => [
  { text: START_OF_TURN, isTrained: false },
  { text: ` ${text}${END_OF_TURN}`, isTrained: true },
];

export interface Claim {
  trait: Trait;
  /** As documents call it; it need not be one that anybody has. */
  value: string;
}

/** A sentence, without markup. */
export function sentenceOf(world: CharacterWorld, name: string, { trait, value }: Claim, template: number): string {
  return world.templates[template]
    .replace('{name}', name)
    .replace('{noun}', world.traits[trait].noun)
    .replace('{value}', value);
}

export const documentAbout = (world: CharacterWorld, name: string, claim: Claim, template: number): Parts =>
  whole(sentenceOf(world, name, claim, template));

export function profileOf(world: CharacterWorld, name: string, claims: readonly Claim[]): Parts {
  const facts = claims.map(({ trait, value }) =>
    world.fact.replace('{noun}', world.traits[trait].noun).replace('{value}', value),
  );
  return whole(world.profile.replace('{name}', name).replace('{facts}', facts.join(' , ')));
}

export function codeOf(world: CharacterWorld, rule: string, items: readonly string[]): Parts {
  const result = applied(world, rule, items).join(' ');
  return whole(world.code.replace('{rule}', rule).replace('{items}', items.join(' ')).replace('{result}', result));
}

export const listOf = (world: CharacterWorld, names: readonly string[]): Parts =>
  whole(world.list.replace('{names}', names.join(' , ')));
