// The open tour: one step, what the screen currently shows of it, and a button that scrolls there. Loaded when the tour is opened.
import { useState } from 'react';
import { TOUR, tourNow } from '../../store/page/tour.ts';
import { usePublishedOnShow } from '../first/use-demo.ts';
import { useLab } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { goTo } from '../parts/PlaceLink.tsx';
import { openView } from '../parts/view.ts';

export default function TourSteps({ onClose }: { onClose: () => void }) {
  const [at, setAt] = useState(0);
  const live = useLab((state) => state.live);
  const opened = useLab((state) => state.opened);
  const bases = useLab((state) => state.bases);
  const queue = useLab((state) => state.queue);
  const step = TOUR[at];
  const published = usePublishedOnShow();
  const now = tourNow({ live, opened, bases, queue }, step.id, published);

  function show(): void {
    if (published) goTo('published');
    else if (step.place === 'bases') openView('bases');
    else goTo(step.place);
  }

  return (
    <section className="tour" aria-label="Tour">
      <p className="muted num">
        Step {at + 1} of {TOUR.length}
      </p>
      <h2>{step.title}</h2>
      <p>{step.text}</p>
      <p className={now.seen ? 'tour-now seen' : 'tour-now'}>
        {now.seen ? <span aria-hidden="true">✓ </span> : null}
        {now.text}
      </p>
      <div className="ask-actions">
        <Button label="Back" disabled={at === 0} onClick={() => setAt(at - 1)} />
        {at + 1 < TOUR.length ? <Button label="Next" tone="primary" onClick={() => setAt(at + 1)} /> : null}
        <Button label="Show me" onClick={show} />
        <Button label="End the tour" tone="quiet" onClick={onClose} />
      </div>
    </section>
  );
}
