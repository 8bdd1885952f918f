// Which columns the result table shows.
import type { TableColumn } from '../../store/runs/table-columns.ts';
import { Popover } from '../parts/Popover.tsx';

interface ColumnMenuProps {
  columns: readonly TableColumn[];
  shown: ReadonlySet<string>;
  /** Null goes back to the usual ones. */
  onChoose: (ids: readonly string[] | null) => void;
}

export function ColumnMenu({ columns, shown, onChoose }: ColumnMenuProps) {
  const toggle = (id: string) =>
    onChoose(columns.filter((column) => (column.id === id ? !shown.has(id) : shown.has(column.id))).map((c) => c.id));
  return (
    <Popover label="Columns" trigger="Columns" className="btn small">
      {() => (
        <fieldset className="column-menu">
          <legend>Columns</legend>
          {columns.map(({ id, name, title }) => (
            <label key={id} title={title}>
              <input type="checkbox" checked={shown.has(id)} onChange={() => toggle(id)} />
              <span>{name}</span>
            </label>
          ))}
          <button type="button" className="btn small" onClick={() => onChoose(null)}>
            The usual ones
          </button>
        </fieldset>
      )}
    </Popover>
  );
}
