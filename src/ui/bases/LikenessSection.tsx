// Compares two bases: a value for each module, their mean, and the expected value for random subspaces of the same size.

import { useMemo, useState } from 'react';
import type { BasisLikeness, Likeness, ModuleLikeness } from '../../algorithms/basis-compare.ts';
import { decimal, moment } from '../../lib/numbers.ts';
import { placeOf } from '../../store/bases/heat.ts';
import { useBasisBench, useBasisBenchActions, useLab } from '../lab-context.ts';
import { Choice } from '../parts/Choice.tsx';
import { type HeatCell, HeatTable } from '../parts/HeatTable.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Empty, Section } from '../parts/Section.tsx';

const COSINE = { digits: 2, text: (x: number | null) => decimal(x), shade: (x: number) => x };
const ANGLE = {
  digits: 0,
  text: (x: number | null) => (x === null ? '–' : `${x.toFixed(1)}°`),
  shade: (x: number) => 1 - x / 90,
};
const MEASURES = {
  first: { ...COSINE, label: '|cos| of the first axes' },
  overlap: { ...COSINE, label: 'shared share (mean cos² of the principal angles)' },
  meanAngle: { ...ANGLE, label: 'mean principal angle' },
  minAngle: { ...ANGLE, label: 'smallest principal angle' },
} satisfies Record<keyof Likeness, unknown>;
type Measure = keyof typeof MEASURES;

export function LikenessSection() {
  const basisBench = useBasisBenchActions();
  const bases = useLab((state) => state.bases);
  const { a, b, k } = useBasisBench((state) => state.pick);
  const likeness = useBasisBench((state) => state.likeness);
  const problem = useBasisBench((state) => state.likenessProblem);
  const [measure, setMeasure] = useState<Measure>('first');
  return (
    <Section
      id="likeness"
      title="Cosine between two bases"
      lead="Do two extractions find the same directions? Each number has its chance level beside it."
    >
      {bases.length < 2 ? (
        <Empty title="Two bases are needed">
          <p>
            Extract another one, from other pairs or with other settings. Two bases of the same pairs and settings are
            the same file, and kept once.
          </p>
        </Empty>
      ) : (
        <div className="heat-bar">
          {(['a', 'b'] as const).map((side) => (
            <Choice
              key={side}
              label={side === 'a' ? 'First basis' : 'Second basis'}
              className="grow"
              value={side === 'a' ? a : b}
              options={[
                ['', 'choose …'],
                ...bases.map(({ id, name, createdAt }) => [id, `${name}, ${moment(createdAt)}`] as const),
              ]}
              onChange={(id) => void basisBench.compare({ [side]: id })}
            />
          ))}
          <label className="choice">
            <span>Axes of each (k)</span>
            <input
              type="number"
              min={1}
              max={4096}
              value={k}
              onChange={(event) =>
                void basisBench.compare({ k: Math.min(4096, Math.max(1, Math.floor(Number(event.target.value)) || 1)) })
              }
            />
          </label>
          <Choice
            label="Measure"
            value={measure}
            options={(Object.keys(MEASURES) as Measure[]).map((id) => [id, MEASURES[id].label] as const)}
            onChange={setMeasure}
          />
        </div>
      )}
      <Problem problem={problem} />
      {likeness ? (
        <LikenessResult likeness={likeness} measure={measure} />
      ) : a !== '' && b !== '' && !problem ? (
        <p className="chart-wait" role="status">
          Comparing …
        </p>
      ) : null}
    </Section>
  );
}

function LikenessResult({ likeness, measure }: { likeness: BasisLikeness; measure: Measure }) {
  const { modules, mean, null: chance, onlyA, onlyB } = likeness;
  if (!mean || !chance)
    return <p className="small muted">The bases share no module. Choose two of one model and adapter.</p>;
  const { text, label } = MEASURES[measure];
  return (
    <>
      <p className="likeness-mean num" role="status">
        <b>{text(mean[measure])}</b> {label}, mean over {modules.length} modules; random subspaces of the same k and r:{' '}
        <b>{text(chance[measure])}</b>.
      </p>
      <LikenessGrid modules={modules} measure={measure} />
      <table className="changes likeness-summary">
        <caption className="sr">Every measure, mean over the modules</caption>
        <thead>
          <tr>
            <th scope="col">Mean over the modules</th>
            <th scope="col">These two</th>
            <th scope="col">By chance</th>
          </tr>
        </thead>
        <tbody>
          {(Object.keys(MEASURES) as Measure[]).map((id) => (
            <tr key={id}>
              <th scope="row">{MEASURES[id].label}</th>
              <td className="num">{MEASURES[id].text(mean[id])}</td>
              <td className="num">{MEASURES[id].text(chance[id])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {onlyA.length + onlyB.length > 0 ? (
        <p className="small muted">
          Not compared:{' '}
          {[...onlyA.map((name) => `${name} (first only)`), ...onlyB.map((name) => `${name} (second only)`)].join(', ')}
          .
        </p>
      ) : null}
    </>
  );
}

/** Table of layers × kinds of Linear with each module's figure. */
function LikenessGrid({ modules, measure }: { modules: readonly ModuleLikeness[]; measure: Measure }) {
  const { rows, columns } = useMemo(() => {
    const columns: string[] = [];
    const rows = new Map<string, Map<string, ModuleLikeness>>();
    for (const module of modules) {
      const { row, column } = placeOf(module.name);
      if (!columns.includes(column)) columns.push(column);
      rows.set(row, (rows.get(row) ?? new Map<string, ModuleLikeness>()).set(column, module));
    }
    return { rows, columns };
  }, [modules]);
  const { digits, shade, label, text } = MEASURES[measure];
  const cellOf = (module: ModuleLikeness | undefined): HeatCell | null => {
    const value = module?.[measure] ?? null;
    if (!module || value === null) return null;
    return {
      text: `${value.toFixed(digits)}${digits === 0 ? '°' : ''}`,
      shade: shade(value),
      tone: 'size',
      title: `${module.name}, ${module.kA} and ${module.kB} axes of ${module.r}: ${text(value)}; by chance ${text(module.null[measure])}`,
    };
  };
  return (
    <HeatTable
      label={`${label}, by layer and module`}
      corner="layer"
      columns={columns.map((column) => column.replace(/_proj$/, ''))}
      rows={[...rows].map(([row, cells]) => ({
        label: row.replace(/^layer /, ''),
        cells: columns.map((column) => cellOf(cells.get(column))),
      }))}
    />
  );
}
