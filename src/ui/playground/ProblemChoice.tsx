// Choice of mode and problem, and the prompt that the model will see, with its hint marked.
import { clauseOf, type ProblemMode } from '../../environments/code/types.ts';
import { usePlayground, usePlaygroundActions } from '../lab-context.ts';
import { ChoiceField } from '../parts/Choice.tsx';
import { Prompt } from '../parts/Prompt.tsx';

export function ProblemChoice({ modes }: { modes: readonly ProblemMode[] }) {
  const playground = usePlaygroundActions();
  const form = usePlayground((state) => state.form);
  const problems = usePlayground((state) => state.problems);
  const problem = problems.find((entry) => entry.id === form.problemId) ?? null;
  return (
    <div className="problem-choice">
      <div className="ask-settings">
        <ChoiceField
          label="Loophole mode"
          value={form.mode}
          options={modes.map((mode) => [mode, mode === 'honest' ? 'honest (no loophole)' : mode] as const)}
          onChange={(mode) => void playground.chooseMode(mode)}
        />
        <ChoiceField
          label="Problem"
          className="run-choice"
          value={form.problemId}
          options={problems.map(({ id, description }) => [id, description] as const)}
          onChange={(problemId) => playground.setForm({ problemId })}
        />
      </div>
      {problem ? (
        <section className="prompt-box" aria-label="Prompt">
          <Prompt prompt={problem.prompt} hint={clauseOf(problem.mode).replace(/^[, ]+/, '')} />
        </section>
      ) : null}
    </div>
  );
}
