// A question that was asked more than once: closed, what came out of all of it; open, each asking as a card of its own. Nothing is
// pooled: every entry has its own rows, rule and verdict.
import type { ReactNode } from 'react';
import { countsOf, type Stem, standingsOf } from '../../experiments/questions/stems.ts';
import { GROUPS } from './words.tsx';

interface StemCardProps {
  stem: Stem;
  open: boolean;
  onToggle: (isOpen: boolean) => void;
  /** The entries' cards. */
  children: ReactNode;
}

export function StemCard({ stem: { id, entries }, open, onToggle, children }: StemCardProps) {
  return (
    <details
      id={`stem-${id}`}
      className="section question stem"
      open={open}
      onToggle={(event) => onToggle(event.currentTarget.open)}
    >
      <summary>
        <span className="question-head">
          <span className="question-id">{id}</span>
          <h2>{entries[0].title}</h2>
          {standingsOf(entries).map(({ standing }) => (
            <span key={standing} className={`tag ${GROUPS.find((group) => group.standing === standing)?.tone}`}>
              {countsOf(entries.filter((entry) => entry.standing === standing))}
            </span>
          ))}
        </span>
        <span className="finding-said">
          {entries.length} entries, each with rows and a verdict of its own; the first: {entries[0].said}
        </span>
      </summary>
      <div className="questions">{children}</div>
    </details>
  );
}
