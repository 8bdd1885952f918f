// Whether the previous page was asked to delete everything (wipe.ts). A module of its own, so that a first load needs no more.
import { readStored } from '../parts/stored.ts';

export const WIPE_KEY = 'delete-everything';

export const isWipeRequested = (): boolean => readStored(WIPE_KEY) !== null;
