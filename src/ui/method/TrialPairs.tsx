// The pairs behind a tried basis. Each can be excluded, or rewritten, in which case its gradients are recomputed.
import { useId, useState } from 'react';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import { headOf, pairProblem } from '../../store/bases/pair-editor.ts';
import { useBasisTrial, useBasisTrialActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';

/** A basis needs at least two pairs. */
const LEAST = 2;

export function TrialPairs({ isDisabled }: { isDisabled: boolean }) {
  const trial = useBasisTrialActions();
  const pairs = useBasisTrial((state) => state.pairs);
  const choice = useBasisTrial((state) => state.choice);
  const [editing, edit] = useState<number | null>(null);
  if (!pairs || !choice || choice.kind === 'random_matched') return null;
  const { off, edited } = choice;
  const count = pairs.length - off.length;
  const toggle = (i: number) =>
    void trial.change({ off: off.includes(i) ? off.filter((other) => other !== i) : [...off, i] });
  const write = (index: number, pair: ContrastivePair | null) => {
    edit(null);
    const others = edited.filter((one) => one.index !== index);
    void trial.change({ edited: pair ? [...others, { index, pair }] : others });
  };
  return (
    <details className="fold trial-pairs">
      <summary>
        Pairs: {count} of {pairs.length} count
        {edited.length > 0 ? `, ${edited.length} written anew` : ''}
      </summary>
      <ol>
        {pairs.map((original, i) => {
          const own = edited.find(({ index }) => index === i)?.pair ?? null;
          const pair = own ?? original;
          const counts = !off.includes(i);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a choice knows a pair by its index
            <li key={i}>
              <label className="check">
                <input
                  type="checkbox"
                  checked={counts}
                  disabled={isDisabled || (counts && count <= LEAST)}
                  onChange={() => toggle(i)}
                />
                <span>
                  <span className="num muted">{i + 1}</span>{' '}
                  {pair.mechanism ? <span className="tag warn">{pair.mechanism}</span> : null}{' '}
                  {own ? <span className="tag accent">written anew</span> : null}{' '}
                  <span className="pair-head">{headOf(pair)}</span>
                </span>
              </label>
              <Button
                label={editing === i ? 'Close' : 'Edit'}
                aria-label={editing === i ? `Close pair ${i + 1}` : `Edit pair ${i + 1}`}
                disabled={isDisabled}
                onClick={() => edit(editing === i ? null : i)}
              />
              {editing === i ? (
                <PairForm pair={pair} number={i + 1} isChanged={own !== null} write={(next) => write(i, next)} />
              ) : null}
            </li>
          );
        })}
      </ol>
    </details>
  );
}

interface PairFormProps {
  pair: ContrastivePair;
  number: number;
  isChanged: boolean;
  /** Null: the pair as it was. */
  write: (pair: ContrastivePair | null) => void;
}

function PairForm({ pair, number, isChanged, write }: PairFormProps) {
  const id = useId();
  const [draft, setDraft] = useState(pair);
  const problem = pairProblem(draft);
  return (
    <form
      className="trial-pair"
      aria-label={`Pair ${number}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (!problem) write(draft);
      }}
    >
      {(['hack', 'clean', 'prompt'] as const).map((side) => (
        <div key={side} className="field">
          <label htmlFor={`${id}-${side}`}>{side === 'hack' ? 'Hack' : side === 'clean' ? 'Clean' : 'Prompt'}</label>
          <textarea
            id={`${id}-${side}`}
            rows={5}
            spellCheck={false}
            value={draft[side]}
            onChange={(event) => setDraft({ ...draft, [side]: event.target.value })}
          />
        </div>
      ))}
      <p className="trial-keep">
        <Button label="Extract again" tone="primary" type="submit" disabled={problem !== null} />
        {isChanged ? <Button label="As it was" onClick={() => write(null)} /> : null}
        <span className="muted" role="status">
          {problem}
        </span>
      </p>
    </form>
  );
}
