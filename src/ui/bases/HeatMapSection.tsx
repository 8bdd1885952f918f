// The heat map of one basis, with a choice of the basis, the axes that a run would keep, and the numbers behind the colours.

import { useId, useMemo, useState } from 'react';
import type { AxisFate } from '../../algorithms/noise-floor.ts';
import { COMMON } from '../../experiments/config/settings.ts';
import { moment, significant } from '../../lib/numbers.ts';
import { type HeatCell, type HeatMap, type HeatScale, heatMap } from '../../store/bases/heat.ts';
import { useBasisBench, useBasisBenchActions, useLab } from '../lab-context.ts';
import { Choice, optionsOf } from '../parts/Choice.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import { TableBox } from '../parts/TableBox.tsx';
import { Agreement } from './Extract.tsx';
import { HeatGrid } from './HeatGrid.tsx';

const FATES: Readonly<Record<AxisFate, string>> = {
  kept: 'kept',
  zeroed: 'zeroed by τ',
  floor: 'dropped: below the noise floor',
  beyond: 'not used: beyond k',
};

const SCALES: Readonly<Record<HeatScale, string>> = { log: 'log S', relative: 'S over the module’s first' };

export function HeatMapSection() {
  const basisBench = useBasisBenchActions();
  const bases = useLab((state) => state.bases);
  const shown = useBasisBench((state) => state.shown);
  const axes = useBasisBench((state) => state.axes);
  const problem = useBasisBench((state) => state.axesProblem);
  const [k, setK] = useState(COMMON.k);
  const [drop, setDrop] = useState(COMMON.dropBottomFrac);
  const [scale, setScale] = useState<HeatScale>('log');
  const report = bases.find(({ id }) => id === shown);
  const map = useMemo(() => axes && heatMap(axes, { k, dropBottomFrac: drop, scale }), [axes, k, drop, scale]);
  return (
    <Section
      id="axes"
      title="Axes"
      lead="Each module’s axes by singular value. A run drops those below its noise floor, which is one for all modules."
    >
      {bases.length === 0 ? (
        <Empty title="No basis kept yet">
          <p>Extract one above, drop a file on the page, or run an experiment: its basis is kept and drawn here.</p>
        </Empty>
      ) : (
        <div className="heat-bar">
          <Choice
            label="Basis"
            className="grow"
            value={shown}
            options={bases.map(({ id, name, createdAt }) => [id, `${name}, ${moment(createdAt)}`] as const)}
            onChange={(id) => void basisBench.show(id)}
          />
          <label className="choice">
            <span>Axes used (k)</span>
            <input
              type="number"
              min={1}
              max={map ? Math.max(1, map.width) : undefined}
              value={k}
              onChange={(event) => setK(Math.max(1, Math.floor(Number(event.target.value)) || 1))}
            />
          </label>
          <label className="choice heat-drop">
            <span>
              Noise floor <span className="num">{Math.round(100 * drop)}%</span>
            </span>
            <input
              type="range"
              min={0}
              max={0.95}
              step={0.05}
              value={drop}
              aria-label="Noise floor, share of the axes"
              aria-valuetext={`${Math.round(100 * drop)} percent`}
              onChange={(event) => setDrop(Number(event.target.value))}
            />
          </label>
          <Choice label="Shade" value={scale} options={optionsOf(SCALES)} onChange={setScale} />
        </div>
      )}
      <Problem problem={problem} />
      {map && report && map.range ? (
        <HeatMapFigure map={map} scale={scale} nPairs={report.nPairs} nHeldout={report.nHeldout ?? 0} />
      ) : bases.length > 0 && !problem ? (
        <p className="chart-wait" role="status">
          {map ? 'Every axis of this basis is zeroed.' : 'Reading the basis …'}
        </p>
      ) : null}
      {report ? <Agreement report={report} /> : null}
    </Section>
  );
}

interface HeatMapFigureProps {
  map: HeatMap;
  scale: HeatScale;
  nPairs: number | null;
  nHeldout: number;
}

function HeatMapFigure({ map, scale, nPairs, nHeldout }: HeatMapFigureProps) {
  const [at, setAt] = useState<HeatCell | null>(null);
  const { counts, floor, range } = map;
  const words = at ? wordsOf(at, nPairs, nHeldout) : 'Point at an axis, or move over the map with the arrow keys.';
  return (
    <>
      <p className="small muted num" role="status">
        {counts.kept} axes kept, {counts.floor} below the noise floor (S &lt; {significant(floor)}), {counts.zeroed}{' '}
        zeroed{counts.beyond > 0 ? `, ${counts.beyond} beyond k` : ''}.
      </p>
      <HeatGrid map={map} wordsOf={(cell) => wordsOf(cell, nPairs, nHeldout)} onAt={setAt} />
      <p className="heat-readout num" aria-hidden="true">
        {words}
      </p>
      <Legend scale={scale} range={range ?? [0, 0]} />
      <Numbers map={map} />
    </>
  );
}

/** Such as `model.layers.0.mlp.up_proj, axis 2: S = 1.24, kept; 18 of 18 pairs …` */
function wordsOf({ module, axis, s, fate, used, heldout }: HeatCell, nPairs: number | null, nHeldout: number): string {
  const votes = [
    used !== null && nPairs !== null ? `${used} of ${nPairs} pairs hack-ward` : null,
    heldout !== null && nHeldout > 0 ? `${heldout} of ${nHeldout} held out` : null,
  ].filter((part) => part !== null);
  return `${module}, axis ${axis + 1}: S = ${significant(s)}, ${FATES[fate]}${votes.length > 0 ? `; ${votes.join(', ')}` : ''}`;
}

const KEYS = [
  ['floor', 'below the noise floor: dropped'],
  ['zeroed', 'zeroed by τ'],
  ['beyond', 'beyond k: not used'],
] as const;

function Legend({ scale, range: [least, greatest] }: { scale: HeatScale; range: [number, number] }) {
  const id = useId();
  return (
    <ul className="heat-legend" aria-label="Legend" id={id}>
      <li>
        <span className="num">{scale === 'log' ? significant(least) : '0'}</span>
        <span className="heat-ramp" aria-hidden="true" />
        <span className="num">{scale === 'log' ? significant(greatest) : '1'}</span>
        <span>{scale === 'log' ? 'S, log scale' : 'S over the module’s first'}</span>
      </li>
      {KEYS.map(([fate, words]) => (
        <li key={fate}>
          <span className={`heat-key fate-${fate}`} aria-hidden="true" />
          {words}
        </li>
      ))}
    </ul>
  );
}

/** The heat map as a table of numbers. */
function Numbers({ map }: { map: HeatMap }) {
  const modules = map.rows.flatMap(({ cells }) => cells.filter((axes) => axes !== null));
  return (
    <details className="heat-numbers">
      <summary>The same as numbers</summary>
      <TableBox label="Singular values of every module">
        <table className="changes">
          <caption className="sr">Singular values by module and axis, and what becomes of each</caption>
          <thead>
            <tr>
              <th scope="col">Module</th>
              {Array.from({ length: map.width }, (_, axis) => axis + 1).map((axis) => (
                <th key={axis} scope="col" className="num">
                  S{axis}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {modules.map((axes) => (
              <tr key={axes[0].module}>
                <th scope="row" className="mono">
                  {axes[0].module}
                </th>
                {Array.from({ length: map.width }, (_, axis) => axes[axis] ?? null).map((cell, axis) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: axes are identified by their index
                  <td key={axis} className="num">
                    {cell ? significant(cell.s) : '–'}
                    {cell && cell.fate !== 'kept' ? <span className="muted"> {FATES[cell.fate]}</span> : null}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    </details>
  );
}
