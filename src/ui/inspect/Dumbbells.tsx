// Each headline metric as a dumbbell for every arm: from the untrained model's value, in grey, to the arm's final value, in the arm's own
// look.
import { Fragment, useMemo } from 'react';
import type { BeforeAfter } from '../../experiments/analysis/headline.ts';
import { rate, shortNumber } from '../../experiments/analysis/words.ts';
import type { Cell, RunRecord, TableRow } from '../../experiments/records/events.ts';
import { type ArmStyle, BASE_STYLE } from '../../store/runs/arm-style.ts';
import { tableLooks } from '../../store/runs/table-looks.ts';
import { MarkerShape } from '../charts/Shapes.tsx';

interface DumbbellsProps {
  metrics: readonly BeforeAfter[];
  table: readonly TableRow[];
  runs: readonly Pick<RunRecord, 'spec' | 'rerouted'>[];
  /** The final value of a fork's parent by metric, marked in every dumbbell. */
  parent?: (metric: string) => number | null;
}

/** Height of a dumbbell, in pixels. */
const HEIGHT = 16;

export function Dumbbells({ metrics, table, runs, parent }: DumbbellsProps) {
  const looks = useMemo(() => tableLooks(table, runs), [table, runs]);
  return (
    <div className="dumbbells">
      {metrics.map(({ info, before, after }) => {
        const show = (cell: Cell) => (info.unit === 'share' ? rate(cell) : shortNumber(cell.mean));
        const [low] = info.range;
        const high = info.range[1] ?? Math.max(before.mean, ...after.map(({ cell }) => cell.mean), low + 1e-9);
        const mean = parent?.(info.id) ?? null;
        const other: Cell | null = mean === null ? null : { mean, sd: null };
        const at = ({ mean }: Cell) => `${100 * Math.min(1, Math.max(0, (mean - low) / (high - low)))}%`;
        return (
          <dl key={info.id} aria-label={`${info.label}, before training and after`}>
            <dt className="dumbbell-title">
              {info.label} <span className="muted">untrained {show(before)} → after</span>
              {other ? <span className="muted">; parent {show(other)}</span> : null}
            </dt>
            {after.map(({ row, name, cell }) => (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd className="dumbbell">
                  <Dumbbell
                    from={at(before)}
                    to={at(cell)}
                    parent={other && at(other)}
                    style={looks[table.indexOf(row)]}
                  />
                </dd>
                <dd className="num">{show(cell)}</dd>
              </Fragment>
            ))}
          </dl>
        );
      })}
    </div>
  );
}

/** Hidden from screen readers, because the text beside it states the values. Positions are in percent of the width. */
function Dumbbell({
  from,
  to,
  parent,
  style: { color, marker, hollow },
}: {
  from: string;
  to: string;
  parent: string | null;
  style: ArmStyle;
}) {
  const y = HEIGHT / 2;
  return (
    <svg width="100%" height={HEIGHT} aria-hidden="true">
      <line x1={from} x2={to} y1={y} y2={y} stroke={color} strokeWidth="3" strokeOpacity="0.45" />
      <circle cx={from} cy={y} r="4" fill="var(--surface)" stroke={BASE_STYLE.color} strokeWidth="2" />
      {parent === null ? null : (
        <line x1={parent} x2={parent} y1="0" y2={HEIGHT} stroke="var(--ink-2)" strokeWidth="2" />
      )}
      {/* A nested picture, since only its place is known in percent. */}
      <svg x={to} y={y} overflow="visible" aria-hidden="true">
        <MarkerShape {...{ marker, color, hollow }} cx={0} cy={0} r={5} />
      </svg>
    </svg>
  );
}
