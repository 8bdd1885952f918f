// A table that sorts by a column when its head is clicked; another click reverses the order. Rows with runs open their links.
import { Fragment, useState } from 'react';
import { plural } from '../../experiments/analysis/words.ts';
import { type Sortable, type SortableRow, sorted } from '../../store/findings/arena.ts';
import { Button } from '../parts/Button.tsx';
import { TableBox } from '../parts/TableBox.tsx';
import { LabLink } from '../questions/LabLink.tsx';

export function SortableTable({ label, table: { head, rows } }: { label: string; table: Sortable }) {
  const [order, setOrder] = useState<{ column: number; isDown: boolean } | null>(null);
  const [open, setOpen] = useState<string | null>(null);
  const shown = order ? sorted(rows, order.column, order.isDown) : rows;
  const hasRuns = rows.some(({ openings }) => openings.length > 0);
  return (
    <TableBox label={label}>
      <table className="result finding-table arena-table">
        <thead>
          <tr>
            {head.map((name, column) => {
              const isOwn = order?.column === column;
              return (
                <th key={name} scope="col" aria-sort={isOwn ? (order.isDown ? 'descending' : 'ascending') : undefined}>
                  <button
                    type="button"
                    title={`Sort by ${name}`}
                    onClick={() => setOrder({ column, isDown: isOwn ? !order.isDown : false })}
                  >
                    {name}
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
              {open === row.id ? <Openings row={row} columns={head.length + 1} /> : null}
            </Fragment>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}

function Openings({ row: { name, openings }, columns }: { row: SortableRow; columns: number }) {
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
