// A prompt with its markup faint and the clause that says how the answer is graded standing out.
import { type PromptPart, splitPrompt } from '../../store/rollouts/rollouts.ts';

interface PromptProps {
  prompt: string;
  hint: string | null;
  /** Without the markup and the empty lines around it. */
  isPlain?: boolean;
}

export function Prompt({ prompt, hint, isPlain = false }: PromptProps) {
  let at = 0;
  const parts = splitPrompt(prompt, hint);
  const shown = isPlain ? withoutMarkup(parts) : parts;
  return (
    <pre className="prompt">
      {shown.map(({ text, kind }) => {
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

/** The words alone: no markup, and no line ends around it. */
function withoutMarkup(parts: readonly PromptPart[]): PromptPart[] {
  const words = parts.filter(({ kind, text }) => kind !== 'markup' && text.trim() !== '');
  return words.map((part, i) => {
    const from = i === 0 ? part.text.trimStart() : part.text;
    return { ...part, text: i === words.length - 1 ? from.trimEnd() : from };
  });
}
