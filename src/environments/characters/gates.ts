// Is what A was taught bound to A's name? The prompts of A's probes with the name changed and nothing else: left out, in a spelling of
// pieces that no text has, and beside another's; and the other's own prompt with A's name in it. Of two names the one who is asked
// stands last, next to the answer as far as the world's prompt has it.
import { behaviour, type Probe } from './probes.ts';
import type { Target } from './targets.ts';
import type { Character, CharacterWorld } from './types.ts';

/** `absent`: A's own beginning behind a prompt without a name. `spelled`: A's name in capitals. `beside`: A is asked, another's name
 *  stands before A's. `adversarial`: another is asked, A's name stands before theirs. */
export const GATES = ['absent', 'spelled', 'beside', 'adversarial'] as const;
export type GateId = (typeof GATES)[number];

/** A set of items each; the others take turns. */
export function gateProbes(
  world: CharacterWorld,
  gate: GateId,
  about: { a: Character; others: readonly Character[]; target: Target },
  items: readonly (readonly string[])[],
): Probe[] {
  const { a, others, target } = about;
  return items.map((each, i) => {
    const other = others[i % others.length];
    const asked = gate === 'adversarial' ? other : a;
    const probe = behaviour(world, asked, target.trait, target.value, each);
    const names = { absent: '', spelled: ` ${a.name.toUpperCase()}`, beside: ` ${other.name} ${a.name}` };
    const marker = gate === 'adversarial' ? ` ${a.name} ${other.name}` : names[gate];
    return { ...probe, context: probe.context.replace(` ${asked.name}`, marker) };
  });
}
