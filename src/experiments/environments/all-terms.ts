// The terms of every world that there is; what loads a world is in the registry.
import * as EACH from './each-terms.ts';
import { inOrder } from './order.ts';
import type { WorldTerms } from './terms.ts';

export const TERMS: readonly WorldTerms[] = inOrder(EACH);

/** Null where there is no such world. */
export function termsOf(environment: string): WorldTerms | null {
  return TERMS.find((terms) => terms.named(environment)) ?? null;
}
