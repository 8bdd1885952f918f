// Stores a tried basis as a row of the table, for every finished run of the arm.
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { controlOf } from '../../store/runs/basis-trial.ts';
import { useBasisTrial, useBasisTrialActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';

export function KeepTrial({ spec, isDisabled }: { spec: RunSpec; isDisabled: boolean }) {
  const trial = useBasisTrialActions();
  const { choice, work, made } = useBasisTrial((state) => state);
  if (!choice) return null;
  const hasOwnPairs = choice.off.length + choice.edited.length > 0;
  const { id } = controlOf(choice, spec);
  if (work)
    return (
      <p className="trial-keep">
        <progress value={work.fraction} max={1} aria-label="Done" />
        <span className="muted" role="status">
          {work.what}
        </span>
        <Button label="Cancel" onClick={() => void trial.cancelKeeping()} />
      </p>
    );
  return (
    <p className="trial-keep">
      <Button label="Keep as a row of the table" disabled={isDisabled} onClick={() => void trial.keep()} />
      {made ? (
        <span role="status">“{made}” is in the table, and kept with the runs.</span>
      ) : (
        <span className="muted">
          Every seed is evaluated. Its name: “{hasOwnPairs ? 'pairs …, ' : ''}
          {id}”.
        </span>
      )}
    </p>
  );
}
