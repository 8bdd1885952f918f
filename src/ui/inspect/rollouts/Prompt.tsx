// A prompt with its markup faint and the clause that says how the answer is graded standing out.
import { clauseOf } from '../../../environments/code/clauses.ts';
import type { ProblemMode } from '../../../environments/code/types.ts';
import { splitPrompt } from '../../../store/rollouts.ts';

export function Prompt({ prompt, mode }: { prompt: string; mode: ProblemMode }) {
  let at = 0;
  return (
    <pre className="prompt">
      {splitPrompt(prompt, clauseOf(mode).replace(/^[, ]+/, '')).map(({ text, kind }) => {
        const key = at;
        at += text.length;
        if (kind === 'hint') return <mark key={key}>{text}</mark>;
        return (
          <span key={key} className={kind === 'markup' ? 'markup' : undefined}>
            {text}
          </span>
        );
      })}
    </pre>
  );
}
