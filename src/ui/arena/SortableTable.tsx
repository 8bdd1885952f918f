// A table that sorts by a column when its head is clicked; another click reverses the order. The first rows and the main columns are in view;
// a click on a row's name opens what it is, its other columns, and links that open its runs.
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

/** Rows in view until all are asked for. */
const AT_FIRST = 8;

/** `?sort=<table>.<column>.<down>`: of one table at a time, the one that was sorted last. */
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
  const [asked, sort] = useAddressChoice(
    (search) => sortingInAddress(search, name),
    (chosen) => ({ sort: chosen && `${name}.${chosen.column}.${chosen.isDown ? 'down' : 'up'}` }),
  );
  const order = asked && asked.column < head.length ? asked : null;
  const [open, setOpen] = useState<string | null>(null);
  const [isWhole, setWhole] = useState(false);
  const ordered = order ? sorted(rows, order.column, order.isDown) : rows;
  const shown = isWhole ? ordered : ordered.slice(0, AT_FIRST);
  // A column that the address sorts by is in view.
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
      {rows.length > AT_FIRST ? (
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
