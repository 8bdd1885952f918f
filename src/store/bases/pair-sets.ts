// A user's own pair sets as a list, and the choice of a set as the next experiment's pairs. The pair editor, which shows and edits the
// pairs, is loaded when it is first needed.
import { PAIR_SETS } from '../../environments/code/pair-sets/table.ts';
import type { PairSetReport } from '../../lab/protocol/bases.ts';
import type { StoreContext } from '../context.ts';
import type { FormActions } from '../form/actions.ts';
import { attempt } from '../notices.ts';

/** Number of pairs that are shown, and that are requested of a built-in set, at first. */
export const SHOWN_PAIRS = 24;

export function createPairSets({ store, client, notices }: StoreContext, form: FormActions) {
  return {
    async refresh(): Promise<void> {
      const pairSets = await attempt(notices, client.request('listPairSets'));
      if (pairSets) store.setState({ pairSets });
    },
    /** Makes the set the next experiment's pairs. */
    use({ id, pairs }: Pick<PairSetReport, 'id' | 'pairs'>): void {
      form.setField('basisFile', '');
      form.setField('basisSource', 'pairs');
      form.setField('pairSet', id);
      form.setField('pairs', String(pairs));
    },
    clear(): void {
      form.setField('pairSet', PAIR_SETS[0].id);
      form.setField('pairs', String(SHOWN_PAIRS));
    },
  };
}
export type PairSets = ReturnType<typeof createPairSets>;
