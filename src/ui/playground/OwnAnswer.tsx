// The user's own answer to the chosen problem, graded in the same sandbox as the model's.
import { type FormEvent, useEffect, useId, useState } from 'react';
import { useLab, usePlayground, usePlaygroundActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Section } from '../parts/Section.tsx';
import { GradeFacts } from './GradeFacts.tsx';

export function OwnAnswer() {
  const playground = usePlaygroundActions();
  const ready = useLab((state) => state.connection.status === 'ready');
  const problemId = usePlayground((state) => state.form.problemId);
  const problem = usePlayground((state) => state.problems.find((entry) => entry.id === state.form.problemId) ?? null);
  const graded = usePlayground((state) => state.ownGrade);
  const [text, setText] = useState('');
  const [grading, setGrading] = useState(false);
  const id = useId();

  // For a new problem the text is replaced by the problem's starter code, because an answer to the previous one would not fit.
  useEffect(() => {
    if (problem) setText(`\`\`\`python\n${problem.starter}\n        return \n\`\`\``);
  }, [problem]);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setGrading(true);
    await playground.gradeOwn(text);
    setGrading(false);
  }

  return (
    <Section
      id="own-answer"
      title="Your own answer"
      lead="Solve the problem, or follow the hint and fool the grader: both run in the model’s sandbox."
    >
      <form className="ask" onSubmit={submit}>
        <div className="field">
          <label htmlFor={id}>Answer</label>
          <textarea
            id={id}
            className="mono"
            rows={6}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <div className="ask-actions">
          <Button
            label={grading ? 'Grading …' : 'Grade'}
            isLarge
            type="submit"
            disabled={!ready || grading || !problem}
          />
        </div>
        <div aria-live="polite">
          {graded && graded.problemId === problemId ? (
            <GradeFacts grade={graded.grade} mode={graded.mode} of="your answer" />
          ) : null}
        </div>
      </form>
    </Section>
  );
}
