// The page's state and its actions: one zustand store, independent of React, changed by actions and by the worker's events. All heavy work
// is in the worker. Nothing here uses the GPU, the model or the database.

import { createStore } from 'zustand/vanilla';
import { createBasisActions } from '../bases/actions.ts';
import { createPairSets } from '../bases/pair-sets.ts';
import type { LabPorts, StoreContext } from '../context.ts';
import { createDiagnosticsActions } from '../device/diagnostics.ts';
import { createFormActions } from '../form/actions.ts';
import { followAddress } from '../form/address.ts';
import { followForm } from '../form/estimate.ts';
import { createKeptActions } from '../kept/actions.ts';
import type { KindPorts } from '../kinds/kinds.ts';
import type { LabState } from '../lab-state.ts';
import { followEnvironment } from '../models/follow-environment.ts';
import { createNotices } from '../notices.ts';
import { createPoolActions } from '../pools/actions.ts';
import { createRolloutSource } from '../rollouts/source.ts';
import { createShareActions } from '../share/actions.ts';
import { createUndoableDelete } from '../undoable-delete.ts';
import { createArchiveActions } from './archive-actions.ts';
import { createBoot } from './boot.ts';
import { initialState } from './initial-state.ts';
import { createLazyParts } from './lazy-parts.ts';
import { createRunActions } from './run-actions.ts';
import { subscribeToLab } from './worker-events.ts';

export function createLab(ports: LabPorts) {
  const store = createStore<LabState>(initialState);
  const notices = createNotices(store);
  const context: StoreContext = {
    ...ports,
    store,
    notices,
    undoableDelete: createUndoableDelete(store, ports.client, notices, ports.later),
  };
  const form = createFormActions(context);
  const basis = createBasisActions(context, form);
  const pairs = createPairSets(context, form);
  const kept = createKeptActions(context, basis.refresh, () => kinds);
  const address = followAddress(context);
  const run = createRunActions(context, kept, form);
  const share = createShareActions(context, form, run, address);
  const lazy = createLazyParts(context, { form, basis, kept, pairs, follow: () => ownModel(), showLive: run.showLive });
  const kinds: KindPorts = {
    open: run.open,
    resume: run.resume,
    shareKept: share.shareKept,
    openProbe: lazy.openProbe,
  };
  subscribeToLab(context, kept);
  followForm(context);

  const ownModel = followEnvironment(context, async (id) => (await lazy.openModels()).loadEmbedded(id));

  return {
    store,
    boot: createBoot(context, {
      form,
      fillFromAddress: share.fillFromAddress,
      noteFilled: address.noteFilled,
      async lists() {
        await context.undoableDelete.finish();
        await Promise.all([kept.refresh(), basis.refresh(), pairs.refresh()]);
      },
      ownModel,
      start: () => run.start(),
    }),
    ...form,
    ...run,
    ...kept.actions,
    ...createArchiveActions(context, {
      kept,
      refreshBases: basis.refresh,
      dropBasis: basis.actions.dropBasis,
      pairs: { refresh: pairs.refresh, importFile: async (file) => (await lazy.openPairEditor()).importFile(file) },
      readers: {
        table: async (file) => (await lazy.openDataSets()).openDropped(file),
        log: async (file) => (await lazy.openLabelling()).openLog(file),
        problems: async (file) => (await lazy.openProblemFiles()).importFile(file, file.name),
        sweep: async (file) => (await lazy.openSweeps()).read(file),
      },
      ports: kinds,
    }),
    ...basis.actions,
    ...createPoolActions(context, form, kept.refresh),
    ...share,
    formAddress: address.now,
    ...lazy,
    pairs,
    diagnostics: createDiagnosticsActions(context),
    rolloutSource: createRolloutSource(context),
    deletions: context.undoableDelete,
    tell: context.notices.tell,
    dismiss: context.notices.dismiss,
  };
}

export type Lab = ReturnType<typeof createLab>;
