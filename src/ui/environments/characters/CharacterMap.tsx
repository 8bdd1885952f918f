// Every character before and after training, evaluated on demand. The rows are the characters that a run's evaluations also ask.
import { useStore } from 'zustand/react';
import { MEASURES } from '../../../experiments/characters/each.ts';
import { decimal } from '../../../lib/numbers.ts';
import type { Characters } from '../../../store/characters/characters.ts';
import { MAP_MEASURES, mapTable } from '../../../store/characters/map-table.ts';
import { Button } from '../../parts/Button.tsx';
import { HeatTable } from '../../parts/HeatTable.tsx';
import { Problem } from '../../parts/Problem.tsx';

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
            full at {decimal(MAP_MEASURES.target.full)} of a probability or {decimal(MAP_MEASURES.pick.full)} nat.
          </p>
          <HeatTable label="Characters before and after" isNamed {...mapTable(map)} />
          <ul className="characters-key muted">
            {MEASURES.map((id) => (
              <li key={id}>
                <b>{MAP_MEASURES[id].head}</b>: {MAP_MEASURES[id].about}
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
}
