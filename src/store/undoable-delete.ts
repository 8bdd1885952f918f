// Deletions that can be taken back for as long as the page is open: what a person deletes is hidden at once and stays stored. When the
// page is closed it is noted what goes, and the next page that opens deletes it before it lists anything. A tab that crashes notes
// nothing, and has lost nothing.
import type { StoreApi } from 'zustand/vanilla';
import type { LabClient } from '../lab/client.ts';
import type { LabState } from './lab-state.ts';
import type { createNotices } from './notices.ts';

/** What the worker is asked for: data, since it outlives the page. */
type DeletionRequest =
  | { kind: 'kept.delete'; params: { kind: 'run' | 'probe'; id: string } }
  | { kind: 'deleteBasis'; params: { id: string } }
  | { kind: 'deletePool'; params: { id: string } };

/** What is to be deleted when nobody can want it back any more. */
export interface Later {
  /** Of the thing, with its kind: ids of several kinds may be the same. */
  key: string;
  request: DeletionRequest;
}

/** Kept beside the page, over its end; a test gives its own. */
export interface LaterList {
  read(): Later[];
  write(list: readonly Later[]): void;
}

interface Deletion extends Later {
  /** For the notice, and the list of what is deleted. */
  name: string;
  /** Shows it again. */
  restore(): void;
  /** When it is gone in earnest. */
  gone(): Promise<void>;
}

const NO_LIST: LaterList = { read: () => [], write: () => {} };

export function createUndoableDelete(
  store: StoreApi<LabState>,
  client: LabClient,
  notices: ReturnType<typeof createNotices>,
  later: LaterList = NO_LIST,
) {
  const deletions = new Map<string, Deletion & { since: number }>();

  const show = () => store.setState({ deleted: [...deletions.values()].map(({ key, name }) => ({ key, name })) });
  const ask = (request: DeletionRequest): Promise<unknown> =>
    request.kind === 'kept.delete'
      ? client.request('kept.delete', request.params)
      : client.request(request.kind, request.params);
  /** Others' notes stay: another tab's, which has been closed. */
  const note = (mine: readonly Later[]) => {
    const others = later.read().filter(({ key }) => !deletions.has(key));
    later.write([...others, ...mine]);
  };

  function keep(key: string): void {
    if (deletions.delete(key)) show();
    // Another tab may have noted the same thing when it was closed; it is wanted now.
    const noted = later.read();
    if (noted.some((one) => one.key === key)) later.write(noted.filter((one) => one.key !== key));
  }

  return {
    /** `createdAt`: one that was made after it was deleted is another, and stays. */
    hides(key: string, createdAt = 0): boolean {
      const deletion = deletions.get(key);
      if (!deletion) return false;
      if (createdAt <= deletion.since) return true;
      keep(key);
      return false;
    },

    /** It was made or imported anew, or a person wants it back. */
    keep,

    /** For what may have been imported together with other things. */
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

    /** In earnest and at once, to make room. What cannot be deleted is shown again. Not while a run may read it. */
    async empty(): Promise<void> {
      if (store.getState().busy) return;
      for (const deletion of [...deletions.values()]) {
        try {
          // Hidden until it is gone, so that no list that is read meanwhile shows it once more.
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

    /** The page is closed: noted, not done, since nothing that takes time is sure to be done now. */
    closing(): void {
      note([...deletions.values()].map(({ key, request }) => ({ key, request })));
    },

    /** The browser kept the closed page, and shows it again. */
    reopened(): void {
      note([]);
    },

    /** What closed pages have noted; before anything is listed. What fails is not hidden, and so can be deleted again. */
    async finish(): Promise<void> {
      const noted = later.read();
      if (noted.length === 0) return;
      later.write([]);
      for (const { request } of noted) await ask(request).catch((error) => notices.fail(error));
    },
  };
}

export type UndoableDelete = ReturnType<typeof createUndoableDelete>;
