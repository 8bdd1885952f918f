// A judge model's grading of a question's attempts, folded below its prompt: the rubric, each verdict, and where the verifier program,
// which does not judge here, disagrees.
import { useMemo } from 'react';
import { type Mark, rubricOf } from '../../../environments/cat/shown.ts';
import type { RolloutRecord } from '../../../experiments/records/events.ts';
import { TableBox } from '../../parts/TableBox.tsx';

/** `rollouts` is the whole group in order, unfiltered. Renders nothing if no model judged. */
export function Rubric({ rollouts }: { rollouts: readonly RolloutRecord[] }) {
  const shown = useMemo(() => rubricOf(rollouts.map(({ verdict }) => verdict)), [rollouts]);
  if (!shown) return null;
  const { synthesis, criteria, attempts } = shown;
  const mean = (of: 'judged' | 'score') => attempts.reduce((sum, one) => sum + one[of], 0) / attempts.length;
  return (
    <details className="agreement">
      <summary className="num">
        Judged {mean('judged').toFixed(2)}, true {mean('score').toFixed(2)}
        {criteria.length > 0 ? `, ${criteria.length} criteria` : ', no rubric'}
      </summary>
      <div>
        <TableBox label="Criteria by attempt">
          <table>
            <caption>Criteria by attempt</caption>
            <thead>
              <tr>
                <th scope="col">criterion</th>
                {attempts.map((_, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: attempts are identified by their place in the group
                  <th key={i} scope="col" className="num">
                    {i + 1}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {criteria.map(({ text, marks }) => (
                <tr key={text}>
                  <th scope="row" className="mono">
                    {text}
                  </th>
                  {marks.map((mark, i) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: as above
                    <td key={i} className="num">
                      <Verdict mark={mark} />
                    </td>
                  ))}
                </tr>
              ))}
              {(['judged', 'score'] as const).map((row) => (
                <tr key={row}>
                  <th scope="row">{row === 'judged' ? 'judged' : 'true score'}</th>
                  {attempts.map((one, i) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: as above
                    <td key={i} className="num">
                      {one[row].toFixed(2)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
        {synthesis ? (
          <figure>
            <figcaption>Synthesis, true score {synthesis.score.toFixed(2)}</figcaption>
            <pre className="prompt">{synthesis.text}</pre>
          </figure>
        ) : null}
      </div>
      <p className="muted note">✓ met, – not met, by the judge; ! the program disagrees. The program never pays.</p>
    </details>
  );
}

function Verdict({ mark: { judge, program } }: { mark: Mark }) {
  const isWrong = program !== null && program !== judge;
  const text = `${judge ? 'met' : 'not met'}${isWrong ? ', the program disagrees' : ''}`;
  return (
    <span role="img" aria-label={text} className={isWrong ? 'tag bad' : ''}>
      {judge ? '✓' : '–'}
      {isWrong ? '!' : ''}
    </span>
  );
}
