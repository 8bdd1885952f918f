// The table of kinds of this layer, first half: where on the page each is. Its rows in the list of kept things: rows.tsx.
import type { KindId } from '../../experiments/records/kind.ts';
import type { View } from './views.ts';

export interface KindRoute {
  view: View;
  /** What an address says of one in its query; it is left behind with the view. What is behind # is carried along. */
  params: readonly string[];
}

export const KIND_ROUTES = {
  run: { view: 'lab', params: [] },
  study: { view: 'questions', params: ['q', 'run', 'world'] },
  probe: { view: 'probe', params: ['probe'] },
} as const satisfies Record<KindId, KindRoute>;
