// A prompt with faint markup, and with the clause about grading highlighted.
import { type PromptPart, splitPrompt } from '../../store/rollouts/rollouts.ts';

interface PromptProps {
  prompt: string;
  hint: string | null;
  /** Whether the markup and the empty lines around it are omitted. */
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

/** The prompt's words without markup and the line ends around it. */
function withoutMarkup(parts: readonly PromptPart[]): PromptPart[] {
  const words = parts.filter(({ kind, text }) => kind !== 'markup' && text.trim() !== '');
  return words.map((part, i) => {
    const from = i === 0 ? part.text.trimStart() : part.text;
    return { ...part, text: i === words.length - 1 ? from.trimEnd() : from };
  });
}
