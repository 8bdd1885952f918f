// What is not there in the browser's file system, or not there any more: several requests and tabs share it, so that a name which was just
// listed may be gone, or be another file, when it is opened. To a reader that is the same as never there.

/** Null for what is not there. */
export function found<T>(work: Promise<T>): Promise<T | null> {
  return work.catch(ignoreMissing);
}

const nameOf = (error: unknown) => (error as { name?: string } | null)?.name;

export function ignoreMissing(error: unknown): null {
  if (nameOf(error) === 'NotFoundError' || nameOf(error) === 'TypeMismatchError') return null;
  throw error;
}

/** Of a file that was there: deleted since, or written anew, which makes what was opened unreadable. */
export const hasMoved = (error: unknown): boolean =>
  nameOf(error) === 'NotFoundError' || nameOf(error) === 'NotReadableError';

/** The entries of a folder as far as it is there: one that is deleted while it is listed ends. */
export async function* present<T>(entries: AsyncIterable<T> | undefined): AsyncGenerator<T> {
  try {
    if (entries) yield* entries;
  } catch (error) {
    ignoreMissing(error);
  }
}
