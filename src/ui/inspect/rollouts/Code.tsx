// An answer's text line by line: the lines or words of its exploit are marked, and tokens are shaded by their known values.
import { memo, type ReactNode, useMemo } from 'react';
import { exploitLines } from '../../../store/rollouts/exploit.ts';
import {
  ADVANTAGES,
  type AlignedTokens,
  advantageShade,
  isTokenShading,
  markSpans,
  type Shading,
  shadeOf,
  spanLines,
  TOKEN_SHADINGS,
  type TokenSpan,
} from '../../../store/rollouts/tokens.ts';

interface CodeProps {
  completion: string;
  /** Whether the text is searched for lines of an exploit. */
  python: boolean;
  /** Matches the words of an exploit in texts that are not Python. */
  exploit?: RegExp | null;
  /** Null draws only the text. */
  tokens: AlignedTokens | null;
  shading?: Shading;
  /** The answer's own value, by which all of it can be shaded. */
  advantage?: number;
  /** Index of the token whose details are shown; null for none. */
  selected?: number | null;
}

const NO_MARKS: ReturnType<typeof exploitLines> = new Map();

export const Code = memo(function Code(props: CodeProps) {
  const {
    completion,
    python,
    exploit = null,
    tokens,
    shading = 'nothing',
    advantage = Number.NaN,
    selected = null,
  } = props;
  const marks = useMemo(() => (python ? exploitLines(completion) : NO_MARKS), [completion, python]);
  const lines = useMemo(
    () => spanLines(markSpans(tokens?.spans ?? [{ text: completion, value: null }], exploit)),
    [completion, tokens, exploit],
  );
  const shade = shading === 'advantage' ? advantageShade(advantage) : null;
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
                const token = (
                  <Token
                    key={at}
                    span={span}
                    shading={shading}
                    isRead={span.at !== undefined && span.at === selected}
                  />
                );
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

function Token({ span: { text, value }, shading, isRead }: { span: TokenSpan; shading: Shading; isRead: boolean }) {
  if (!isTokenShading(shading) || value === null) return text;
  const shade = shadeOf(shading, value);
  if (shade === null) return text;
  return (
    <span className={`tok p${shade}${isRead ? ' read' : ''}`} title={TOKEN_SHADINGS[shading].words(value)}>
      {text}
    </span>
  );
}

/** Explains the shading. */
export function ShadeLegend({ shading }: { shading: Shading }) {
  if (shading === 'nothing') return null;
  const [legend, shades, letter] =
    shading === 'advantage'
      ? ['Advantage of the answer within its group:', ADVANTAGES, 'a']
      : [TOKEN_SHADINGS[shading].legend, TOKEN_SHADINGS[shading].shades, 'p'];
  return (
    <p className="shade-legend">
      <span>{legend}</span>
      {shades.map(({ label }, i) => (
        <span key={label} className={`tok ${letter}${i}`}>
          {label}
        </span>
      ))}
      {shading === 'probability' ? <span className="muted">Teacher rows are cached texts and have none.</span> : null}
    </p>
  );
}
