// The order in which environments are offered and named, whatever a module's exports are called: those of the code first, since theirs is
// the environment that a spec without one means, then one of each question in the order in which they are told, then the others by their ids.
import type { EnvironmentCapabilities } from './capabilities.ts';

const FIRST = ['one-line-python', 'leetcode', 'arithmetic', 'chain', 'agents', 'characters'];

const rank = (id: string): number => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);

export function inOrder<TrainingEnvironment extends Pick<EnvironmentCapabilities, 'id'>>(
  environments: Readonly<Record<string, TrainingEnvironment>>,
): TrainingEnvironment[] {
  return Object.values(environments).sort((a, b) => rank(a.id) - rank(b.id) || (a.id < b.id ? -1 : 1));
}
