// All environments, with types that use the lab's own presets, arms and settings, in the order in which they are offered.
// experiments/environments/registry.ts loads an environment.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import {
  type Capabilities,
  completed,
  type EnvironmentEntry,
  type Naming,
  type Offered,
} from '../../environments/entry.ts';
import * as ENTRIES from '../../environments/registry.ts';
import type { ArmName } from './arms.ts';
import type { PresetName } from './run-spec.ts';
import type { Settings } from './settings.ts';

export type EnvironmentCapabilities = Capabilities<PresetName, ArmName, Settings> & Naming & Offered;

/** The default environment comes first, then one environment per question in the order of the docs, then the others by id. The names of a
 *  module's exports do not matter. */
const FIRST = ['one-line-python', 'leetcode', 'instructions', 'arithmetic', 'chain', 'agents', 'characters'];

const rank = (id: string): number => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);

/** Throws SpecError if two have the same id, as a user's own environment may. */
export function inOrder<Entry extends { id: string } & Partial<Naming & Offered>>(
  environments: Readonly<Record<string, Entry>>,
) {
  const all = Object.values(environments).map((entry) => completed(entry));
  const ids = all.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined)
    throw new SpecError(`two environments are called ${twice}`, 'Give your own another id, and its file that name.');
  return all.sort((a, b) => rank(a.id) - rank(b.id) || (a.id < b.id ? -1 : 1));
}

export const CAPABILITIES: readonly EnvironmentCapabilities[] =
  inOrder<EnvironmentEntry<PresetName, ArmName, Settings>>(ENTRIES);

/** Null for an unknown environment. */
export function capabilitiesOf(environment: string): EnvironmentCapabilities | null {
  return CAPABILITIES.find((capabilities) => capabilities.named(environment)) ?? null;
}

/** Whether a run in the environment has pairs for a basis. */
export const hasPairs = ({ pairs, pairSets, ownPairs }: EnvironmentCapabilities, run: { pairSet: string }): boolean =>
  pairs || pairSets?.includes(run.pairSet) === true || (ownPairs === true && run.pairSet.startsWith(OWN_PAIRS));

/** Prefix of RunSpec.pairSet for a user's own pairs, followed by their hash; built-in sets have plain names. */
export const OWN_PAIRS = 'pairs:';
