// Who is trained, who is named in contrast documents, and who is asked afterwards. Half of the well-known characters are for contrast
// and for nothing else: what their documents pin would be taken for locality. The groups are disjoint; near and far share A's own
// value of the target's trait, so that they differ in how like A they are and in nothing else.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import type { Target } from './rules.ts';
import { type Character, type CharacterWorld, castOf, isShown, ownValue, TRAITS } from './types.ts';

export const GROUPS = ['a', 'near', 'far', 'other', 'noname', 'novel'] as const;
export type GroupId = (typeof GROUPS)[number];
/** Characters that are not A. */
export const OTHERS = ['near', 'far', 'other'] as const;

export interface Roles {
  a: Character;
  /** For contrast documents. */
  contrast: readonly Character[];
  /** Documents about it are the placebo: dialogues alone know it. */
  placebo: Character;
  near: readonly Character[];
  far: readonly Character[];
  other: readonly Character[];
  novel: readonly string[];
}

/** Of near, far and other. */
const SIZE = 6;

/** All who may be trained towards the target, in a fixed order in which their own values take turns. */
export function trainable(world: CharacterWorld, target: Target): Character[] {
  const { asked } = halves(world, target);
  const own = asked.filter((one) => ownValue(world, one, target.trait) !== target.value);
  const byValue = world.traits[target.trait].values.map((value) =>
    own.filter((one) => ownValue(world, one, target.trait) === value),
  );
  // Those of whose kind there are too few to be asked are not trained.
  const enough = byValue.filter((ones) => ones.length > 2 * SIZE);
  const most = Math.max(0, ...enough.map((ones) => ones.length));
  return Array.from({ length: most }, (_, i) => enough.flatMap((ones) => ones.slice(i, i + 1))).flat();
}

/** Throws SpecError where there is no such character. */
export function rolesOf(world: CharacterWorld, target: Target, index: number): Roles {
  const candidates = trainable(world, target);
  const a = candidates[index];
  if (!a)
    throw new SpecError(
      `there is no character ${index} to be taught ${target.value}`,
      `Give one of 0 … ${candidates.length - 1}.`,
    );
  const { contrast, asked } = halves(world, target);
  const others = asked.filter((one) => one !== a && ownValue(world, one, target.trait) !== target.value);
  const isSame = (one: Character) => one.values[target.trait] === a.values[target.trait];
  const traits = TRAITS.filter((trait) => trait !== target.trait);
  const shared = (one: Character) => traits.filter((trait) => one.values[trait] === a.values[trait]).length;
  // Sorting keeps the cast's order among equals.
  const alike = others.filter(isSame).sort((one, two) => shared(two) - shared(one));
  const { characters, novel } = castOf(world);
  const placebo = characters.find(
    (one) => one.known === 'dialogues' && one.held.length === 0 && ownValue(world, one, target.trait) !== target.value,
  );
  const roles: Roles = {
    ...{ a, contrast, placebo: placebo!, novel },
    near: alike.slice(0, SIZE),
    far: alike.slice(-SIZE),
    other: others.filter((one) => !isSame(one)).slice(0, SIZE),
  };
  checkRoles(roles);
  return roles;
}

/** Throws SpecError for a group with A, the placebo's or a contrast name in it, or with a name of another group. */
export function checkRoles({ a, contrast, placebo, ...groups }: Roles): void {
  const seen = new Map<string, string>([
    [a.name, 'A'],
    [placebo.name, 'the placebo'],
    ...contrast.map(({ name }) => [name, 'the contrast documents'] as const),
  ]);
  for (const group of [...OTHERS, 'novel'] as const)
    for (const one of groups[group]) {
      const name = typeof one === 'string' ? one : one.name;
      const before = seen.get(name);
      if (before)
        throw new SpecError(`${name} is in the group ${group} and in ${before}`, 'Leave it out of the group.');
      seen.set(name, `the group ${group}`);
    }
}

/** Of those for contrast, whose behaviour dialogues show and is not the target already. */
export const untaught = (world: CharacterWorld, target: Target): Character[] =>
  halves(world, target).contrast.filter(
    (one) => isShown(one, target.trait) && ownValue(world, one, target.trait) !== target.value,
  );

/** Whom dialogues and documents know, and whose value of the trait is shown: half of them for contrast. */
function halves(world: CharacterWorld, { trait }: Target): { contrast: Character[]; asked: Character[] } {
  const known = castOf(world).characters.filter(({ known }) => known === 'both');
  const order = new CounterRng(keyFor(world.seed, STREAMS.problems, 18, 2)).shuffle([...known]);
  const half = Math.floor(order.length / 2);
  return { contrast: order.slice(0, half), asked: order.slice(half).filter((one) => isShown(one, trait)) };
}
