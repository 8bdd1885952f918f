// Deletions that can be undone while the page is open: a deleted entry is hidden at once but stays stored. When the page is closed, the
// deletions are recorded, and the next page that opens carries them out before it reads any list. A tab that crashes records nothing, so
// nothing is lost.
import type { StoreApi } from 'zustand/vanilla';
import type { LabClient } from '../lab/client.ts';
import type { LabState } from './lab-state.ts';
import type { createNotices } from './notices.ts';

/** The request to the worker that deletes the entry, as data, because it must outlive the page. */
type DeletionRequest =
  | { kind: 'kept.delete'; params: { kind: 'run' | 'probe'; id: string } }
  | { kind: 'deleteBasis'; params: { id: string } }
  | { kind: 'deletePool'; params: { id: string } };

/** A deletion to carry out when it can no longer be undone. */
export interface PendingDeletion {
  /** The entry's kind and id, since entries of several kinds may have the same id. */
  key: string;
  request: DeletionRequest;
}

/** A list that outlives the page, which tests replace. */
export interface PendingDeletionList {
  read(): PendingDeletion[];
  write(list: readonly PendingDeletion[]): void;
}

interface Deletion extends PendingDeletion {
  /** Name for the notice, and for the list of deletions. */
  name: string;
  /** Shows the entry again. */
  restore(): void;
  /** Called once the entry has really been deleted. */
  gone(): Promise<void>;
}

const NO_LIST: PendingDeletionList = { read: () => [], write: () => {} };

export function createUndoableDelete(
  store: StoreApi<LabState>,
  client: LabClient,
  notices: ReturnType<typeof createNotices>,
  later: PendingDeletionList = NO_LIST,
) {
  const deletions = new Map<string, Deletion & { since: number }>();

  const show = () => store.setState({ deleted: [...deletions.values()].map(({ key, name }) => ({ key, name })) });
  const ask = (request: DeletionRequest): Promise<unknown> =>
    request.kind === 'kept.delete'
      ? client.request('kept.delete', request.params)
      : client.request(request.kind, request.params);
  /** The records of other closed tabs are preserved. */
  const note = (mine: readonly PendingDeletion[]) => {
    const others = later.read().filter(({ key }) => !deletions.has(key));
    later.write([...others, ...mine]);
  };

  function keep(key: string): void {
    if (deletions.delete(key)) show();
    // Another tab may have recorded the deletion of the same entry when it was closed, but the entry is wanted now.
    const noted = later.read();
    if (noted.some((one) => one.key === key)) later.write(noted.filter((one) => one.key !== key));
  }

  return {
    /** `createdAt`: an entry that was made after the deletion is a different one, and is not deleted. */
    hides(key: string, createdAt = 0): boolean {
      const deletion = deletions.get(key);
      if (!deletion) return false;
      if (createdAt <= deletion.since) return true;
      keep(key);
      return false;
    },

    /** Cancels a deletion because the entry was made again or restored. */
    keep,

    /** Cancels all deletions of a kind whose entries may have been imported along with those of another kind. */
    keepKind(kind: string): void {
      for (const key of [...deletions.keys()]) if (key.startsWith(`${kind}:`)) keep(key);
    },

    remove({ key, name, request, restore, gone }: Deletion): void {
      deletions.set(key, { key, name, request, restore, gone, since: Date.now() });
      show();
      notices.tell('info', `Deleted “${name}”. You can restore it until this page closes (Library, Runs).`, {
        action: { label: 'Undo', run: () => this.undo(key) },
      });
    },

    undo(key: string): void {
      const deletion = deletions.get(key);
      if (!deletion) return;
      keep(key);
      deletion.restore();
    },

    /** Deletes at once to make room, but not while a run may read the files. If an entry cannot be deleted, it is shown again. */
    async empty(): Promise<void> {
      if (store.getState().busy) return;
      for (const deletion of [...deletions.values()]) {
        try {
          // The entry stays hidden until it is deleted, so that no list that is read in the meantime shows it again.
          await ask(deletion.request);
          deletions.delete(deletion.key);
          await deletion.gone();
        } catch (error) {
          deletions.delete(deletion.key);
          notices.fail(error);
          deletion.restore();
        }
      }
      show();
    },

    /** When the page is closed, deletions are only recorded, since slow work might not finish. */
    closing(): void {
      note([...deletions.values()].map(({ key, request }) => ({ key, request })));
    },

    /** Called when the browser shows the closed page again. */
    reopened(): void {
      note([]);
    },

    /**
     * Carries out the deletions that closed pages recorded, before any list is read. An entry that could not be deleted is not hidden, and
     * can be deleted again.
     */
    async finish(): Promise<void> {
      const noted = later.read();
      if (noted.length === 0) return;
      later.write([]);
      for (const { request } of noted) await ask(request).catch((error) => notices.fail(error));
    },
  };
}

export type UndoableDelete = ReturnType<typeof createUndoableDelete>;
