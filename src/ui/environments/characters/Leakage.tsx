// Change of a group per change of A, at the same effect on A: one point for each trained character, by teaching method. Published rows and
// the user's runs have different marks, and nothing is pooled.
import { useState } from 'react';
import { OTHERS } from '../../../environments/characters/task.ts';
import { armLabel } from '../../../experiments/analysis/names.ts';
import { plural } from '../../../experiments/analysis/words.ts';
import type { CurveRow } from '../../../experiments/characters/rows.ts';
import type { RunRecord } from '../../../experiments/records/events.ts';
import { axisAround } from '../../../lib/axis.ts';
import { decimal } from '../../../lib/numbers.ts';
import { plotAxis } from '../../../lib/plot.ts';
import {
  GROUP_WORDS,
  KIND_WORDS,
  kindOfRow,
  kindOfRun,
  LESSON_KINDS,
  type LeakagePoint,
  leakageCsv,
  leakagePoints,
} from '../../../store/characters/doses.ts';
import { publishedRows } from '../../../store/characters/published.ts';
import { styleOf } from '../../../store/runs/arm-style.ts';
import { PlotFigure } from '../../charts/PlotFigure.tsx';
import { MarkerShape } from '../../charts/Shapes.tsx';
import { ChoiceField } from '../../parts/Choice.tsx';
import { NumberInput } from '../../parts/NumberInput.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';

const SHOWN = [...OTHERS, 'noname', 'novel'] as const;
const LOOKS = { published: styleOf('blue', undefined, 'circle'), own: styleOf('vermillion', undefined, 'diamond') };
/** Width over which a column's points are spread, as a share of the distance between columns. */
const SPREAD = 0.6;

export default function Leakage({ curves }: { curves: readonly { run: RunRecord; row: CurveRow }[] }) {
  const [effect, setEffect] = useState(0.3);
  const [group, setGroup] = useState<(typeof SHOWN)[number]>('near');
  // Null if they could not be loaded.
  const published = useLoaded(() => publishedRows(document.baseURI).catch(() => null));
  const others = published ?? [];
  const { points, short } = leakagePoints(
    [
      ...others.map((row) => ({ row, kind: kindOfRow(row), isOwn: false })),
      ...curves.map(({ run, row }) => ({ row, kind: kindOfRun(run.spec), isOwn: true })),
    ],
    group,
    effect,
  );
  const kinds = LESSON_KINDS.filter((kind) => points.some((point) => point.kind === kind));
  const placed = kinds.flatMap((kind, column) => {
    const own = points.filter((point) => point.kind === kind);
    return own.map((point, i) => ({ point, x: column + (own.length > 1 ? SPREAD * (i / (own.length - 1) - 0.5) : 0) }));
  });
  const legend = (['published', 'own'] as const).map((id) => ({
    id,
    style: LOOKS[id],
    label: id === 'own' ? 'these runs' : 'published characters',
    n: points.filter(({ isOwn }) => isOwn === (id === 'own')).length,
  }));
  const within = kinds.map((kind) => {
    const own = points.filter((point) => point.kind === kind).map(({ logit }) => logit);
    return `${KIND_WORDS[kind]} ${plural(own.length, 'character')} from ${decimal(Math.min(...own))} to ${decimal(Math.max(...own))}`;
  });
  const wordsOf = ({ kind, name, logit, p, step, isOwn }: LeakagePoint) =>
    `${isOwn ? 'this run' : 'published'}, ${KIND_WORDS[kind]}, ${name}: log-odds leakage ${decimal(logit)}, in probability ${decimal(p)}, at step ${decimal(step)}`;
  return (
    <div className="characters-leakage">
      <div className="characters-fields">
        <ChoiceField
          label="Group"
          value={group}
          options={SHOWN.map((one) => [one, GROUP_WORDS[one]] as const)}
          onChange={setGroup}
        />
        <NumberInput
          {...{ label: 'Effect on A', value: effect, min: 0.01, max: 0.9, step: 0.01, onChange: setEffect }}
          help="ΔP of A; published: .30"
        />
      </div>
      {published === null ? <p className="muted">The published rows could not be loaded. Reload the page.</p> : null}
      {short.map(({ row, most }) => (
        <p key={`${row.arm} ${row.seed}`} className="muted">
          {armLabel(row.arm)} on {row.a.name}, seed {row.seed}: ΔP of A reaches {decimal(most)} at most, so no leakage
          can be read at {decimal(effect)}.
        </p>
      ))}
      {points.length === 0 ? (
        <p role="status">
          {published === undefined ? 'Reading published rows …' : 'No character reaches that effect.'}
        </p>
      ) : (
        <PlotFigure
          id="characters-leakage"
          title={`Leakage to ${GROUP_WORDS[group]}`}
          about="Δlog-odds of the group / Δlog-odds of A. 0: nobody but A changed; 1: as much as A. Each point is a trained character."
          description={`Log-odds leakage at an effect of ${decimal(effect)}: ${within.join('; ')}.`}
          x={plotAxis(
            'how A was taught; RL: the newer, the further right',
            { low: -0.5, high: kinds.length - 0.5, ticks: kinds.map((_, i) => i) },
            (i) => KIND_WORDS[kinds[i]],
          )}
          y={plotAxis('log-odds leakage', axisAround([0, 1, ...points.map(({ logit }) => logit)]))}
          legend={legend}
          isMarks
          csv={() => leakageCsv(points, group, effect)}
        >
          {(place) =>
            placed.map(({ point, x }, i) => {
              const { marker, color } = LOOKS[point.isOwn ? 'own' : 'published'];
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: two points may have equal values
                <g key={i}>
                  <title>{wordsOf(point)}</title>
                  <MarkerShape
                    {...{ marker, color }}
                    cx={place.x(x)}
                    cy={place.y(point.logit)}
                    r={point.isOwn ? 6 : 4}
                  />
                </g>
              );
            })
          }
        </PlotFigure>
      )}
    </div>
  );
}
