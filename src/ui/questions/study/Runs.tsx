// The runs behind a question, a button per seed; the chosen one is shown with its facts, final evaluations and charts.
import { useMemo } from 'react';
import type { QuestionId } from '../../../experiments/kinds/study/types.ts';
import { type RunGroup, runGroups } from '../../../store/kinds/study/runs.ts';
import { useQuestions, useQuestionsActions } from '../../lab-context.ts';
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
  const known = groups.some(({ slots }) => slots.some(({ runId }) => runId !== null));
  return (
    <section className="question-runs" aria-label={`Runs of ${id}`}>
      <h3>Runs</h3>
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
            <button
              key={seed}
              type="button"
              className={`btn small num ${isHere ? 'here' : ''}`}
              aria-pressed={shown === runId}
              aria-label={`${label}, ${settings}, seed ${seed}${isHere ? ', run here' : ''}`}
              onClick={() => onRun(shown === runId ? null : runId)}
            >
              {seed}
              {isHere ? ' here' : ''}
            </button>
          ),
        )}
      </div>
    </li>
  );
}
