// Progress of the running experiment, beside the navigation in every view and in the document's title: percent, time left, and a link to
// Watch. With permission, which only a button requests, a browser notification reports that it has ended.
import { useEffect, useRef, useState } from 'react';
import { duration } from '../../lib/numbers.ts';
import type { ExperimentView } from '../../store/experiment-view.ts';
import { experimentProgress } from '../../store/runs/progress.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { goInLab } from '../parts/PlaceLink.tsx';
import { useView, viewInfo } from '../parts/view.ts';

const NAME = 'Projected GRPO Lab';

export function RunBadge() {
  const lab = useLabActions();
  const view = useView();
  const busy = useLab((state) => state.busy);
  const fraction = useLab((state) => experimentProgress(state).fraction);
  const left = useLab((state) => experimentProgress(state).secondsLeft);
  const paused = useLab((state) => state.busy && state.progress?.paused === true);
  useNotification();
  const percent = busy && fraction !== null ? `${Math.floor(100 * fraction)}%` : null;
  const text =
    percent === null
      ? busy
        ? 'starting'
        : null
      : paused
        ? `${percent}, paused`
        : left === null
          ? percent
          : `${percent}, ${duration(left)} left`;
  const label = view === 'lab' ? null : viewInfo(view).label;
  const title = [text, label, NAME].filter((part) => part !== null).join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
  if (text === null) return null;

  async function follow(): Promise<void> {
    // A stored run that the user has opened would hide the running experiment.
    if (lab.store.getState().opened) await lab.showLive();
    goInLab('progress');
  }

  return (
    <div className="run-badge">
      <button type="button" className="badge num" onClick={() => void follow()} title="Go to the run">
        <progress value={fraction ?? undefined} max={1} aria-hidden="true" />
        <span className="unseen">Training: </span>
        {text}
      </button>
      <AskToNotify />
    </div>
  );
}

const canAsk = () => typeof Notification !== 'undefined' && Notification.permission === 'default';

function AskToNotify() {
  const [offered, setOffered] = useState(canAsk);
  if (!offered) return null;
  return (
    <Button
      label="Tell me when it ends"
      className="notify"
      title="Asks the browser for permission to tell you"
      onClick={() => void Notification.requestPermission().finally(() => setOffered(false))}
    />
  );
}

/** Sends one notification for each experiment that ends in this tab while the page is hidden. */
function useNotification(): void {
  const live = useLab((state) => state.live);
  const busy = useLab((state) => state.busy);
  const was = useRef<string | null>(null);
  useEffect(() => {
    const at = busy && live ? live.id : null;
    const ended = was.current !== null && was.current !== at;
    was.current = at;
    if (!ended || !live || typeof Notification === 'undefined') return;
    if (Notification.permission !== 'granted' || !document.hidden) return;
    void bodyOf(live).then((body) => {
      try {
        new Notification(NAME, { body, tag: live.id });
      } catch {
        // On Android only service workers may show notifications.
      }
    });
  }, [live, busy]);
}

/** The module is loaded when a run ends, because the first load of the page does not need it. */
async function bodyOf({ result, spec, planned, status }: ExperimentView): Promise<string> {
  const { headlineParts } = await import('../../experiments/analysis/headline.ts');
  return (result && headlineParts(result, planned[0].environment)?.sentence) ?? `${spec.preset}: ${status}.`;
}
