// What the parts of the page's store are given: the state, the worker's client, notices, and deletions that can be taken back.
import type { StoreApi } from 'zustand/vanilla';
import type { LabClient } from '../lab/client.ts';
import type { DeviceChoice } from '../lab/protocol/protocol.ts';
import type { ReadyReport } from '../lab/protocol/reports.ts';
import type { FormAddress } from '../share/url.ts';
import type { LabState } from './lab-state.ts';
import type { createNotices } from './notices.ts';
import type { LaterList, UndoableDelete } from './undoable-delete.ts';

/** What the store is given; a test gives its own. */
export interface LabPorts {
  client: LabClient;
  /** Opens the device, the model and the grader in the worker; called once. */
  init(device: DeviceChoice): Promise<ReadyReport>;
  /** Puts the form's address into the page's; nothing is put there without it. */
  showAddress?(address: FormAddress): void;
  /** What closed pages have deleted; nothing is noted without it. */
  later?: LaterList;
}

export interface StoreContext extends LabPorts {
  store: StoreApi<LabState>;
  notices: ReturnType<typeof createNotices>;
  /** Deletions that can still be taken back. */
  undoableDelete: UndoableDelete;
}
