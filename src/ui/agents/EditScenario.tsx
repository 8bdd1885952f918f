// Editor of a scenario, piece by piece. Errors and their places are shown while typing, as for an opened file.

import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { useEffect, useId, useMemo, useState } from 'react';
import {
  keyOf,
  type Piece,
  piecesOf,
  pieceText,
  withNewEvent,
  withoutPiece,
  withPiece,
} from '../../store/agents/draft.ts';
import { Button } from '../parts/Button.tsx';
import { ChoiceField } from '../parts/Choice.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { are, useAre } from './use-are.ts';

/** Milliseconds after the last key before the text is checked. */
const PAUSE = 200;

export default function EditScenario() {
  const scenario = useAre((state) => state.scenario);
  // A scenario that the worker can no longer open is reported when it is run.
  const trace = useLoaded(async () => (scenario ? are.trace().catch(() => null) : null), scenario);
  return scenario && trace ? <Editor key={scenario.id + scenario.source} of={trace} /> : null;
}

type Check = { readonly checked: Trace; readonly events: number } | { readonly problem: string } | null;

function Editor({ of }: { of: Trace }) {
  const [draft, setDraft] = useState(of);
  const [piece, setPiece] = useState<Piece>({ kind: 'events', at: 0 });
  const [text, setText] = useState(() => pieceText(of, { kind: 'events', at: 0 }));
  const [check, setCheck] = useState<Check>(null);
  const pieces = useMemo(() => piecesOf(draft), [draft]);
  const id = useId();

  useEffect(() => {
    const own = new AbortController();
    setCheck(null);
    const timer = setTimeout(() => {
      checkEdit(draft, piece, text).then(
        (found) => own.signal.aborted || setCheck(found),
        (error: Error) => own.signal.aborted || setCheck({ problem: error.message }),
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      own.abort();
    };
  }, [draft, piece, text]);

  /** Switches to another piece. The typed text goes into the draft, unless it is not JSON. */
  function switchTo(next: Piece, make: (trace: Trace) => Trace = (trace) => trace): void {
    let kept: Trace;
    try {
      kept = make(withPiece(draft, piece, text));
    } catch (error) {
      setCheck({ problem: (error as Error).message });
      return;
    }
    setDraft(kept);
    setPiece(next);
    setText(pieceText(kept, next));
  }

  const isChecked = check !== null && 'checked' in check;
  return (
    <div className="are-edit">
      <ChoiceField
        label="Piece"
        value={keyOf(piece)}
        options={pieces.map((one) => [keyOf(one.piece), one.name] as const)}
        onChange={(key) => {
          const found = pieces.find((one) => keyOf(one.piece) === key);
          if (found) switchTo(found.piece);
        }}
      />
      <div className="field">
        <label htmlFor={`${id}-text`}>As JSON</label>
        <textarea
          id={`${id}-text`}
          className="mono"
          rows={16}
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <p className="help">
          An event has the type USER, ENV or AGENT (the oracle’s). It waits for the events in dependencies and happens
          event_relative_time seconds after the last of them.
        </p>
      </div>
      <p className={`callout ${check === null ? '' : isChecked ? 'good' : 'bad'}`} role="status">
        {check === null
          ? 'Checking …'
          : 'checked' in check
            ? `Valid scenario: ${check.events} events, and the oracle can play it.`
            : check.problem}
      </p>
      <div className="are-actions">
        <Button
          label="Use this scenario"
          isLarge
          tone="primary"
          disabled={!isChecked}
          onClick={() => isChecked && void are.take(check.checked)}
        />
        <Button
          label="Add an event"
          isLarge
          onClick={() => switchTo({ kind: 'events', at: draft.events.length }, withNewEvent)}
        />
        <Button
          label="Remove this event"
          isLarge
          disabled={piece.kind !== 'events' || draft.events.length < 2}
          onClick={() => {
            const kept = withoutPiece(draft, piece);
            const next: Piece = { kind: 'events', at: 0 };
            setDraft(kept);
            setPiece(next);
            setText(pieceText(kept, next));
          }}
        />
      </div>
    </div>
  );
}

async function checkEdit(draft: Trace, piece: Piece, text: string): Promise<NonNullable<Check>> {
  // A file's stored run belongs to the unedited scenario, so it is dropped.
  const whole = { ...withPiece(draft, piece, text), completed_events: [], world_logs: [] };
  return { checked: whole, ...(await are.check(whole)) };
}
