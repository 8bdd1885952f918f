// Context that the parts of the page's store receive: the state, the worker's client, notices, and undoable deletions.
import type { StoreApi } from 'zustand/vanilla';
import type { LabClient } from '../lab/client.ts';
import type { DeviceChoice } from '../lab/protocol/protocol.ts';
import type { ReadyReport } from '../lab/protocol/reports.ts';
import type { FormAddress } from '../share/spec-link.ts';
import type { LabState } from './lab-state.ts';
import type { createNotices } from './notices.ts';
import type { PendingDeletionList, UndoableDelete } from './undoable-delete.ts';

/** Ports of the store; a test gives its own. */
export interface LabPorts {
  client: LabClient;
  /** Opens the device, the model and the grader in the worker; called once. */
  init(device: DeviceChoice): Promise<ReadyReport>;
  /** Puts the form's address into the page's; without it nothing is put there. */
  showAddress?(address: FormAddress): void;
  /** Deletions noted by closed pages; without it nothing is noted. */
  later?: PendingDeletionList;
}

export interface StoreContext extends LabPorts {
  store: StoreApi<LabState>;
  notices: ReturnType<typeof createNotices>;
  /** Deletions that can still be undone. */
  undoableDelete: UndoableDelete;
}
