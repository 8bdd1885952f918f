// The six-step tour, above the lab: offered once, remembered when it is put away, and taken again from its button.
import { lazy, Suspense, useState } from 'react';
import { Button } from '../parts/Button.tsx';
import { keepStored, stored } from '../parts/stored.ts';

const TourSteps = lazy(async () => ({ default: (await import('./TourSteps.tsx')).TourSteps }));

const KEY = 'tour';

export function Tour() {
  const [status, setStatus] = useState<'offered' | 'open' | 'away'>(() =>
    stored(KEY) === 'away' ? 'away' : 'offered',
  );

  function put(away: boolean): void {
    keepStored(KEY, away ? 'away' : null);
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
