// The arena's published sheets, read once while the page is open; a failed read is tried again.
import { openArena, type PublishedArena } from '../../store/findings/arena.ts';
import { useFetched } from '../parts/use-loaded.ts';

let coming: Promise<PublishedArena[]> | null = null;

export const useArena = () =>
  useFetched(() => {
    coming ??= openArena(document.baseURI);
    return coming.catch((error) => {
      coming = null;
      throw error;
    });
  });
