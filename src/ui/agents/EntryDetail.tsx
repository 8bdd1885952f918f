// One entry in full: its arguments, result or error, and thought, or the verdict of a turn.
import { stamp } from '@projected-grpo-lab/are/clock.ts';
import type { Entry } from '../../lab/protocol/agents.ts';
import { lineOf } from '../../store/agents/words.ts';
import { EditCall } from './EditCall.tsx';
import { Tree } from './Tree.tsx';
import { useAre } from './use-are.ts';
import { Reasons } from './VerdictPanel.tsx';

export function EntryDetail() {
  const entry = useAre((state) => state.entries[state.place]);
  const place = useAre((state) => state.place);
  if (!entry) return null;
  return (
    <section className="are-detail" aria-label="Entry">
      <h3>{lineOf(entry).head}</h3>
      <p className="muted">
        {stamp(entry.time)}, {entry.actor}
        {entry.kind === 'call' && entry.isInner ? ', called by a tool' : ''}
        {entry.time - entry.from >= 1 ? `, lasted ${Math.round(entry.time - entry.from)} s` : ''}
        {entry.kind === 'call' && entry.id !== null ? (
          <>
            , <code>{entry.id}</code>
          </>
        ) : null}
      </p>
      <Body key={place} entry={entry} />
    </section>
  );
}

function Body({ entry }: { entry: Entry }) {
  switch (entry.kind) {
    case 'notification':
      return <p className="said">{entry.text}</p>;
    case 'end':
      return <p>{lineOf(entry).rest}</p>;
    case 'turn':
      return entry.verdict.success ? (
        <p>The turn passed.</p>
      ) : (
        <Reasons verdict={entry.verdict} of=", at the end of the turn" />
      );
    case 'call':
      return (
        <>
          {entry.thought ? <p className="said">{entry.thought}</p> : null}
          <h4>Arguments</h4>
          {Object.keys(entry.args).length > 0 ? <Tree value={entry.args} /> : <p className="muted">none</p>}
          <h4>{'error' in entry.outcome ? 'Error' : 'Result'}</h4>
          {'error' in entry.outcome ? (
            <p className="callout bad">{entry.outcome.error}</p>
          ) : (
            <Tree value={entry.outcome.value} />
          )}
          <WrittenText act={entry.act} />
          <EditCall entry={entry} />
        </>
      );
  }
}

/** The model's text for the act, if there is one. An edited call has none. */
function WrittenText({ act }: { act: number | null }) {
  const text = useAre((state) => (act === null ? undefined : state.written.get(act)));
  const isEdited = useAre((state) => state.played?.recipe.edits.some(({ at }) => at === act) ?? false);
  if (text === undefined || isEdited) return null;
  return (
    <>
      <h4>What the model wrote</h4>
      <pre className="are-wrote">{text.trim()}</pre>
    </>
  );
}
