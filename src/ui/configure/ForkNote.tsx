// Describes the form's fork: the step at which it starts, and what it changes from there on.
import { useMemo } from 'react';
import { forkChangesText, forkText } from '../../store/runs/fork.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';

export default function ForkNote() {
  const lab = useLabActions();
  const fork = useLab((state) => state.draft.fork);
  const spec = useLab((state) => state.check.spec);
  const changes = useMemo(() => (spec?.fork ? forkChangesText(spec, spec.fork.step) : null), [spec]);
  if (!fork) return null;
  return (
    <div className="callout slim fork-note" role="status">
      <p>
        <b>Fork of {forkText(fork)}.</b> {changes}
      </p>
      <Button label="Do not fork" onClick={lab.leaveFork} title="Keeps the settings, from the untrained model on" />
    </div>
  );
}
