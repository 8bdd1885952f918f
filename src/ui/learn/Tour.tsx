// The six-step tour above the lab. It is offered until the user dismisses it, which is stored, and is always available from its button.
import { useState } from 'react';
import { Button } from '../parts/Button.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { readStored, writeStored } from '../parts/stored.ts';

const TourSteps = lazyPart(() => import('./TourSteps.tsx'), <p className="chart-wait">Loading the tour …</p>);

const KEY = 'tour';

/** @param isOffered whether the button is shown; an open tour stays open */
export function Tour({ isOffered }: { isOffered: boolean }) {
  const [status, setStatus] = useState<'offered' | 'open' | 'away'>(() =>
    readStored(KEY) === 'away' ? 'away' : 'offered',
  );

  function put(away: boolean): void {
    writeStored(KEY, away ? 'away' : null);
    setStatus(away ? 'away' : 'open');
  }

  if (status === 'open') return <TourSteps onClose={() => put(true)} />;
  if (!isOffered) return null;
  return (
    <div className="tour-offer">
      {status === 'offered' ? <p>New here? Six steps, tied to what happens on this page.</p> : null}
      <Button label="Take the tour" onClick={() => put(false)} />
      {status === 'offered' ? <Button label="No, thanks" tone="quiet" onClick={() => put(true)} /> : null}
    </div>
  );
}
