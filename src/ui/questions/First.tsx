// What a reader must ask before any verdict, from the same rows: the sentences that stand first in docs/results.md.
import { useQuestions } from './use-questions.ts';

export function First() {
  const first = useQuestions((state) => state.first);
  if (first.length === 0) return null;
  return (
    <section className="question-first" aria-labelledby="question-first" data-testid="first">
      <h3 id="question-first">What to ask first</h3>
      <ul>
        {first.map((line) => (
          <li key={line}>
            <Line text={line} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Its first words are set apart as `**…**`. */
function Line({ text }: { text: string }) {
  const [, head, rest] = /^\*\*(.+?)\*\*(.*)$/s.exec(text) ?? [null, '', text];
  return (
    <>
      {head ? <b>{head}</b> : null}
      {rest}
    </>
  );
}
