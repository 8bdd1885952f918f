// Steering: a direction, and the distance α by which the untrained model is moved along it. Its answer is shown beside that at α = 0.
import { useId } from 'react';
import { MOST_ALPHA } from '../../lab/protocol/playground.ts';
import { steerings } from '../../store/playground/playground.ts';
import { useLab, usePlayground, usePlaygroundActions } from '../lab-context.ts';
import { ChoiceField } from '../parts/Choice.tsx';

/** Maximum multiple of a run's own part that is added. Beyond it the model writes only noise. */
const MOST_TIMES = 4;

export function Steering() {
  const playground = usePlaygroundActions();
  const bases = useLab((state) => state.bases);
  const { runs, form } = usePlayground((state) => state);
  const id = useId();
  const { kind, steer, alpha } = form;
  const run = runs?.find((entry) => entry.runId === form.runId) ?? null;
  const options = steerings(run, bases);
  if (options.length === 1) return null;
  const isBasis = steer !== 'change' && steer !== 'quarantine';
  const most = isBasis ? MOST_ALPHA : MOST_TIMES;
  return (
    <>
      <ChoiceField
        label="Steer along"
        value={steer}
        options={options}
        onChange={(chosen) => {
          playground.clear();
          playground.setForm({ steer: chosen, alpha: 1 });
        }}
        help="Moves the untrained model; nothing is trained."
      />
      {steer === '' ? null : (
        <div className="field">
          <label htmlFor={id}>
            α <output className="num">{alpha.toFixed(1)}</output>
          </label>
          <input
            id={id}
            type="range"
            min={-most}
            max={most}
            step={0.1}
            value={alpha}
            aria-describedby={`${id}-help`}
            onChange={({ target }) => playground.setForm({ alpha: Number(target.value) })}
            // Releasing the slider asks the question, so that both answers follow it.
            onPointerUp={({ currentTarget }) => kind === 'problem' && currentTarget.form?.requestSubmit()}
          />
          <p className="help" id={`${id}-help`}>
            {isBasis ? 'Length of the step hack-ward; below 0 away from it.' : 'Times the run’s own; 1 is as trained.'}
          </p>
        </div>
      )}
    </>
  );
}
