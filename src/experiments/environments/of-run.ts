// What the registry says of the environment that a run acts in, for those who read its records: no environment has to be loaded for it.

import type { AskedInfo, MetricInfo, Profile, RolloutPresentation } from '../../environments/presentation.ts';
import { findEnvironment } from './registry.ts';

/** None for an environment that this lab does not have. */
export const metricsOf = (environment: string): readonly MetricInfo[] => findEnvironment(environment)?.metrics ?? [];

/** Those that the environment's questions are answered by, the first of them judged. */
export const headlinesOf = (environment: string): readonly MetricInfo[] =>
  metricsOf(environment).filter(({ headline }) => headline);

export const profilesOf = (environment: string): readonly Profile[] => findEnvironment(environment)?.profiles ?? [];

export const askedOf = (environment: string): readonly AskedInfo[] => findEnvironment(environment)?.asked ?? [];

/** Of an environment that this lab does not have. */
const UNKNOWN: RolloutPresentation = {
  outcomes: [{ id: 'unknown', mark: '?', tone: '' }],
  outcomeOf: () => 'unknown',
  filters: [],
  worthReading: [],
  tags: () => [],
  facts: () => [],
  details: (verdict) => Object.entries(verdict).map(([name, value]) => [name, String(value).slice(0, 200)] as const),
  plainly: () => ({ paid: 'This lab does not have the environment that judged it.', truth: 'Not known.' }),
  note: () => '',
  kindName: 'Kind',
  hint: () => null,
  text: 'plain',
  lead: 'Each step samples a group of answers per prompt, and compares rewards within the group only.',
};

export const rolloutPresentationOf = (environment: string): RolloutPresentation =>
  findEnvironment(environment)?.rolloutPresentation ?? UNKNOWN;
