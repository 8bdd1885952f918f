// Dose curves: what a run's evaluations asked of A and of every group, over its steps; a picture for each run, all on one scale.
import { useId, useState } from 'react';
import { armLabel } from '../../../experiments/analysis/names.ts';
import type { CurveRow } from '../../../experiments/characters/rows.ts';
import type { RunRecord } from '../../../experiments/records/events.ts';
import { DOSES, type DoseId, doseLines, dosesCsv } from '../../../store/characters/doses.ts';
import { decimal } from '../../../store/format.ts';
import { Swatch } from '../../charts/Legend.tsx';
import { MarkerShape } from '../../charts/MarkerShape.tsx';
import { Figure } from '../../probe/Figure.tsx';

const WORDS: Readonly<Record<DoseId, { chip: string; about: string; y: string }>> = {
  target: { chip: 'does what is taught', about: 'Mean probability of what A is taught, by group.', y: 'P(taught)' },
  keeps: { chip: 'keeps its own', about: 'Mean probability of what each did before, by group.', y: 'P(own)' },
  belief: {
    chip: 'is said to do it',
    about: 'Mean probability that a document says it (a held-out cloze).',
    y: 'P(said)',
  },
};

export function Doses({ curves }: { curves: readonly { run: RunRecord; row: CurveRow }[] }) {
  const [what, setWhat] = useState<DoseId>('target');
  const name = useId();
  return (
    <>
      <fieldset className="chips">
        <legend className="sr">Dose curves of</legend>
        {DOSES.map((one) => (
          <label key={one} className="chip">
            <input type="radio" name={name} checked={what === one} onChange={() => setWhat(one)} />
            {WORDS[one].chip}
          </label>
        ))}
      </fieldset>
      <div className="charts two">
        {curves.map(({ run, row }) => (
          <Curve key={run.id} run={run} row={row} what={what} />
        ))}
      </div>
    </>
  );
}

function Curve({ run: { id, spec }, row, what }: { run: RunRecord; row: CurveRow; what: DoseId }) {
  const lines = doseLines(row, what);
  const { about, y } = WORDS[what];
  const said = lines.map(({ label, points }) => {
    const [first, last] = [points[0], points[points.length - 1]];
    return `${label} from ${decimal(first.y)} at step ${first.x} to ${decimal(last.y)} at step ${last.x}`;
  });
  const every = Math.max(1, Math.ceil(spec.steps / 8));
  const ticks = Array.from({ length: Math.floor(spec.steps / every) + 1 }, (_, i) => i * every);
  return (
    <Figure
      id={`doses-${id}`}
      title={`${armLabel(spec.arm)}, seed ${spec.seed}`}
      about={`${about} Asked without sampling at each evaluation; n: texts of a point.`}
      description={`${y} over ${spec.steps} steps: ${said.join('; ')}.`}
      x={{ low: 0, high: spec.steps, ticks }}
      y={{ low: 0, high: 1, ticks: [0, 0.25, 0.5, 0.75, 1] }}
      xLabel="step"
      yLabel={y}
      legend={lines}
      swatch={(item) => <Swatch entry={item} />}
      csv={() => dosesCsv(row)}
    >
      {(place) =>
        lines.map(({ id: line, label, style, points }) => (
          <g key={line}>
            <path
              d={points.map(({ x, y }, i) => `${i ? 'L' : 'M'}${place.x(x)} ${place.y(y)}`).join('')}
              fill="none"
              stroke={style.color}
              strokeWidth={2}
              strokeDasharray={style.dash}
            />
            {points.map(({ x, y }) => (
              <g key={x}>
                <title>{`${label}, step ${x}: ${decimal(y)}`}</title>
                <MarkerShape marker={style.marker} cx={place.x(x)} cy={place.y(y)} r={4} color={style.color} />
              </g>
            ))}
          </g>
        ))
      }
    </Figure>
  );
}
