// An answer's text line by line: its exploit's lines or words are marked, and tokens are shaded by their probability under the policy.
import { memo, type ReactNode, useMemo } from 'react';
import { decimal } from '../../../lib/numbers.ts';
import { exploitLines } from '../../../store/rollouts/exploit.ts';
import {
  ADVANTAGES,
  type AlignedTokens,
  advantageShade,
  markSpans,
  SHADES,
  type Shading,
  shadeOf,
  spanLines,
  type TokenSpan,
} from '../../../store/rollouts/tokens.ts';

interface CodeProps {
  completion: string;
  /** Whether the text is searched for lines of an exploit. */
  python: boolean;
  /** Matches the words of an exploit in texts that are not Python. */
  exploit?: RegExp | null;
  /** Null draws the text alone. */
  tokens: AlignedTokens | null;
  /** Shades the whole answer; null leaves it plain. */
  advantage?: number | null;
}

const NO_MARKS: ReturnType<typeof exploitLines> = new Map();

export const Code = memo(function Code({ completion, python, exploit = null, tokens, advantage = null }: CodeProps) {
  const marks = useMemo(() => (python ? exploitLines(completion) : NO_MARKS), [completion, python]);
  const lines = useMemo(
    () => spanLines(markSpans(tokens?.spans ?? [{ text: completion, logprob: null }], exploit)),
    [completion, tokens, exploit],
  );
  const shade = advantage === null ? null : advantageShade(advantage);
  return (
    <pre className={shade === null ? 'completion' : `completion tok a${shade}`}>
      <code>
        {lines.map((spans, i) => {
          const mode = marks.get(i);
          const line = `line ${i}`;
          let at = 0;
          return (
            <span key={line} className={mode ? 'line exploit' : 'line'} title={mode ? `exploit of ${mode}` : undefined}>
              {mode ? <span className="sr">exploit: </span> : null}
              {spans.map((span) => {
                at += span.text.length;
                const token = <Token key={at} span={span} />;
                return span.isMarked ? <ExploitMark key={at}>{token}</ExploitMark> : token;
              })}
              {'\n'}
            </span>
          );
        })}
      </code>
    </pre>
  );
});

const ExploitMark = ({ children }: { children: ReactNode }) => (
  <mark className="exploit" title="exploit">
    <span className="sr">exploit: </span>
    {children}
  </mark>
);

function Token({ span: { text, logprob } }: { span: TokenSpan }) {
  const shade = shadeOf(logprob);
  if (shade === null || logprob === null) return text;
  const title = `p = ${Math.exp(logprob).toPrecision(2)}, log p = ${decimal(logprob, 2)}`;
  return (
    <span className={`tok p${shade}`} title={title}>
      {text}
    </span>
  );
}

/** Explains the shading. */
export function ShadeLegend({ shading }: { shading: Shading }) {
  if (shading === 'nothing') return null;
  if (shading === 'advantage')
    return (
      <p className="shade-legend">
        <span>Advantage of the answer within its group:</span>
        {ADVANTAGES.map(({ label }, i) => (
          <span key={label} className={`tok a${i}`}>
            {label}
          </span>
        ))}
      </p>
    );
  return (
    <p className="shade-legend">
      <span>Probability of each token when it was sampled:</span>
      {SHADES.map(({ label }, i) => (
        <span key={label} className={`tok p${i}`}>
          {label}
        </span>
      ))}
      <span className="muted">Teacher rows are cached texts and have none.</span>
    </p>
  );
}
