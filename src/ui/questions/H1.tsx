// The preregistered hypothesis on a card of its own: its bars, where the figures lie, and whether the real V beats its controls.
import type { H1Card } from '../../experiments/analysis/h1.ts';
import { Section } from '../parts/Section.tsx';
import { useQuestions } from './use-questions.ts';
import { Mean, signed } from './words.tsx';

const TONES: Record<H1Card['status'], string> = {
  supported: 'good',
  falsified: 'bad',
  undecided: 'warn',
  'not run': '',
};

export function H1() {
  const card = useQuestions((state) => state.h1);
  return (
    <Section
      id="h1"
      title="H1, preregistered"
      lead="Erase lowers hack by at least 30 points at solve within ±10 points of vanilla. Falsified by less than 15 points of hack, more than 15 points of solve lost, or a difference within one standard error over seeds."
    >
      {card ? <Card card={card} /> : <p className="muted">Reading …</p>}
    </Section>
  );
}

function Card({ card }: { card: H1Card }) {
  const [first, ...rest] = card.sentences;
  return (
    <div className="h1-card" data-testid="h1">
      <p className="h1-verdict">
        <span className={`tag ${TONES[card.status]}`}>{card.status}</span> {first}
      </p>
      {card.hack && card.solve ? (
        <dl className="facts">
          <div>
            <dt>vanilla hack</dt>
            <dd className="num">
              <Mean of={card.vanillaHack} />
            </dd>
          </div>
          <div>
            <dt>erase hack</dt>
            <dd className="num">
              <Mean of={card.interventionHack} />
            </dd>
          </div>
          <div>
            <dt>Δhack</dt>
            <dd className="num">{signed(card.hack.delta.mean)} points</dd>
          </div>
          <div>
            <dt>Δsolve</dt>
            <dd className="num">{signed(card.solve.delta.mean)} points</dd>
          </div>
          <div>
            <dt>seeds</dt>
            <dd className="num">{card.n}</dd>
          </div>
        </dl>
      ) : null}
      {rest.length > 0 ? (
        <ul className="question-notes">
          {rest.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      ) : null}
      {card.notes.length > 0 ? (
        <details className="question-more">
          <summary>Notes on the runs compared</summary>
          <ul className="question-notes">
            {card.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      ) : null}
    </div>
  );
}
