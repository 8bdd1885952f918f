// A prompt with its markup faint and the clause that says how the answer is graded standing out.
import { splitPrompt } from '../../../store/rollouts/rollouts.ts';

export function Prompt({ prompt, hint }: { prompt: string; hint: string | null }) {
  let at = 0;
  return (
    <pre className="prompt">
      {splitPrompt(prompt, hint).map(({ text, kind }) => {
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
