// A table that sorts by a column when its head is clicked; another click reverses the order. Rows with runs open their links.
import { Fragment, useState } from 'react';
import { plural } from '../../experiments/analysis/words.ts';
import { type Sortable, type SortableRow, sorted } from '../../store/findings/arena.ts';
import { useAddressChoice } from '../parts/address-choice.ts';
import { Button } from '../parts/Button.tsx';
import { TableBox } from '../parts/TableBox.tsx';
import { LabLink } from '../questions/LabLink.tsx';

interface Sorting {
  column: number;
  isDown: boolean;
}

/** `?sort=<table>.<column>.<down>`: of one table at a time, the one that was sorted last. */
const sortingAsked = (search: string, table: string): Sorting | null => {
  const [name, column, direction] = (new URLSearchParams(search).get('sort') ?? '').split('.');
  return name === table && /^\d{1,3}$/.test(column) ? { column: Number(column), isDown: direction === 'down' } : null;
};

export function SortableTable({ label, table: { head, rows } }: { label: string; table: Sortable }) {
  const name = label.toLowerCase().replaceAll(/\W+/g, '-');
  const [asked, sort] = useAddressChoice(
    (search) => sortingAsked(search, name),
    (chosen) => ({ sort: chosen && `${name}.${chosen.column}.${chosen.isDown ? 'down' : 'up'}` }),
  );
  const order = asked && asked.column < head.length ? asked : null;
  const [open, setOpen] = useState<string | null>(null);
  const shown = order ? sorted(rows, order.column, order.isDown) : rows;
  const hasRuns = rows.some(({ openings }) => openings.length > 0);
  return (
    <TableBox label={label}>
      <table className="result finding-table arena-table">
        <thead>
          <tr>
            {head.map((title, column) => {
              const isOwn = order?.column === column;
              return (
                <th key={title} scope="col" aria-sort={isOwn ? (order.isDown ? 'descending' : 'ascending') : undefined}>
                  <button
                    type="button"
                    title={`Sort by ${title}`}
                    onClick={() => sort(() => ({ column, isDown: isOwn ? !order.isDown : false }))}
                  >
                    {title}
                    <span aria-hidden="true">{isOwn ? (order.isDown ? ' ↓' : ' ↑') : ''}</span>
                  </button>
                </th>
              );
            })}
            {hasRuns ? <th scope="col">runs</th> : null}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <Fragment key={row.id}>
              <tr>
                <th scope="row">
                  {row.name}
                  {row.about ? <span className="under">{row.about}</span> : null}
                </th>
                {row.cells.map(({ text }, i) => (
                  <td
                    key={head[i + 1]}
                    className={/^[\d−–]/.test(text) ? 'num' : `finding-word${text.length > 40 ? ' long' : ''}`}
                  >
                    {text}
                  </td>
                ))}
                {hasRuns ? (
                  <td>
                    <Button
                      label={plural(row.openings.length, 'run')}
                      aria-expanded={open === row.id}
                      onClick={() => setOpen(open === row.id ? null : row.id)}
                    />
                  </td>
                ) : null}
              </tr>
              {open === row.id ? <OpeningLinks row={row} columns={head.length + 1} /> : null}
            </Fragment>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}

function OpeningLinks({ row: { name, openings }, columns }: { row: SortableRow; columns: number }) {
  return (
    <tr>
      <td colSpan={columns}>
        <div className="question-seeds">
          {openings.map((one) => (
            <LabLink
              key={one.name}
              className="btn small num"
              hash={one.hash}
              label={`Open ${name}, ${one.name}, in the lab`}
            >
              {one.name}
            </LabLink>
          ))}
        </div>
      </td>
    </tr>
  );
}
