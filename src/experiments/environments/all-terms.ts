// The terms of every environment that there is; what loads an environment is in the registry.
import * as ENTRIES from '../../environments/registry.ts';
import type { EnvironmentCapabilities } from './capabilities.ts';
import { inOrder } from './order.ts';

export const TERMS: readonly EnvironmentCapabilities[] = inOrder<EnvironmentCapabilities>(ENTRIES);

/** Null where there is no such environment. */
export function termsOf(environment: string): EnvironmentCapabilities | null {
  return TERMS.find((terms) => terms.named(environment)) ?? null;
}
