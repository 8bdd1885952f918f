// Mode and problem, and the prompt that the model will see, its hint marked.
import { useId } from 'react';
import { clauseOf, type ProblemMode } from '../../environments/code/types.ts';
import { usePlayground, usePlaygroundActions } from '../lab-context.ts';
import { Prompt } from '../parts/Prompt.tsx';

export function ProblemChoice({ modes }: { modes: readonly ProblemMode[] }) {
  const playground = usePlaygroundActions();
  const form = usePlayground((state) => state.form);
  const problems = usePlayground((state) => state.problems);
  const id = useId();
  const problem = problems.find((entry) => entry.id === form.problemId) ?? null;
  return (
    <div className="problem-choice">
      <div className="ask-settings">
        <div className="field">
          <label htmlFor={`${id}-mode`}>Loophole mode</label>
          <select
            id={`${id}-mode`}
            value={form.mode}
            onChange={(event) => void playground.chooseMode(event.target.value as ProblemMode)}
          >
            {modes.map((mode) => (
              <option key={mode} value={mode}>
                {mode === 'honest' ? 'honest (no loophole)' : mode}
              </option>
            ))}
          </select>
        </div>
        <div className="field run-choice">
          <label htmlFor={`${id}-problem`}>Problem</label>
          <select
            id={`${id}-problem`}
            value={form.problemId}
            onChange={(event) => playground.setForm({ problemId: event.target.value })}
          >
            {problems.map(({ id, description }) => (
              <option key={id} value={id}>
                {description}
              </option>
            ))}
          </select>
        </div>
      </div>
      {problem ? (
        <section className="prompt-box" aria-label="Prompt">
          <Prompt prompt={problem.prompt} hint={clauseOf(problem.mode).replace(/^[, ]+/, '')} />
        </section>
      ) : null}
    </div>
  );
}
