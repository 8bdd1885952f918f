// Whether the page before this one was asked to delete everything (wipe.ts): all that a first load needs to know of it.
import { stored } from '../parts/stored.ts';

export const WIPE_KEY = 'delete-everything';

export const isWipeAsked = (): boolean => stored(WIPE_KEY) !== null;
