// Pair sets: built-in and user-provided ones. One is shown at a time; a copy of it can be edited.

import { useState } from 'react';
import { builtInPairSet, PAIR_SETS } from '../../environments/code/pair-sets/table.ts';
import { bytesText } from '../../lib/numbers.ts';
import { useLab, usePairEditor, usePairEditorActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Options } from '../parts/Choice.tsx';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { FileButton } from '../parts/FileButton.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Section } from '../parts/Section.tsx';
import { PairEditForm } from './PairEditForm.tsx';
import { PairView } from './PairView.tsx';

/** Number of pairs drawn at once, because a file may contain thousands. */
const PAGE = 8;

export function PairSets() {
  const pairs = usePairEditorActions();
  const editing = usePairEditor((state) => state.edit !== null);
  const problem = usePairEditor((state) => state.problem);
  return (
    <Section
      id="pairs"
      title="Pairs"
      lead="A hack basis comes from labelled pairs: one prompt, a hack and a clean answer to it."
      more="Drop a .json of {prompt, hack, clean} anywhere on the page."
      actions={
        <FileButton
          label="Import pairs"
          what="Pairs file"
          accept=".json"
          onFiles={([file]) => void pairs.importFile(file)}
        />
      }
    >
      {editing ? <PairEditForm /> : <SetOnShow />}
      <Problem problem={problem} />
    </Section>
  );
}

function SetOnShow() {
  const editor = usePairEditorActions();
  const pairSet = usePairEditor((state) => state.pairSet);
  const pairs = usePairEditor((state) => state.pairs);
  const own = useLab((state) => state.pairSets);
  const builtIn = builtInPairSet(pairSet);
  const mine = own.find(({ id }) => id === pairSet);
  return (
    <>
      <div className="pair-bar">
        <label className="choice grow">
          <span>Pair set</span>
          <select value={pairSet} onChange={(event) => void editor.show(event.target.value)}>
            <optgroup label="Built in">
              <Options of={PAIR_SETS.map(({ id, label }) => [id, `${id}: ${label}`] as const)} />
            </optgroup>
            {own.length > 0 ? (
              <optgroup label="Your own">
                <Options of={own.map(({ id, name, pairs: count }) => [id, `${name} (${count})`] as const)} />
              </optgroup>
            ) : null}
          </select>
        </label>
        {builtIn?.size === null ? <CountInput /> : null}
        <div className="kept-tools">
          <Button label={mine ? 'Edit' : 'Edit a copy'} disabled={!pairs?.length} onClick={editor.edit} />
          <UseButton />
          <DownloadButton
            label="JSON"
            file={`${(mine?.name ?? pairSet).replace(/[^\w.-]+/g, '-')}.json`}
            text={editor.json}
          />
          {mine ? (
            <Button
              icon="trash"
              onClick={() => void editor.remove(mine)}
              aria-label={`Delete the pair set ${mine.name}`}
              title="Delete"
            />
          ) : null}
        </div>
      </div>
      {builtIn ? <p className="small muted">{builtIn.description}</p> : null}
      {builtIn?.models === 'real' ? (
        <p className="small muted">
          The embedded model has seen only one-line Python, so this set cannot be tested on it. Use it with an imported
          model.
        </p>
      ) : null}
      {mine ? (
        <p className="small muted num">
          {mine.pairs} pairs · {bytesText(mine.bytes)} · {mine.id.slice(0, 18)}…
        </p>
      ) : null}
      {pairs === null ? (
        <p className="chart-wait" role="status">
          Reading the pairs …
        </p>
      ) : (
        <PairList key={pairSet} />
      )}
    </>
  );
}

/** Number of pairs to generate, for a set that can generate any number. */
function CountInput() {
  const editor = usePairEditorActions();
  const pairSet = usePairEditor((state) => state.pairSet);
  const count = usePairEditor((state) => state.count);
  return (
    <label className="choice">
      <span>Pairs</span>
      <input
        type="number"
        min={2}
        max={512}
        value={count}
        onChange={(event) =>
          void editor.show(pairSet, Math.min(512, Math.max(2, Math.floor(Number(event.target.value)) || 2)))
        }
      />
    </label>
  );
}

function UseButton() {
  const editor = usePairEditorActions();
  const pairSet = usePairEditor((state) => state.pairSet);
  const count = usePairEditor((state) => state.pairs?.length ?? 0);
  const inUse = useLab(({ draft: { fields } }) => fields.basisSource !== 'file' && fields.pairSet === pairSet);
  return inUse ? (
    <span className="tag accent">in the next run</span>
  ) : (
    <Button
      icon="check"
      label="Use in the next run"
      disabled={count === 0}
      onClick={() => editor.use({ id: pairSet, pairs: count })}
      title="The next run extracts its basis from these pairs"
    />
  );
}

function PairList() {
  const pairs = usePairEditor((state) => state.pairs) ?? [];
  const [drawn, setDrawn] = useState(PAGE);
  return (
    <>
      <ol className="pair-list" aria-label="Pairs of the set">
        {pairs.slice(0, drawn).map((pair, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a set on show does not change, and two pairs may be equal
          <PairView key={`${i} ${pair.problem_id}`} pair={pair} number={i + 1} open={i === 0} />
        ))}
      </ol>
      {drawn < pairs.length ? (
        <Button
          label={`Show more: ${pairs.length - drawn} of ${pairs.length} are left`}
          onClick={() => setDrawn(drawn + PAGE)}
        />
      ) : null}
    </>
  );
}
