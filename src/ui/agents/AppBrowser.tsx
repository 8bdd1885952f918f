// The apps' state at the selected entry: collections as tables, anything else as a tree.

import type { Value } from '@projected-grpo-lab/are/value.ts';
import { useState } from 'react';
import type { Entry } from '../../lab/protocol/agents.ts';
import {
  clippedJson,
  entriesOf,
  isLeaf,
  readableValue,
  shapeOf,
  sizeOf,
  type TableShape,
} from '../../store/agents/shape.ts';
import { Button } from '../parts/Button.tsx';
import { ChoiceField } from '../parts/Choice.tsx';
import { Section } from '../parts/Section.tsx';
import { TableBox } from '../parts/TableBox.tsx';
import { Leaf, Tree } from './Tree.tsx';
import { useAre, useDeferredAre } from './use-are.ts';

export function AppBrowser() {
  const states = useDeferredAre((state) => state.states);
  const place = useAre((state) => state.place);
  const entryApp = useAre(({ entries, place }) => appOf(entries[place]));
  const [chosen, setChosen] = useState<string | null>(null);
  const apps = states?.apps ?? [];
  // The default is the app of the selected entry.
  const wanted = chosen ?? entryApp;
  const app = apps.find(({ name }) => name === wanted) ?? apps.find(({ state }) => size(state) > 0) ?? apps[0];
  return (
    <Section id="apps" title="Apps" lead="App state just after the chosen entry, from a replay of the run.">
      <div className="are-actions">
        <ChoiceField
          label="App"
          className="are-app"
          value={app?.name ?? ''}
          options={apps.map(({ name, state }) => [name, `${name}${size(state) === 0 ? ' (empty)' : ''}`] as const)}
          onChange={setChosen}
        />
        <span className="muted" role="status">
          {states === null
            ? 'Reading …'
            : states.place === place
              ? `At entry ${place + 1}`
              : `At entry ${states.place + 1}, reading ${place + 1} …`}
        </span>
      </div>
      {app ? <State key={app.name} state={app.state} /> : null}
    </Section>
  );
}

const appOf = (entry: Entry | undefined): string | null => (entry?.kind === 'call' ? entry.app : null);

const size = (state: Value): number =>
  entriesOf(state ?? null).reduce((sum, [, value]) => sum + entriesOf(value).length, 0);

function State({ state }: { state: Value }) {
  if (state === null || entriesOf(state).length === 0) return <p className="muted">This app has no state.</p>;
  const simple = entriesOf(state).filter(([, value]) => isLeaf(value));
  return (
    <div className="are-state">
      {entriesOf(state)
        .filter(([, value]) => !isLeaf(value))
        .map(([name, value]) => (
          <Collection key={name} name={name} value={value} />
        ))}
      {simple.length > 0 ? <Tree value={Object.fromEntries(simple)} /> : null}
    </div>
  );
}

function Collection({ name, value }: { name: string; value: Value }) {
  const shape = shapeOf(value);
  const [isOpen, setOpen] = useState(true);
  return (
    <details className="fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name} <span className="muted">{sizeOf(value)}</span>
      </summary>
      {isOpen ? shape.kind === 'table' ? <Table name={name} shape={shape} /> : <Tree value={value} /> : null}
    </details>
  );
}

/** Number of rows drawn at first, and added by each press of More. */
const PART = 30;

function Table({ name, shape: { columns, rows } }: { name: string; shape: TableShape }) {
  const [most, setMost] = useState(PART);
  const [open, setOpen] = useState<string | null>(null);
  const row = rows.find(({ key }) => key === open);
  return (
    <>
      <TableBox label={name}>
        <table className="are-table">
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
              <th scope="col">
                <span className="sr">All of it</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map(({ key, value }) => (
              <tr key={key} aria-current={key === open ? true : undefined}>
                {columns.map((column) => (
                  <td key={column}>
                    <Cell value={readableValue(column, value[column] ?? null)} />
                  </td>
                ))}
                <td>
                  <Button
                    label={key === open ? 'less' : 'all'}
                    aria-expanded={key === open}
                    aria-label={`All of ${clippedJson(value[columns[0] as string] ?? key, 40)}`}
                    onClick={() => setOpen(key === open ? null : key)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
      {rows.length > most ? <Button label={`${rows.length - most} more`} onClick={() => setMost(most + PART)} /> : null}
      {row ? <Tree value={row.value} /> : null}
    </>
  );
}

const CELL = 80;

function Cell({ value }: { value: Value }) {
  return <Leaf value={typeof value === 'string' || !isLeaf(value) ? clippedJson(value, CELL) : value} />;
}
