// A table that sorts by a column when its head is clicked; another click reverses the order. At first it shows the first rows and the main
// columns; a click on a row's name opens its description, its other columns, and links to its runs.
import { Fragment, useState } from 'react';
import { type Sortable, type SortableRow, sorted } from '../../store/findings/arena.ts';
import { useAddressChoice } from '../parts/address-choice.ts';
import { Button } from '../parts/Button.tsx';
import { Fact } from '../parts/Fact.tsx';
import { TableBox } from '../parts/TableBox.tsx';
import { LabLink } from '../questions/LabLink.tsx';

interface Sorting {
  column: number;
  isDown: boolean;
}

/** Number of rows that are shown before the table is expanded. */
const FIRST_ROWS = 8;

/** Reads `?sort=<table>.<column>.<down>`. The address holds only the sorting of the table that was sorted last. */
const sortingInAddress = (search: string, table: string): Sorting | null => {
  const [name, column, direction] = (new URLSearchParams(search).get('sort') ?? '').split('.');
  return name === table && /^\d{1,3}$/.test(column) ? { column: Number(column), isDown: direction === 'down' } : null;
};

interface SortableTableProps {
  label: string;
  table: Sortable;
  /** Heads of the columns in view. */
  columns: readonly string[];
}

export function SortableTable({ label, table: { head, rows }, columns }: SortableTableProps) {
  const name = label.toLowerCase().replaceAll(/\W+/g, '-');
  const [inAddress, sort] = useAddressChoice(
    (search) => sortingInAddress(search, name),
    (chosen) => ({ sort: chosen && `${name}.${chosen.column}.${chosen.isDown ? 'down' : 'up'}` }),
  );
  const order = inAddress && inAddress.column < head.length ? inAddress : null;
  const [open, setOpen] = useState<string | null>(null);
  const [isWhole, setWhole] = useState(false);
  const ordered = order ? sorted(rows, order.column, order.isDown) : rows;
  const shown = isWhole ? ordered : ordered.slice(0, FIRST_ROWS);
  // The column that the table is sorted by is always shown.
  const inView = head.map((title, column) => columns.includes(title) || order?.column === column);
  return (
    <>
      <TableBox label={label}>
        <table className="result finding-table arena-table">
          <thead>
            <tr>
              {head.map((title, column) => {
                if (!inView[column]) return null;
                const isOwn = order?.column === column;
                return (
                  <th
                    key={title}
                    scope="col"
                    aria-sort={isOwn ? (order.isDown ? 'descending' : 'ascending') : undefined}
                  >
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
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Fragment key={row.id}>
                <tr>
                  <th scope="row">
                    <button
                      type="button"
                      className="arena-name"
                      aria-expanded={open === row.id}
                      onClick={() => setOpen(open === row.id ? null : row.id)}
                    >
                      {row.name}
                    </button>
                  </th>
                  {row.cells.map(({ text }, i) =>
                    inView[i + 1] ? (
                      <td
                        key={head[i + 1]}
                        className={/^[\d−–]/.test(text) ? 'num' : `finding-word${text.length > 40 ? ' long' : ''}`}
                      >
                        {text}
                      </td>
                    ) : null,
                  )}
                </tr>
                {open === row.id ? <Opened row={row} head={head} inView={inView} /> : null}
              </Fragment>
            ))}
          </tbody>
        </table>
      </TableBox>
      {rows.length > FIRST_ROWS ? (
        <Button
          className="arena-all"
          label={isWhole ? 'The best alone' : `All ${rows.length} models`}
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        />
      ) : null}
    </>
  );
}

interface OpenedProps {
  row: SortableRow;
  head: readonly string[];
  inView: readonly boolean[];
}

function Opened({ row: { name, about, cells, openings }, head, inView }: OpenedProps) {
  return (
    <tr>
      <td colSpan={inView.filter(Boolean).length} className="arena-opened">
        {about ? <p>{about}</p> : null}
        <dl className="facts">
          {cells.map(({ text }, i) =>
            inView[i + 1] || text === '' ? null : <Fact key={head[i + 1]} name={head[i + 1]} value={text} />,
          )}
        </dl>
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
