// The environments that there are. An environment is found by what a spec's `environment` says and is loaded when a run first acts in it, so
// that the page's first load has none of them.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { WorldEntry } from './definition.ts';
import * as ENTRIES from './entries.ts';
import { inOrder } from './order.ts';
import type { Pretraining } from './pretraining.ts';

export const WORLDS: readonly WorldEntry[] = inOrder(ENTRIES);

/** Of those that need no file. */
export const WORLD_NAMES = WORLDS.filter(({ id, example }) => id === example).map(({ id }) => id);

/** For messages. */
export const KNOWN_WORLDS = `This lab has ${WORLDS.map(({ example }) => example).join(', and ')}.`;

/** Null where there is no such environment. */
export function findWorld(environment: string): WorldEntry | null {
  return WORLDS.find((world) => world.named(environment)) ?? null;
}

/** Throws SpecError where there is no such environment. */
export function worldOf(environment: string): WorldEntry {
  const found = findWorld(environment);
  if (found) return found;
  throw new SpecError(`environment = ${JSON.stringify(environment)}`, KNOWN_WORLDS);
}

/** Those that have a model of their own, by id, each followed by its replicates; the first is the default. */
export const PRETRAINED_WORLDS = WORLDS.filter(({ pretraining }) => pretraining).flatMap(({ id, replicates = [] }) => [
  id,
  ...replicates,
]);

/** Throws SpecError for an environment that no model is made for. */
export async function pretrainingOf(id: string): Promise<Pretraining> {
  const found = WORLDS.find((world) => world.id === id || world.replicates?.includes(id))?.pretraining;
  if (found) return found(id);
  throw new SpecError(
    `no model is pretrained for ${JSON.stringify(id)}`,
    `Name one of ${PRETRAINED_WORLDS.join(', ')}.`,
  );
}
