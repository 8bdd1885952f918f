// Names the experiment that was interrupted by a reload or crash, and offers to resume it.
import { moment } from '../../lib/numbers.ts';
import { runName } from '../../store/kinds/kinds.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';

export function ResumeOffer() {
  const lab = useLabActions();
  const left = useLab((state) => state.kept.run.find(({ interrupted, status }) => interrupted && status === 'stopped'));
  const busy = useLab((state) => state.busy);
  if (!left || busy) return null;
  return (
    <section className="callout resume-offer" aria-label="Interrupted run">
      <p>
        <b>
          “{runName(left)}” of {moment(left.createdAt)} was interrupted
        </b>{' '}
        at step {left.stepsDone} of {left.stepsTotal}. It continues from its last checkpoint, or from the start where
        there is none yet. The result is the same to the last bit.
      </p>
      <div className="kept-tools">
        <Button icon="resume" label="Resume" tone="primary" onClick={() => void lab.resume(left.id)} />
        <Button label="Not now" onClick={() => void lab.annotate('run', left.id, { interrupted: false })} />
      </div>
    </section>
  );
}
