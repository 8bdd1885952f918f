// A question's reference, folded below its prompt: the votes, the reference itself, and which attempts agree with it.
import { useMemo } from 'react';
import { agreementOf } from '../../../environments/cat/shown.ts';
import type { RolloutRecord } from '../../../experiments/records/events.ts';

/** `rollouts` is the whole group in order, unfiltered. Renders nothing if answers were rewarded by the ground truth. */
export function Agreement({ rollouts }: { rollouts: readonly RolloutRecord[] }) {
  const shown = useMemo(() => agreementOf(rollouts.map(({ verdict }) => verdict)), [rollouts]);
  if (!shown) return null;
  const { reference, votes, attempts } = shown;
  const agreeing = attempts.filter(({ agrees }) => agrees).length;
  const right = (is: boolean) => <span className={`tag ${is ? 'good' : 'bad'}`}>{is ? '✓ right' : '✕ wrong'}</span>;
  return (
    <details className="agreement">
      <summary className="num">
        Reference {reference.value ?? 'none'} {right(reference.isRight)} {agreeing} of {attempts.length} agree
      </summary>
      <div>
        <table>
          <caption>Votes</caption>
          <thead>
            <tr>
              <th scope="col">answer</th>
              <th scope="col">attempts</th>
              <th scope="col">truth</th>
              <th scope="col">chosen by</th>
            </tr>
          </thead>
          <tbody>
            {votes.map(({ value, count, isRight, isReference, isMajority }) => (
              <tr key={value ?? ''}>
                <th scope="row" className="num">
                  {value ?? 'none'}
                </th>
                <td className="num">{count}</td>
                <td>{right(isRight)}</td>
                <td>{[isReference ? 'reference' : '', isMajority ? 'majority' : ''].filter(Boolean).join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <figure>
          <figcaption>Reference</figcaption>
          <pre className="prompt">{reference.text ?? `${reference.value ?? 'none'} (without a working)`}</pre>
        </figure>
        <ol aria-label="Attempts">
          {attempts.map(({ value, agrees, isRight }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: attempts are identified by their place in the group
            <li key={i} className="num">
              {value ?? 'none'} {right(isRight)} {agrees ? 'agrees' : 'differs'}
            </li>
          ))}
        </ol>
      </div>
      <p className="muted note">The truth is measured too; only the oracle pays for it.</p>
    </details>
  );
}
