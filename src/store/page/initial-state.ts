// The page's state before the first report from the worker.

import { checkDraft, draftOfPreset } from '../draft.ts';
import type { KeptLists, LabState } from '../lab-state.ts';

const NOTHING_KEPT: KeptLists = { run: [], probe: [] };

export function initialState(): LabState {
  const draft = draftOfPreset('demo', 'auto');
  return {
    connection: { status: 'loading', what: 'the lab', fraction: null },
    device: null,
    comparison: null,
    storage: null,
    draft,
    check: checkDraft(draft),
    addressProblem: null,
    shared: null,
    busy: false,
    heldModel: null,
    estimate: null,
    live: null,
    queue: [],
    progress: null,
    preparing: null,
    startsWhenReady: false,
    opening: null,
    opened: null,
    missingRun: null,
    kept: NOTHING_KEPT,
    probing: false,
    probingId: null,
    bases: [],
    pairSets: [],
    pools: [],
    poolWork: null,
    basisDrop: null,
    rollouts: null,
    log: null,
    labels: new Map(),
    notices: [],
    deleted: [],
  };
}
