// The six-step tour, above the lab: offered once, remembered when it is put away, and taken again from its button.
import { lazy, Suspense, useState } from 'react';
import { Button } from '../parts/Button.tsx';

const TourSteps = lazy(async () => ({ default: (await import('./TourSteps.tsx')).TourSteps }));

const KEY = 'tour';

function remembered(): boolean {
  try {
    return localStorage.getItem(KEY) === 'away';
  } catch {
    return false;
  }
}

function remember(away: boolean): void {
  try {
    if (away) localStorage.setItem(KEY, 'away');
    else localStorage.removeItem(KEY);
  } catch {
    // A private window may refuse; the choice then lasts as long as the page.
  }
}

export function Tour() {
  const [status, setStatus] = useState<'offered' | 'open' | 'away'>(() => (remembered() ? 'away' : 'offered'));

  function put(away: boolean): void {
    remember(away);
    setStatus(away ? 'away' : 'open');
  }

  if (status === 'open')
    return (
      <Suspense fallback={<p className="chart-wait">Loading the tour …</p>}>
        <TourSteps onClose={() => put(true)} />
      </Suspense>
    );
  return (
    <div className="tour-offer">
      {status === 'offered' ? <p>New here? Six steps, tied to what happens on this page.</p> : null}
      <Button label="Take the tour" onClick={() => put(false)} />
      {status === 'offered' ? <Button label="No, thanks" tone="quiet" onClick={() => put(true)} /> : null}
    </div>
  );
}
