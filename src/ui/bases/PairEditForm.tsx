// Form that edits a copy of a pair set: its name, its pairs, and the errors that prevent saving it.
import { useId } from 'react';
import { MODES } from '../../environments/code/types.ts';
import { type DraftPair, headOf, pairProblem } from '../../store/bases/pair-editor.ts';
import { usePairEditor, usePairEditorActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Choice, plainOptions } from '../parts/Choice.tsx';

const SIDES = [
  ['prompt', 'Prompt', 'All that the model reads, chat markup included.'],
  ['hack', 'Hack', 'The side that the basis points to, without the end token.'],
  ['clean', 'Clean', 'An honest answer to the same prompt.'],
] as const;

export function PairEditForm() {
  const editor = usePairEditorActions();
  const edit = usePairEditor((state) => state.edit);
  if (!edit) return null;
  const wrong = edit.pairs.findIndex((pair) => pairProblem(pair) !== null);
  const reason =
    edit.name.trim() === ''
      ? 'Give the set a name.'
      : edit.pairs.length < 2
        ? 'A basis needs at least two pairs.'
        : wrong >= 0
          ? `Pair ${wrong + 1} is incomplete.`
          : null;
  return (
    <form
      className="pair-edit"
      aria-label="Edit pairs"
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason) void editor.save();
      }}
    >
      <div className="pair-bar">
        <label className="choice grow">
          <span>Name of the set</span>
          <input
            type="text"
            value={edit.name}
            maxLength={120}
            onChange={(event) => editor.change({ name: event.target.value })}
          />
        </label>
        <div className="kept-tools">
          <Button label="Save" tone="primary" type="submit" disabled={reason !== null || edit.saving} />
          <Button label="Cancel" onClick={editor.cancel} />
        </div>
      </div>
      <p className="small muted" role="status">
        {edit.pairs.length} pairs. {reason ?? 'A set is named by its content: an edited one is a new set.'}
      </p>
      <ol className="pair-list" aria-label="Pairs being edited">
        {edit.pairs.map((pair, i) => (
          <PairFields key={pair.key} pair={pair} number={i + 1} open={i === 0 || pair.prompt === ''} />
        ))}
      </ol>
      <Button label="Add a pair" onClick={editor.add} />
    </form>
  );
}

function PairFields({ pair, number, open }: { pair: DraftPair; number: number; open: boolean }) {
  const editor = usePairEditorActions();
  const id = useId();
  const problem = pairProblem(pair);
  return (
    <li>
      <details className="labelled" open={open}>
        <summary>
          <span className="num muted">{number}</span>{' '}
          {pair.mechanism ? <span className="tag warn">{pair.mechanism}</span> : null}{' '}
          {problem ? <span className="tag bad">to correct</span> : null}{' '}
          <span className="pair-head">{headOf(pair)}</span>
        </summary>
        <div className="pair-body">
          {SIDES.map(([side, label, help]) => (
            <div key={side} className={`field${side === 'prompt' ? ' pair-prompt' : ''}`}>
              <label htmlFor={`${id}-${side}`}>
                {label} <span className="sr">of pair {number}</span>
              </label>
              <textarea
                id={`${id}-${side}`}
                rows={side === 'prompt' ? 5 : 9}
                spellCheck={false}
                value={pair[side]}
                aria-describedby={`${id}-${side}-help`}
                onChange={(event) => editor.changePair(pair.key, { [side]: event.target.value })}
              />
              <p className="help" id={`${id}-${side}-help`}>
                {help}
              </p>
            </div>
          ))}
          <div className="pair-foot">
            <Choice
              label="Loophole mode"
              value={pair.mechanism ?? ''}
              options={[['', 'none given'], ...plainOptions(MODES)]}
              onChange={(mode) => editor.changePair(pair.key, { mechanism: mode === '' ? null : mode })}
            />
            <Button
              icon="trash"
              label="Remove"
              tone="danger"
              onClick={() => editor.removePair(pair.key)}
              aria-label={`Remove pair ${number}`}
            />
            {problem ? <p className="error">{problem}</p> : null}
          </div>
        </div>
      </details>
    </li>
  );
}
