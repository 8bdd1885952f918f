// The runs behind a question, folded, a button per seed; the chosen one is shown with its facts, final evaluations and charts.
import { useEffect, useMemo, useState } from 'react';
import type { QuestionId } from '../../../../research/series/study/types.ts';
import { plural } from '../../../experiments/analysis/words.ts';
import { type RunGroup, runGroups } from '../../../store/kinds/study/runs.ts';
import { useQuestions, useQuestionsActions } from '../../lab-context.ts';
import { Button } from '../../parts/Button.tsx';
import { RunPanel } from './RunPanel.tsx';

interface RunsProps {
  id: QuestionId;
  shown: string | null;
  onRun: (runId: string | null) => void;
}

export function Runs({ id, shown, onRun }: RunsProps) {
  const actions = useQuestionsActions();
  const published = useQuestions((state) => state.published);
  const own = useQuestions((state) => state.own);
  const groups = useMemo(() => runGroups(id, { published, own }), [id, published, own]);
  const run = shown === null ? null : actions.findRun(shown);
  // The address may ask for one; who closes that one goes on reading the list.
  const [isOpen, setOpen] = useState(shown !== null);
  useEffect(() => {
    if (shown !== null) setOpen(true);
  }, [shown]);
  const known = groups.some(({ slots }) => slots.some(({ runId }) => runId !== null));
  return (
    <details
      className="question-more"
      data-testid={`runs-${id}`}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>Runs: {plural(groups.length, 'arm')}, a button for each seed</summary>
      <section className="question-runs question-folded" aria-label={`Runs of ${id}`}>
        <p className="muted">
          {known
            ? 'Open one to see its charts, and to run it again here from its link.'
            : 'None of these has been run; each number is a seed.'}
        </p>
        <ul>
          {groups.map((group) => (
            <Group key={`${group.label} ${group.settings}`} group={group} shown={shown} onRun={onRun} />
          ))}
        </ul>
        {run ? <RunPanel run={run} onClose={() => onRun(null)} /> : null}
        {shown !== null && !run ? <p className="muted">Run {shown} was not found. Choose one from the list.</p> : null}
      </section>
    </details>
  );
}

function Group({ group, shown, onRun }: Omit<RunsProps, 'id'> & { group: RunGroup }) {
  const { label, settings, slots } = group;
  return (
    <li>
      <p>
        <b>{label}</b> <span className="muted mono">{settings}</span>
      </p>
      <div className="question-seeds">
        {slots.map(({ seed, runId, isHere }) =>
          runId === null ? (
            <span key={seed} className="seed-slot num" title="not run">
              {seed}
              <span className="sr"> not run</span>
            </span>
          ) : (
            <Button
              key={seed}
              label={isHere ? `${seed} here` : seed}
              className={isHere ? 'num here' : 'num'}
              aria-pressed={shown === runId}
              aria-label={`${label}, ${settings}, seed ${seed}${isHere ? ', run here' : ''}`}
              onClick={() => onRun(shown === runId ? null : runId)}
            />
          ),
        )}
      </div>
    </li>
  );
}
