// Whether the page before this one was asked to delete everything (wipe.ts): all that a first load needs to know of it.
export const WIPE_KEY = 'delete-everything';

export function isWipeAsked(): boolean {
  try {
    return localStorage.getItem(WIPE_KEY) !== null;
  } catch {
    return false;
  }
}
