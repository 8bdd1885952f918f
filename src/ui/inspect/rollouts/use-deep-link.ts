// Opens the address's `?rollout=` when the lab is ready, and from then on updates the address to match the open dialog.
import { useEffect, useRef } from 'react';
import { experimentOf, linksToRollout, type RolloutRef, withRollout } from '../../../store/rollouts/link.ts';
import { useLab, useLabActions } from '../../lab-context.ts';

export function useDeepLink(open: RolloutRef | null, onOpen: (ref: RolloutRef) => void): void {
  const lab = useLabActions();
  const isReady = useLab((state) => state.connection.status === 'ready');
  const linked = useRef(linksToRollout(window.location.search));

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the lab is ready
  useEffect(() => {
    const ref = linked.current;
    if (!isReady || ref === null) return;
    linked.current = null;
    void follow(ref);
  }, [isReady]);

  useEffect(() => {
    if (linked.current !== null) return;
    const address = withRollout(window.location.href, open);
    if (address !== window.location.href) window.history.replaceState(window.history.state, '', address);
  }, [open]);

  async function follow(ref: RolloutRef | 'unreadable'): Promise<void> {
    const refuse = (message: string, remedy: string) => {
      window.history.replaceState(window.history.state, '', withRollout(window.location.href, null));
      lab.tell('bad', message, { remedy });
    };
    if (ref === 'unreadable') {
      refuse('The address names no rollout: its part after “rollout=” is damaged.', 'Ask for the link again.');
      return;
    }
    const id = experimentOf(ref.runId);
    const remedy = 'Rollouts stay in the browser that trained them: open the link there.';
    if (!(await lab.rolloutSource.isKept(id))) {
      refuse('The link leads to a rollout of a run that is not kept in this browser.', remedy);
      return;
    }
    await lab.open(id);
    const record = await lab.rolloutSource.find(ref).catch(() => null);
    if (!record) {
      refuse(`Step ${ref.step} of that run has no such rollout.`, 'Ask for the link again.');
      return;
    }
    await lab.showRollouts(ref.runId, ref.step);
    onOpen(ref);
  }
}
