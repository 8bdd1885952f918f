// Short messages at the edge of the page: what has just happened, what failed, and at most one action.
import type { StoreApi } from 'zustand/vanilla';
import { type LabState, type Notice, problemOf } from './lab-state.ts';

/** Seconds until a notice closes by itself. Bad news stays until the user closes it. */
const SECONDS = 7;

/** The result of the work. If it fails, null, and a notice is shown. */
export async function attempt<T>({ fail }: { fail(error: unknown): void }, work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    fail(error);
    return null;
  }
}

export function createNotices(store: StoreApi<LabState>) {
  let nextId = 1;

  function dismiss(id: number): void {
    store.setState((state) => ({ notices: state.notices.filter((notice) => notice.id !== id) }));
  }

  /** `stays`: the notice is shown until the user closes it, like bad news. */
  function tell(
    tone: Notice['tone'],
    message: string,
    extra: Partial<Pick<Notice, 'remedy' | 'action'>> & { stays?: boolean } = {},
  ): number {
    const notice: Notice = { id: nextId++, tone, message, remedy: extra.remedy ?? null, action: extra.action ?? null };
    store.setState((state) => ({ notices: [...state.notices.slice(-3), notice] }));
    if (tone !== 'bad' && !extra.stays) setTimeout(() => dismiss(notice.id), SECONDS * 1000);
    return notice.id;
  }

  return {
    tell,
    dismiss,
    fail(error: unknown): void {
      const { message, remedy } = problemOf(error);
      tell('bad', message, { remedy });
    },
  };
}
