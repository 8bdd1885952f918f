// Deletions that can be taken back: what a person deletes is hidden at once, and deleted in earnest only when the time to undo
// it has run. A tab that is closed before then has lost nothing.
import type { StoreApi } from 'zustand/vanilla';
import type { LabState } from './lab-state.ts';
import type { createNotices } from './notices.ts';

/** As long as the notice with "Undo" stands. */
const UNDO_MS = 7000;

interface Deletion {
  /** Of the thing, with its kind: ids of several kinds may be the same. */
  key: string;
  /** For the notice. */
  name: string;
  /** Deletes it in earnest. */
  really(): Promise<void>;
  /** Shows it again. */
  restore(): void;
  /** A run at work may read it: then it goes when that has ended. */
  afterRuns?: boolean;
}

export function createLeaving(store: StoreApi<LabState>, notices: ReturnType<typeof createNotices>) {
  const timers = new Map<string, ReturnType<typeof setTimeout>>();

  function keep(key: string): void {
    clearTimeout(timers.get(key));
    timers.delete(key);
  }

  function schedule(deletion: Deletion): void {
    const { key, really, restore, afterRuns } = deletion;
    async function due(): Promise<void> {
      if (afterRuns && store.getState().busy) return schedule(deletion);
      try {
        // Hidden until it is gone, so that no list that is read meanwhile shows it once more.
        await really();
        timers.delete(key);
      } catch (error) {
        timers.delete(key);
        notices.fail(error);
        restore();
      }
    }
    timers.set(
      key,
      setTimeout(() => void due(), UNDO_MS),
    );
  }

  return {
    hides: (key: string): boolean => timers.has(key),

    /** It was made or imported anew, or a person wants it back. */
    keep,

    /** For what may have been imported together with other things. */
    keepKind(kind: string): void {
      for (const key of [...timers.keys()]) if (key.startsWith(`${kind}:`)) keep(key);
    },

    remove(deletion: Deletion): void {
      keep(deletion.key);
      schedule(deletion);
      const undo = () => {
        if (!timers.has(deletion.key)) return;
        keep(deletion.key);
        deletion.restore();
      };
      notices.tell('info', `Deleted “${deletion.name}”.`, { action: { label: 'Undo', run: undo } });
    },
  };
}

export type Leaving = ReturnType<typeof createLeaving>;
