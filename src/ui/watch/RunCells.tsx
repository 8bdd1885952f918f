// The arms × seeds grid with the state of each run. A failed cell states why, and an unfinished cell can be trained alone.
import type { CSSProperties } from 'react';
import { ARMS } from '../../experiments/config/arms.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { duration } from '../../lib/numbers.ts';
import type { ExperimentView } from '../../store/experiment-view.ts';
import { armStyle } from '../../store/runs/arm-style.ts';
import { secondsLeft } from '../../store/runs/progress.ts';
import { Swatch } from '../charts/Legend.tsx';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';

export default function RunCells({ view }: { view: ExperimentView }) {
  const busy = useLab((state) => state.busy);
  // A pause stops all runs of the experiment.
  const paused = useLab(({ progress }) => progress?.paused === true && progress.experimentId === view.id);
  const { arms, seeds } = view.spec;
  const cells = arms.flatMap((arm) =>
    seeds.flatMap((seed) => view.planned.find((spec) => spec.arm === arm && spec.seed === seed) ?? []),
  );
  // If there is a result, nothing remains to be trained.
  const canTrain = !busy && view.result === null;
  return (
    <ul className="cells" aria-label="Runs of this experiment" style={{ '--columns': seeds.length } as CSSProperties}>
      {cells.map((spec) => {
        const run = view.runs.find((candidate) => candidate.spec.arm === spec.arm && candidate.spec.seed === spec.seed);
        return (
          <Cell
            key={`${spec.arm}/${spec.seed}`}
            id={view.id}
            spec={spec}
            run={run}
            // A single stopped cell has no button of its own, because resuming the experiment resumes it.
            canTrain={canTrain && (cells.length > 1 || run?.status === 'failed')}
            paused={paused}
          />
        );
      })}
    </ul>
  );
}

interface CellProps {
  id: string;
  spec: RunSpec;
  run: RunRecord | undefined;
  canTrain: boolean;
  paused: boolean;
}

function Cell({ id, spec, run, canTrain, paused }: CellProps) {
  const lab = useLabActions();
  const status = run?.status ?? 'waiting';
  const name = ARMS[spec.arm]?.label ?? spec.arm;
  const share = run && status === 'running' ? run.rows.length / spec.steps : null;
  return (
    <li className={`cell ${status}`}>
      <Swatch entry={{ style: armStyle(spec.arm) }} />
      <span className="cell-name">
        {name} <span className="muted num">seed {spec.seed}</span>
      </span>
      <span className="cell-status num">{statusText(run, spec.steps, paused)}</span>
      {canTrain && status !== 'done' ? (
        <Button
          icon={status === 'failed' ? 'resume' : 'play'}
          label={status === 'failed' ? 'Retry' : 'Train'}
          aria-label={`${status === 'failed' ? 'Retry' : 'Train'} ${name}, seed ${spec.seed}, alone`}
          // The same id that the worker assigns to a run (runIdOf in experiments/config/run-spec.ts).
          onClick={() => void lab.resume(id, `${id}/${spec.arm}/${spec.seed}`)}
        />
      ) : null}
      {share !== null ? <span className="cell-bar" style={{ inlineSize: `${100 * share}%` }} /> : null}
      {run?.error ? (
        <p className="cell-why">
          {run.error.message} {run.error.remedy}
        </p>
      ) : null}
    </li>
  );
}

function statusText(run: RunRecord | undefined, steps: number, paused: boolean): string {
  if (!run || run.status === 'waiting') return 'waiting';
  if (run.status === 'done') return 'done';
  const at = `step ${run.rows.length} of ${steps}`;
  if (run.status !== 'running') return `${run.status} at ${at}`;
  if (paused) return `paused, ${at}`;
  const left = secondsLeft(run);
  return left === null ? at : `${at}, ${duration(left)} left`;
}
