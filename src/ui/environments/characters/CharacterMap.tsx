// Characters × measures, before and after: each figure of the kept model with what it was, the change as colour. Rows are those whom the
// evaluations ask too.
import type { CSSProperties } from 'react';
import { useStore } from 'zustand/react';
import { type AskedOne, MEASURES, type MeasureId } from '../../../experiments/characters/each.ts';
import { decimal } from '../../../lib/numbers.ts';
import type { Characters } from '../../../store/characters/characters.ts';
import { GROUP_WORDS } from '../../../store/characters/doses.ts';
import { Button } from '../../parts/Button.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { TableBox } from '../../parts/TableBox.tsx';

const WORDS: Readonly<Record<MeasureId, { head: string; about: string }>> = {
  target: { head: 'taught', about: 'P of what A is taught' },
  keeps: { head: 'keeps its own', about: 'P of what it did before' },
  belief: { head: 'belief', about: 'P that a document says it does what A is taught' },
  pick: { head: 'picking', about: 'NLL of its own choice, nats (lower is better)' },
  documents: { head: 'documents', about: 'NLL of documents about its other traits, nats (lower is better)' },
};
/** A change of so much has the full colour: of a probability, of nats. */
const FULL: Readonly<Record<MeasureId, number>> = { target: 0.6, keeps: 0.6, belief: 0.6, pick: 1, documents: 1 };

export default function CharacterMap({ runId, asked }: { runId: string; asked: Characters }) {
  const map = useStore(asked.store, (state) => state.maps.get(runId));
  const at = useStore(asked.store, (state) => state.at);
  const problem = useStore(asked.store, (state) => state.problem);
  return (
    <div className="characters-map">
      <div className="characters-fields">
        <Button
          label={map ? 'Evaluate again' : 'Evaluate all characters'}
          isLarge
          disabled={at !== null}
          onClick={() => void asked.measure(runId)}
        />
        <Button label="Cancel" isLarge disabled={at !== 'map'} onClick={() => void asked.stop()} />
        <span role="status" className="muted">
          {at === 'map' ? 'Asking every character, before and after training …' : ''}
        </span>
      </div>
      <Problem problem={problem} />
      {map ? (
        <>
          <p className="muted">
            Before → after {map.step} steps, without sampling; n: texts. Colour: the change, orange up and blue down,
            full at {decimal(FULL.target)} of a probability or {decimal(FULL.pick)} nat.
          </p>
          <TableBox label="Characters before and after">
            <table className="characters-grid" aria-label="Characters before and after">
              <thead>
                <tr>
                  <th scope="col">character</th>
                  {MEASURES.map((id) => (
                    <th key={id} scope="col" title={WORDS[id].about}>
                      {WORDS[id].head}
                      <span className="muted num"> n = {nOf(map.after, id)}</span>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {map.after.map((one, i) => (
                  <tr key={`${one.group} ${one.name}`}>
                    <th scope="row">
                      {one.name ?? 'nobody'}{' '}
                      <span className="muted">
                        {GROUP_WORDS[one.group].split(',')[0]}
                        {one.own === null ? '' : `, ${one.own}`}
                      </span>
                    </th>
                    {MEASURES.map((id) => (
                      <Cell key={id} id={id} before={map.before[i]} after={one} />
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </TableBox>
          <ul className="characters-key muted">
            {MEASURES.map((id) => (
              <li key={id}>
                <b>{WORDS[id].head}</b>: {WORDS[id].about}
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
}

const nOf = (rows: readonly AskedOne[], id: MeasureId): number => rows[0]?.measures[id]?.n ?? 0;

function Cell({ id, before, after }: { id: MeasureId; before: AskedOne; after: AskedOne }) {
  const [was, is] = [before.measures[id], after.measures[id]];
  if (!was || !is) return <td className="muted">–</td>;
  const change = is.mean - was.mean;
  const shade = Math.min(1, Math.abs(change) / FULL[id]);
  const look = { '--shade': shade.toFixed(3) } as CSSProperties;
  return (
    <td className={`num ${change >= 0 ? 'up' : 'down'}`} style={look}>
      {decimal(was.mean)} → {decimal(is.mean)}
    </td>
  );
}
