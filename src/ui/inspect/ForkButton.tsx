// Forks a run at a step: fills the form with the run as it was at that step, and scrolls to the form.
import type { RunRecord } from '../../experiments/records/events.ts';
import { useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { goAfterRedraw } from '../parts/PlaceLink.tsx';

export default function ForkButton({ run, step }: { run: Pick<RunRecord, 'id'>; step: number }) {
  const lab = useLabActions();
  return (
    <Button
      label={`Fork at step ${step}`}
      title="The same run until here, then other settings on the same random numbers"
      onClick={async () => {
        if (await lab.fork(run.id, step)) goAfterRedraw('configure');
      }}
    />
  );
}
