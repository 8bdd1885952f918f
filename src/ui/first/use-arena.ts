// The arena's published sheets, read once while the page is open. A failed read is repeated.
import { openArena, type PublishedArena } from '../../store/findings/arena.ts';
import { useFetched } from '../parts/use-loaded.ts';

let loadingArena: Promise<PublishedArena[]> | null = null;

export const useArena = () =>
  useFetched(() => {
    loadingArena ??= openArena(document.baseURI);
    return loadingArena.catch((error) => {
      loadingArena = null;
      throw error;
    });
  });
