// Whether the previous page was asked to delete everything (wipe.ts). It is a separate module, so that the first load need not include the
// rest.
import { readStored } from '../parts/stored.ts';

export const WIPE_KEY = 'delete-everything';

export const isWipeRequested = (): boolean => readStored(WIPE_KEY) !== null;
