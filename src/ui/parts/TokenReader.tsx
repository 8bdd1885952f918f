// A slider over the tokens of an answer, so that the keyboard can read them like the pointer.
import { useId } from 'react';
import './token-reader.css';

interface TokenReaderProps {
  tokens: readonly { text: string }[];
  at: number;
  onAt: (at: number) => void;
  /** For screen readers. */
  label: string;
  /** Facts of the token. */
  words: string;
}

export function TokenReader({ tokens, at, onAt, label, words }: TokenReaderProps) {
  const id = useId();
  const text = withVisibleSpaces(tokens[at].text);
  return (
    <div className="token-reader">
      <label htmlFor={id} className="sr">
        {label}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={tokens.length - 1}
        value={at}
        aria-valuetext={`${text}, ${words}`}
        onChange={(event) => onAt(Number(event.target.value))}
      />
      <p className="num">
        <code>{text}</code> {words}
        <span className="muted">
          {' '}
          (token {at + 1} of {tokens.length})
        </span>
      </p>
    </div>
  );
}

/** Replaces spaces and line ends by visible signs. */
function withVisibleSpaces(text: string): string {
  return text === '' ? '(part of a character)' : text.replaceAll('\n', '↵').replaceAll(' ', '␣');
}
