// Context that is passed to the parts of the page's store: the state, the worker's client, notices, and undoable deletions.
import type { StoreApi } from 'zustand/vanilla';
import type { LabClient } from '../lab/client.ts';
import type { DeviceChoice } from '../lab/protocol/protocol.ts';
import type { ReadyReport } from '../lab/protocol/reports.ts';
import type { FormAddress } from '../share/spec-link.ts';
import type { LabState } from './lab-state.ts';
import type { createNotices } from './notices.ts';
import type { PendingDeletionList, UndoableDelete } from './undoable-delete.ts';

/** Ports of the store, which tests replace. */
export interface LabPorts {
  client: LabClient;
  /** Opens the device, the model and the grader in the worker. Called once. */
  init(device: DeviceChoice): Promise<ReadyReport>;
  /** Writes the form into the page's address. If absent, nothing is written. */
  showAddress?(address: FormAddress): void;
  /** Deletions recorded by closed pages. If absent, nothing is recorded. */
  later?: PendingDeletionList;
}

export interface StoreContext extends LabPorts {
  store: StoreApi<LabState>;
  notices: ReturnType<typeof createNotices>;
  /** Deletions that can still be undone. */
  undoableDelete: UndoableDelete;
}
