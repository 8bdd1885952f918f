// The heat map: layers × kinds of Linear, with a strip of axes in each. It is one stop of the Tab key, and the arrow keys, Home and End
// move inside it. The shade shows an axis's size and hatching whether a run keeps it; every cell also states both in words.
import { type CSSProperties, type KeyboardEvent, memo, useRef, useState } from 'react';
import type { HeatCell, HeatMap } from '../../store/bases/heat.ts';
import '../parts/heat.css';

interface HeatGridProps {
  map: HeatMap;
  wordsOf: (cell: HeatCell) => string;
  /** The cell at the pointer or with the focus. */
  onAt: (cell: HeatCell | null) => void;
}

export function HeatGrid({ map, wordsOf, onAt }: HeatGridProps) {
  const table = useRef<HTMLTableElement>(null);
  const [[row, place], setPlace] = useState<readonly [number, number]>([0, 0]);
  const { columns, width, rows } = map;
  const lines = rows.map(({ cells }) =>
    cells.flatMap((axes) => Array.from({ length: width }, (_, axis) => axes?.[axis] ?? null)),
  );
  // A new basis may be too small for the previous position.
  const at: readonly [number, number] = lines[row]?.[place] ? [row, place] : firstOf(lines);

  function move(event: KeyboardEvent): void {
    const next = step(lines, at, event.key);
    if (!next) return;
    event.preventDefault();
    setPlace(next);
    table.current?.querySelector<HTMLElement>(`[data-at="${next.join(',')}"]`)?.focus();
  }

  return (
    <div className="table-box heat-box">
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells take the focus is a grid */}
      <table ref={table} className="heat" role="grid" aria-label="Axes by layer and module" onKeyDown={move}>
        <thead>
          <tr>
            <td />
            {columns.map((column) => (
              <th key={column} scope="colgroup" colSpan={width}>
                {column.replace(/_proj$/, '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label }, r) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {lines[r].map((cell, c) => (
                <Cell
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells are identified by their place
                  key={c}
                  place={`${r},${c}`}
                  cell={cell}
                  first={c % width === 0}
                  label={cell ? wordsOf(cell) : ''}
                  stop={at[0] === r && at[1] === c}
                  onAt={onAt}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps {
  place: string;
  cell: HeatCell | null;
  /** Whether it is the first cell of its module. */
  first: boolean;
  label: string;
  stop: boolean;
  onAt: (cell: HeatCell | null) => void;
}

const Cell = memo(function Cell({ place, cell, first, label, stop, onAt }: CellProps) {
  if (!cell) return <td className={first ? 'heat-none heat-first' : 'heat-none'} />;
  const style = { '--shade': cell.shade.toFixed(3) } as CSSProperties;
  return (
    <td
      className={`heat-cell fate-${cell.fate}${first ? ' heat-first' : ''}`}
      style={style}
      data-at={place}
      tabIndex={stop ? 0 : -1}
      aria-label={label}
      onFocus={() => onAt(cell)}
      onMouseEnter={() => onAt(cell)}
    />
  );
});

type Lines = readonly (readonly (HeatCell | null)[])[];

function firstOf(lines: Lines): readonly [number, number] {
  const row = lines.findIndex((line) => line.some((cell) => cell));
  return row < 0 ? [0, 0] : [row, lines[row].findIndex((cell) => cell)];
}

/** The next cell in the key's direction, skipping empty positions; null if there is none or the key has no direction. */
function step(lines: Lines, [row, place]: readonly [number, number], key: string): readonly [number, number] | null {
  const ways: Readonly<Record<string, readonly [number, number]>> = {
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
  };
  if (key === 'Home') return [row, lines[row].findIndex((cell) => cell)];
  if (key === 'End') return [row, lines[row].findLastIndex((cell) => cell)];
  const way = ways[key];
  if (!way) return null;
  let [r, c] = [row + way[0], place + way[1]];
  while (lines[r]?.[c] === null) [r, c] = [r + way[0], c + way[1]];
  return lines[r]?.[c] ? [r, c] : null;
}
