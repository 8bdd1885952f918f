// What a question lacks and what that would take on this device, worked out when a question is opened and kept while nothing has
// changed that it rests on.
import type { StoreApi } from 'zustand/vanilla';
import type { QuestionId } from '../../../../research/series/study/types.ts';
import type { FinishedRuns } from '../../../experiments/runs/finished.ts';
import type { StoreContext } from '../../context.ts';
import { costOf } from './cost.ts';
import { type Missing, missingOf } from './missing.ts';
import type { QuestionsState } from './state.ts';

/** `all`: every finished run that counts, published or own. */
export function createPricing(context: StoreContext, store: StoreApi<QuestionsState>, all: () => FinishedRuns) {
  const { store: lab } = context;
  /** Under which circumstances something missing was priced last. */
  const priced = new WeakMap<Missing, string>();
  /** In which round something missing was worked out. */
  const known = new WeakMap<Missing, number>();

  function missing(id: QuestionId): Missing {
    const { round, own, missing: before } = store.getState();
    const last = before.get(id);
    if (last && known.get(last) === round) return last;
    const found = missingOf(id, all(), own);
    known.set(found, round);
    store.setState(({ missing: others }) => ({ missing: new Map(others).set(id, found) }));
    return found;
  }

  /** What the question lacks, and what that would take on this device; asked when a question is opened. */
  async function price(id: QuestionId): Promise<void> {
    const lacks = missing(id);
    const { connection, device, busy } = lab.getState();
    const asked = `${connection.status} ${device?.choice} ${device?.name} ${busy}`;
    if (priced.get(lacks) === asked) return;
    priced.set(lacks, asked);
    const cost = await costOf(lacks, context, store.getState());
    if (store.getState().missing.get(id) === lacks)
      store.setState(({ costs }) => ({ costs: new Map(costs).set(id, cost) }));
  }

  return { missing, price };
}
