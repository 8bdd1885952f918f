// The tables of a question: the estimates behind the verdict, with all seeds or units, and further tables from the sheet. A long table is
// folded.
import { useState } from 'react';
import type { Estimate } from '../../experiments/judge/estimate.ts';
import { intervalText } from '../../experiments/judge/estimate.ts';
import type { RowMark, Table } from '../../experiments/judge/figures.ts';
import { three } from '../../lib/numbers.ts';
import { modelStyle } from '../../store/runs/arm-style.ts';
import { Swatch } from '../charts/Legend.tsx';
import { Button } from '../parts/Button.tsx';
import { DataTable } from '../parts/DataTable.tsx';
import { Fact } from '../parts/Fact.tsx';
import { TableBox } from '../parts/TableBox.tsx';

export function FigureTable({ id, figures, unit }: { id: string; figures: readonly Estimate[]; unit: string }) {
  return (
    <DataTable
      label={`Numbers of ${id}`}
      className="result finding-table"
      rows={figures}
      columns={[
        { head: 'Compared', cell: ({ name }) => name },
        { head: `n, ${unit}`, cell: ({ n }) => n },
        { head: 'mean [95 %]', cell: intervalText },
        ...(figures.some(({ word }) => word !== null) ? [BY_RULE] : []),
        ...(figures.some(({ each }) => each.length > 0) ? [EACH] : []),
      ]}
    />
  );
}

const BY_RULE = { head: 'by the rule', cell: ({ word }: Estimate) => word ?? '–', className: 'finding-word' };
const EACH = { head: 'each', cell: ({ each }: Estimate) => <UnitValues of={each} />, className: 'finding-each' };

/** The value of each unit, such as `seed 41 .142 · 42 .113 …`. A shared word is written only once. */
function UnitValues({ of }: { of: Estimate['each'] }) {
  if (of.length === 0) return <>–</>;
  const [first] = of[0].of.split(' ');
  const isShared = of.every((one) => one.of.startsWith(`${first} `));
  return (
    <span className="num">
      {isShared ? <span className="muted">{first} </span> : null}
      {of.map((one, i) => (
        <span key={one.of}>
          {i > 0 ? ' · ' : ''}
          <span className="muted">{isShared ? one.of.slice(first.length + 1) : one.of}</span> <b>{three(one.value)}</b>
        </span>
      ))}
    </span>
  );
}

/** A table with parts is folded if it has more rows than this. */
const LONG = 16;

interface Part {
  title: string;
  rows: number[];
}

/** The table's rows by part, in order of appearance. A short table is a single part without a title. */
function partsOf({ rows, marks }: Table): Part[] {
  const all = rows.map((_, i) => i);
  if (!marks || rows.length <= LONG) return [{ title: '', rows: all }];
  const titles = [...new Set(marks.map(({ part }) => part))];
  return titles.map((title) => ({ title, rows: all.filter((i) => marks[i].part === title) }));
}

/** `id` is the question's. */
export function TextTable({ id, table }: { id: string; table: Table }) {
  const { title, head, about, rows, marks } = table;
  const parts = partsOf(table);
  /** Titles of the unfolded parts; at first only the first part, as an example. */
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set([parts[0].title]));
  const isFolding = parts.length > 1;
  const isAll = open.size === parts.length;
  const toggle = (part: string) => {
    const next = new Set(open);
    if (!next.delete(part)) next.add(part);
    setOpen(next);
  };
  const columns = head.flatMap((name, i) => (about?.[i] ? [{ name, about: about[i] }] : []));
  return (
    <div>
      <h3 className="finding-title">{title}</h3>
      {isFolding ? (
        <p className="question-fold">
          {rows.length} lines in {parts.length} parts.{' '}
          <Button
            label={isAll ? 'Collapse all' : 'Expand all'}
            onClick={() => setOpen(isAll ? new Set() : new Set(parts.map((part) => part.title)))}
          />
        </p>
      ) : null}
      <TableBox label={marks ? `Table of ${id}` : title}>
        <table className={`result finding-table ${marks ? 'question-table' : ''}`}>
          <thead>
            <tr>
              {head.map((name, i) => (
                <th key={name} scope="col" title={about?.[i] || undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          {parts.map((part) => (
            <tbody key={part.title}>
              {isFolding ? (
                <tr className="question-group">
                  <th scope="rowgroup" colSpan={head.length}>
                    <button type="button" aria-expanded={open.has(part.title)} onClick={() => toggle(part.title)}>
                      {part.title} <span className="muted num">({part.rows.length})</span>
                    </button>
                  </th>
                </tr>
              ) : null}
              {!isFolding || open.has(part.title)
                ? part.rows.map((row) => (
                    <Row key={rows[row][0]} number={row + 1} cells={rows[row]} head={head} mark={marks?.[row]} />
                  ))
                : null}
            </tbody>
          ))}
        </table>
      </TableBox>
      {columns.length > 0 ? (
        <details className="question-more">
          <summary>What the columns say</summary>
          <dl className="question-columns">
            {columns.map((column) => (
              <Fact key={column.name} name={column.name}>
                {column.about}.
              </Fact>
            ))}
          </dl>
        </details>
      ) : null}
    </div>
  );
}

interface RowProps {
  number: number;
  cells: readonly string[];
  head: readonly string[];
  mark?: RowMark;
}

function Row({ number, cells: [name, ...cells], head, mark }: RowProps) {
  return (
    <tr>
      <th scope="row">
        {mark ? (
          <span className="row-name">
            <span className="question-number num">{number}</span>
            <Swatch entry={{ style: modelStyle(mark.look) }} />
            <span>
              {name}{' '}
              {mark.tags.map((tag) => (
                <span key={tag} className="tag warn">
                  {tag}
                </span>
              ))}
            </span>
          </span>
        ) : (
          name
        )}
      </th>
      {cells.map((cell, c) => (
        <td key={head[c + 1]} className="num">
          <Lines text={cell} />
        </td>
      ))}
    </tr>
  );
}

/** The first line is the figure, and the others are below it. */
function Lines({ text }: { text: string }) {
  const [first, ...rest] = text.split('\n');
  return (
    <>
      {first}
      {rest.map((line) => (
        <span key={line} className="under">
          {line}
        </span>
      ))}
    </>
  );
}
