// The arms × seeds grid: where each run stands.

import type { RunRecord } from '../../experiments/events.ts';
import { ARMS } from '../../experiments/spec.ts';
import { armStyle } from '../../store/arm-style.ts';
import type { ExperimentView } from '../../store/experiment-view.ts';
import { Swatch } from '../charts/Legend.tsx';

export function RunCells({ view }: { view: ExperimentView }) {
  const cells = view.planned.map((spec) => {
    const run = view.runs.find((candidate) => candidate.spec.arm === spec.arm && candidate.spec.seed === spec.seed);
    return { key: `${spec.arm}/${spec.seed}`, spec, run };
  });
  return (
    <ul className="cells" aria-label="Runs of this experiment">
      {cells.map(({ key, spec, run }) => (
        <li key={key} className={`cell ${run?.status ?? 'waiting'}`} title={run?.error ? run.error.message : undefined}>
          <Swatch entry={{ style: armStyle(spec.arm) }} />
          <span>
            {ARMS[spec.arm]?.label ?? spec.arm} <span className="muted num">seed {spec.seed}</span>
          </span>
          <span className="cell-status num">{statusText(run, spec.steps)}</span>
        </li>
      ))}
    </ul>
  );
}

function statusText(run: RunRecord | undefined, steps: number): string {
  if (!run || run.status === 'waiting') return 'waiting';
  if (run.status === 'done') return 'done';
  if (run.status === 'running') return `${run.rows.length} / ${steps}`;
  return `${run.status} at ${run.rows.length}`;
}
