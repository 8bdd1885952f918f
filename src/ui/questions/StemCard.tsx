// A question that was studied more than once: one chart with a row for each entry, one sentence, then a card for each entry. Nothing is
// pooled: every entry has its own rows, decision rule and verdict. Entries with n = 0 are listed separately.
import type { ReactNode } from 'react';
import { plural } from '../../experiments/analysis/words.ts';
import type { ShownQuestion } from '../../findings/sheet.ts';
import { countsOf, type Stem, statusCounts } from '../../findings/stems.ts';
import { forestOf, isAnswered, statusSummary } from '../../store/findings/forest.ts';
import { GROUPS } from '../parts/StatusTag.tsx';
import { DotFigure } from './DotFigure.tsx';

interface StemCardProps {
  stem: Stem;
  open: boolean;
  onToggle: (isOpen: boolean) => void;
  isOpen: (id: string) => boolean;
  card: (entry: ShownQuestion) => ReactNode;
}

export function StemCard({ stem: { id, entries }, open, onToggle, isOpen, card }: StemCardProps) {
  const answered = entries.filter(isAnswered);
  const others = entries.filter((entry) => !isAnswered(entry));
  const forest = forestOf(entries);
  return (
    <section id={`stem-${id}`} className="section question stem" aria-labelledby={`title-${id}`}>
      <div className="question-head">
        <span className="question-id">{id}</span>
        <h2 id={`title-${id}`}>{entries[0].title}</h2>
        {statusCounts(answered).map(({ standing }) => (
          <span key={standing} className={`tag ${GROUPS.find((group) => group.standing === standing)?.tone}`}>
            {countsOf(answered.filter((entry) => entry.standing === standing))}
          </span>
        ))}
      </div>
      <p className="finding-said">{statusSummary(entries)}</p>
      {forest ? <DotFigure id={`stem-${id}`} chart={forest} /> : null}
      <details className="stem-entries" open={open} onToggle={(event) => onToggle(event.currentTarget.open)}>
        <summary>Each entry, with its rows, rule and verdict: {plural(answered.length, 'card')}</summary>
        <div className="questions">{answered.map(card)}</div>
        {others.length > 0 ? (
          <details className="stem-entries" open={others.some((entry) => isOpen(entry.id))}>
            <summary>
              {plural(others.length, 'more entry', 'more entries')} with n = 0:{' '}
              {others.map((entry) => entry.id).join(', ')}
            </summary>
            <div className="questions">{others.map(card)}</div>
          </details>
        ) : null}
      </details>
    </section>
  );
}
