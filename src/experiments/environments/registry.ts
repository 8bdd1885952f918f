// All environments, their descriptions for readers of a run's records, and functions to find them. An environment is found by a spec's
// `environment` and loaded when a run first uses it, so that the page's first load contains none of them.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { DrawnEnvironment, DrawnTask } from '../../environments/drawn.ts';
import type { EnvironmentEntry, Naming, Offered } from '../../environments/entry.ts';
import type { MetricInfo, ProbeInfo, Profile, SplitInfo } from '../../environments/metric-info.ts';
import * as ENTRIES from '../../environments/registry.ts';
import type { RolloutPresentation } from '../../environments/rollout-presentation.ts';
import type { GlossaryEntry } from '../../lib/option.ts';
import type { ArmName } from '../config/arms.ts';
import { CAPABILITIES, inOrder } from '../config/environments.ts';
import { EMBEDDED_MODELS } from '../config/preset-in.ts';
import type { PresetName, RunSpec } from '../config/run-spec.ts';
import type { Settings } from '../config/settings.ts';
import type { LoadableEnvironment } from './definition.ts';
import { MAKERS, type Maker } from './makers.ts';
import type { MeasuredPretraining } from './pretraining.ts';

/** An environment as its folder declares it, with the lab's types. */
interface DeclaredEnvironment extends EnvironmentEntry<PresetName, ArmName, Settings> {
  load?(): Promise<DrawnEnvironment<DrawnTask, unknown, unknown, RunSpec>>;
}

function entryOf({ load, pretraining, ...declared }: DeclaredEnvironment & Naming & Offered): LoadableEnvironment {
  const { id, splits, metrics } = declared;
  const maker: Maker = MAKERS[id] ?? {};
  if (!maker.load && !load)
    throw new Error(`The environment ${id} has neither load in its presentation nor a line in makers.ts.`);
  const measured = async (environment: string): Promise<MeasuredPretraining> => {
    const own = (await maker.pretraining?.(environment)) ?? (await pretraining!(environment));
    if ('measure' in own) return own;
    return (await import('./pretraining.ts')).withMeasure(own, { drawn: await load!(), splits, metrics });
  };
  return {
    ...declared,
    load: maker.load ?? (async () => (await import('./drawn.ts')).drawnMaker(await load!(), splits)),
    ...((maker.pretraining || pretraining) && { pretraining: measured }),
  };
}

export const ENVIRONMENTS: readonly LoadableEnvironment[] = inOrder<DeclaredEnvironment>(ENTRIES).map(entryOf);

/** Environments that need neither a file nor a user's own model. */
export const ENVIRONMENT_NAMES = ENVIRONMENTS.filter(
  ({ id, example, needsModel }) => id === example && !needsModel,
).map(({ id }) => id);

/** Environments with a published finished run: those with their own model. */
export const SHOWN_ENVIRONMENTS = ENVIRONMENT_NAMES.filter((name) =>
  ENVIRONMENTS.some(({ id, pretraining }) => id === name && pretraining !== undefined),
);

/** Environments that can be chosen without a file, including those that need a user's own model. */
export const OFFERED_ENVIRONMENTS = ENVIRONMENTS.filter(({ id, example }) => id === example).map(({ id }) => id);

/** Replicates whose own model is embedded. */
export const EMBEDDED_REPLICATES = ENVIRONMENTS.flatMap(({ id, replicates = [], defaults }) => {
  const modelIn = (environment: string) => defaults('demo', environment).settings.model;
  return replicates.filter((replicate) => {
    const own = modelIn(replicate);
    return own !== undefined && own !== modelIn(id) && EMBEDDED_MODELS.includes(own);
  });
});

/** Remedy text of messages on an unknown environment. */
export const KNOWN_ENVIRONMENTS = `This lab has ${ENVIRONMENTS.map(({ example }) => example).join(', and ')}.`;

/** Null for an unknown environment. */
export function findEnvironment(environment: string): LoadableEnvironment | null {
  return ENVIRONMENTS.find((entry) => entry.named(environment)) ?? null;
}

/** Throws SpecError for an unknown environment. */
export function environmentNamed(environment: string): LoadableEnvironment {
  const found = findEnvironment(environment);
  if (found) return found;
  throw new SpecError(`environment = ${JSON.stringify(environment)}`, KNOWN_ENVIRONMENTS);
}

/** Ids of environments with their own model, each followed by its replicates; the first is the default. */
export const PRETRAINED_ENVIRONMENTS = ENVIRONMENTS.filter(({ pretraining }) => pretraining).flatMap(
  ({ id, replicates = [] }) => [id, ...replicates],
);

/** Throws SpecError for an environment without its own model. */
export async function pretrainingOf(id: string): Promise<MeasuredPretraining> {
  const found = ENVIRONMENTS.find(
    // A world may also be one of many, which no list of replicates has.
    (environment) => environment.id === id || environment.replicates?.includes(id) || environment.named(id),
  )?.pretraining;
  if (found) return found(id);
  throw new SpecError(
    `no model is pretrained for ${JSON.stringify(id)}`,
    `Name one of ${PRETRAINED_ENVIRONMENTS.join(', ')}.`,
  );
}

// Descriptions of a run's environment for readers of its records, available without loading the environment.

/** Empty for an unknown environment. */
export const metricsOf = (environment: string): readonly MetricInfo[] => findEnvironment(environment)?.metrics ?? [];

/** Metrics that answer the environment's questions; the first is judged. */
export const headlinesOf = (environment: string): readonly MetricInfo[] =>
  metricsOf(environment).filter(({ headline }) => headline);

export const profilesOf = (environment: string): readonly Profile[] => findEnvironment(environment)?.profiles ?? [];

export const splitsOf = (environment: string): readonly SplitInfo[] => findEnvironment(environment)?.splits ?? [];

export const askedOf = (environment: string): readonly ProbeInfo[] => findEnvironment(environment)?.asked ?? [];

/** The presentation of an unknown environment. */
const UNKNOWN: RolloutPresentation = {
  outcomes: [{ id: 'unknown', mark: '?', tone: '' }],
  outcomeOf: () => 'unknown',
  filters: [],
  worthReading: [],
  tags: () => [],
  facts: () => [],
  details: (verdict) => Object.entries(verdict).map(([name, value]) => [name, String(value).slice(0, 200)] as const),
  plainly: () => ({ paid: 'This lab does not have the environment that judged it.', truth: 'Not known.' }),
  exploit: () => null,
  comparedWith: () => null,
  gloss: () => null,
  note: () => '',
  kindName: 'Kind',
  hint: () => null,
  text: 'plain',
  lead: 'Each step samples a group of answers per prompt, and compares rewards within the group only.',
};

export const rolloutPresentationOf = (environment: string): RolloutPresentation =>
  findEnvironment(environment)?.rolloutPresentation ?? UNKNOWN;

// Glossary entries that list a property of every environment.

/** `one-line-python: …; arithmetic: …` */
const joinedOf = (what: 'reward' | 'problems'): string =>
  CAPABILITIES.flatMap(({ id, words }) => (words ? `${id}: ${words[what]}` : [])).join('; ');

export const ENVIRONMENT_CONCEPTS = {
  model: {
    title: 'Student model',
    meaning: 'The language model whose adapter parameters are trained.',
    formula: `Embedded and pretrained: ${CAPABILITIES.flatMap(({ words }) => words?.model ?? []).join(', ')}`,
    range: 'The environment’s own, or an imported model',
    nullValue: 'The untrained base stands in every table.',
    notShown: 'What a larger model would do: an embedded one knows its environment alone.',
  },
  environment: {
    title: 'Environment',
    meaning: 'Where problems, graders and hints come from.',
    formula: joinedOf('reward'),
    range: joinedOf('problems'),
    nullValue: 'The untrained base’s reward.',
    notShown:
      'gt_correct, the strict oracle on the hidden tests: it reaches no reward, except in arms that use the oracle.',
  },
} as const satisfies Record<string, GlossaryEntry>;
