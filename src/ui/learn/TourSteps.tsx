// The open tour: one step, what the screen shows of it now, and the way there. It arrives when the tour is taken.
import { useState } from 'react';
import { TOUR, tourNow } from '../../store/page/tour.ts';
import { usePublishedOnShow } from '../first/use-demo.ts';
import { useLab } from '../lab-context.ts';
import { goTo } from '../parts/PlaceLink.tsx';
import { openView } from '../parts/view.ts';

export function TourSteps({ onClose }: { onClose: () => void }) {
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
        <button type="button" className="btn small" disabled={at === 0} onClick={() => setAt(at - 1)}>
          Back
        </button>
        {at + 1 < TOUR.length ? (
          <button type="button" className="btn small primary" onClick={() => setAt(at + 1)}>
            Next
          </button>
        ) : null}
        <button type="button" className="btn small" onClick={show}>
          Show me
        </button>
        <button type="button" className="btn small quiet" onClick={onClose}>
          End the tour
        </button>
      </div>
    </section>
  );
}
