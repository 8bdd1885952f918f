// Whether the previous page was asked to delete everything (wipe.ts). A module of its own, so that a first load needs no more.
import { stored } from '../parts/stored.ts';

export const WIPE_KEY = 'delete-everything';

export const isWipeAsked = (): boolean => stored(WIPE_KEY) !== null;
