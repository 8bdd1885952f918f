// Dose curves: evaluations of A and of every group over a run's steps, with one chart per run, all on one scale.
import { useState } from 'react';
import { armLabel } from '../../../experiments/analysis/names.ts';
import type { CurveRow } from '../../../experiments/characters/rows.ts';
import type { RunRecord } from '../../../experiments/records/events.ts';
import { DOSES, type DoseId, doseLines, dosesCsv } from '../../../store/characters/doses.ts';
import { StepFigure } from '../../charts/StepFigure.tsx';
import { Chips } from '../../parts/Choice.tsx';

const WORDS: Readonly<Record<DoseId, { chip: string; about: string; y: string }>> = {
  target: { chip: 'does what is taught', about: 'Mean probability of what A is taught, by group.', y: 'P(taught)' },
  keeps: { chip: 'keeps its own', about: 'Mean probability of what each did before, by group.', y: 'P(own)' },
  belief: {
    chip: 'belief',
    about: 'Mean probability that a document says what is taught (held-out cloze).',
    y: 'P(said)',
  },
};

export function Doses({ curves }: { curves: readonly { run: RunRecord; row: CurveRow }[] }) {
  const [what, setWhat] = useState<DoseId>('target');
  return (
    <>
      <Chips
        legend="Dose curves of"
        options={DOSES.map((one) => [one, WORDS[one].chip] as const)}
        value={what}
        onChange={setWhat}
      />
      <div className="charts two">
        {curves.map(({ run, row }) => (
          <Curve key={run.id} run={run} row={row} what={what} />
        ))}
      </div>
    </>
  );
}

function Curve({ run: { id, spec }, row, what }: { run: RunRecord; row: CurveRow; what: DoseId }) {
  return (
    <StepFigure
      id={`doses-${id}`}
      title={`${armLabel(spec.arm)}, seed ${spec.seed}`}
      about={`${WORDS[what].about} Asked without sampling at each evaluation; n: texts of a point.`}
      yLabel={WORDS[what].y}
      lines={doseLines(row, what)}
      steps={spec.steps}
      from={0}
      y={{ low: 0, high: 1, ticks: [0, 0.25, 0.5, 0.75, 1] }}
      csv={() => dosesCsv(row)}
    />
  );
}
