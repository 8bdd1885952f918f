// The table of kinds of this layer: how the page speaks of each. Null for what is not kept by itself: KeptOf says why.
import type { KindId } from '../../experiments/records/kind.ts';
import type { KeptKind } from '../../lab/protocol/kept.ts';
import type { KeptKindOnPage } from './kept-kind.ts';
import { probeOnPage } from './probe/kept.ts';
import { runOnPage } from './run/kept.ts';

export const KINDS_ON_PAGE = { run: runOnPage, study: null, probe: probeOnPage } as const satisfies {
  [K in KindId]: K extends KeptKind ? KeptKindOnPage<K> : null;
};

/** The same, so that a kind that is only known as `K` finds its own. */
export const KEPT_ON_PAGE: { readonly [K in KeptKind]: KeptKindOnPage<K> } = KINDS_ON_PAGE;
