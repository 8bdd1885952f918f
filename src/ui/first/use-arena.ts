// The arena's published sheets, read once for as long as the page is open; what failed is read anew.
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
