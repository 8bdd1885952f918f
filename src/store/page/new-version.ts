// Offers a newer version of the lab: one notice with one button, and never while an experiment is running, which must end with the version
// that started it.
import type { StoreApi } from 'zustand/vanilla';
import { plural } from '../../experiments/analysis/words.ts';
import type { NewVersion } from '../../lab/offline.ts';
import type { LabState } from '../lab-state.ts';
import type { createNotices } from '../notices.ts';

const isAtWork = ({ busy, probing }: LabState): boolean => busy || probing;

/** `reload` loads the page again after the new version has taken over. */
export function offerNewVersion(
  store: Pick<StoreApi<LabState>, 'getState' | 'subscribe'>,
  { tell }: Pick<ReturnType<typeof createNotices>, 'tell'>,
  version: NewVersion,
  reload: () => void,
): void {
  const offer = () =>
    tell('info', 'A new version of the lab is here.', {
      stays: true,
      action: { label: 'Reload', run: () => void take() },
    });
  const take = async () => {
    // An experiment may have started since the notice appeared.
    if (isAtWork(store.getState())) return wait();
    const others = await version.takeOver();
    if (others === 0) return reload();
    tell('info', `The lab is open in ${plural(others, 'other tab')}. Close what is open there, then reload here.`, {
      stays: true,
      action: { label: 'Reload', run: () => void take() },
    });
  };
  const wait = () => {
    tell('info', 'A new version of the lab is here. It is offered when the experiment has ended.');
    const stop = store.subscribe((state) => {
      if (isAtWork(state)) return;
      stop();
      offer();
    });
  };
  if (isAtWork(store.getState())) wait();
  else offer();
}
