// The terms of every environment that there is; what loads an environment is in the registry.
import * as ENTRIES from '../../environments/registry.ts';
import { inOrder } from './order.ts';
import type { WorldTerms } from './terms.ts';

export const TERMS: readonly WorldTerms[] = inOrder<WorldTerms>(ENTRIES);

/** Null where there is no such environment. */
export function termsOf(environment: string): WorldTerms | null {
  return TERMS.find((terms) => terms.named(environment)) ?? null;
}
