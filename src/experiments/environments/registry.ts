// The environments that there are. An environment is found by what a spec's `environment` says and is loaded when a run first acts in it, so
// that the page's first load has none of them.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { DrawnEnvironment, DrawnTask } from '../../environments/drawn.ts';
import type { EnvironmentEntry } from '../../environments/presentation.ts';
import * as ENTRIES from '../../environments/registry.ts';
import type { ArmName } from '../config/arms.ts';
import { type EnvironmentCapabilities, inOrder } from '../config/environments.ts';
import type { PresetName } from '../config/preset-names.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { Settings } from '../config/settings.ts';
import type { LoadableEnvironment } from './definition.ts';
import { MAKERS } from './makers.ts';
import type { MeasuredPretraining } from './pretraining.ts';

/** As the folders declare it, held to what a run is. */
interface Declared extends Omit<EnvironmentEntry<PresetName, ArmName, Settings>, 'load'> {
  load?(): Promise<DrawnEnvironment<DrawnTask, unknown, unknown, RunSpec>>;
}

function entryOf({ load, pretraining, ...declared }: Declared & EnvironmentCapabilities): LoadableEnvironment {
  const { id, splits, metrics } = declared;
  const maker = MAKERS[id];
  if (maker) return { ...declared, ...maker };
  if (!load) throw new Error(`The environment ${id} has neither load in its presentation nor a line in makers.ts.`);
  const measured = async (environment: string): Promise<MeasuredPretraining> => {
    const own = await pretraining!(environment);
    if ('measure' in own) return own;
    return (await import('./pretraining.ts')).withMeasure(own, { drawn: await load(), splits, metrics });
  };
  return {
    ...declared,
    load: async () => (await import('./drawn.ts')).drawnMaker({ ...(await load()), splits }),
    ...(pretraining && { pretraining: measured }),
  };
}

export const ENVIRONMENTS: readonly LoadableEnvironment[] = inOrder<Declared>(ENTRIES).map(entryOf);

/** Of those that need neither a file nor a model of a person's own. */
export const ENVIRONMENT_NAMES = ENVIRONMENTS.filter(
  ({ id, example, needsModel }) => id === example && !needsModel,
).map(({ id }) => id);

/** Those and the ones that need a model: all that a person can choose without a file. */
export const OFFERED_ENVIRONMENTS = ENVIRONMENTS.filter(({ id, example }) => id === example).map(({ id }) => id);

/** For messages. */
export const KNOWN_ENVIRONMENTS = `This lab has ${ENVIRONMENTS.map(({ example }) => example).join(', and ')}.`;

/** Null where there is no such environment. */
export function findEnvironment(environment: string): LoadableEnvironment | null {
  return ENVIRONMENTS.find((entry) => entry.named(environment)) ?? null;
}

/** Throws SpecError where there is no such environment. */
export function environmentNamed(environment: string): LoadableEnvironment {
  const found = findEnvironment(environment);
  if (found) return found;
  throw new SpecError(`environment = ${JSON.stringify(environment)}`, KNOWN_ENVIRONMENTS);
}

/** Those that have a model of their own, by id, each followed by its replicates; the first is the default. */
export const PRETRAINED_ENVIRONMENTS = ENVIRONMENTS.filter(({ pretraining }) => pretraining).flatMap(
  ({ id, replicates = [] }) => [id, ...replicates],
);

/** Throws SpecError for an environment that no model is made for. */
export async function pretrainingOf(id: string): Promise<MeasuredPretraining> {
  const found = ENVIRONMENTS.find(
    (environment) => environment.id === id || environment.replicates?.includes(id),
  )?.pretraining;
  if (found) return found(id);
  throw new SpecError(
    `no model is pretrained for ${JSON.stringify(id)}`,
    `Name one of ${PRETRAINED_ENVIRONMENTS.join(', ')}.`,
  );
}
