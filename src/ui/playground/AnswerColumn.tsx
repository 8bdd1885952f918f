// One model's answer: the conversation before it, its tokens shaded by probability, and its grade.
import { type MouseEvent, memo, useId, useState } from 'react';
import type { PlayModel, PlayToken } from '../../lab/protocol/playground.ts';
import { decimal, percent } from '../../lib/numbers.ts';
import type { PlayColumn } from '../../store/playground/playground.ts';
import { TokenReader } from '../parts/TokenReader.tsx';
import { GradeFacts } from './GradeFacts.tsx';

const MODEL_DESCRIPTIONS: Record<PlayModel, string> = {
  base: 'as it was before any training',
  trained: 'with all that the run has learned',
  deployed: 'with the quarantine dropped',
  steered: 'moved α along the direction, without training',
};
const STATUS = { waiting: 'waiting', writing: 'writing …', done: '', stopped: 'stopped' } as const;

export function AnswerColumn({ column }: { column: PlayColumn }) {
  const { model, name, turns, from, tokens, status, ended, grade, mode } = column;
  const [at, setAt] = useState(0);
  const id = useId();
  const token = tokens[Math.min(at, tokens.length - 1)];
  const note = status === 'done' && !ended ? 'cut off at its budget' : STATUS[status];
  return (
    <article className="play-column" aria-labelledby={`${id}-name`}>
      <header>
        <h3 id={`${id}-name`}>{name}</h3>
        <p className="muted">{MODEL_DESCRIPTIONS[model]}</p>
        {note ? <span className="tag">{note}</span> : null}
      </header>
      {turns.slice(0, -1).map((turn, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a conversation only grows at its end
        <p key={i} className={`said ${turn.role}`}>
          <b>{turn.role === 'user' ? 'You' : name}</b> {turn.text}
        </p>
      ))}
      {turns.length > 0 ? (
        <p className="said user">
          <b>You</b> {turns.at(-1)?.text}
        </p>
      ) : null}
      {from === null ? null : (
        <p className="said user">
          <b>From</b> {from}
        </p>
      )}
      <section aria-label={`Answer of ${name}`}>
        <TokenText tokens={tokens} selected={at} onSelect={setAt} />
      </section>
      {token ? (
        <TokenReader
          tokens={tokens}
          at={Math.min(at, tokens.length - 1)}
          onAt={setAt}
          label={`Token of ${name}’s answer`}
          words={`p = ${percent(Math.exp(token.logprob))}, ln p = ${decimal(token.logprob, 2)}`}
        />
      ) : null}
      {grade && mode ? <GradeFacts grade={grade} mode={mode} of={name} /> : null}
    </article>
  );
}

interface TokenTextProps {
  tokens: readonly PlayToken[];
  selected: number;
  onSelect: (index: number) => void;
}

const TokenText = memo(function TokenText({ tokens, selected, onSelect }: TokenTextProps) {
  function point(event: MouseEvent): void {
    const index = (event.target as HTMLElement).dataset.at;
    if (index !== undefined) onSelect(Number(index));
  }
  return (
    // The slider below selects tokens, too, and the keyboard reaches it.
    // biome-ignore lint/a11y/useKeyWithMouseEvents: see above
    <pre className="token-text" onMouseOver={point}>
      {tokens.map(({ text, logprob }, i) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens only grow at their end
          key={i}
          data-at={i}
          className={i === selected ? 'token selected' : 'token'}
          style={{ '--doubt': `${Math.round(45 * (1 - Math.exp(logprob)))}%` } as React.CSSProperties}
          title={`p = ${percent(Math.exp(logprob))}`}
        >
          {text}
        </span>
      ))}
    </pre>
  );
});
