// The source of the viewer's rollouts: a run, or an opened log.
import type { RolloutPresentation } from '../../environments/rollout-presentation.ts';
import { ARMS, type ArmName } from '../../experiments/config/arms.ts';
import { rolloutPresentationOf } from '../../experiments/environments/registry.ts';
import type { RunRecord } from '../../experiments/records/events.ts';

export interface RolloutRun {
  id: string;
  /** Name that is shown beside a group. */
  name: string;
  /** Arm and seed, by which runs are filtered; empty for a log. */
  arm: ArmName | '';
  seed: string;
  /** The unit counted by its `step`. */
  stepName: 'step' | 'part';
  presentation: RolloutPresentation;
  /** Null for a log. */
  record: RunRecord | null;
  /** Trained steps, or the parts of a log, in ascending order. */
  steps(): readonly number[];
}

/** One object per run, so that a component that shows it need not be rendered again. */
const known = new WeakMap<RunRecord, RolloutRun>();

export function rolloutRunOf(record: RunRecord): RolloutRun {
  const { id, spec } = record;
  const run: RolloutRun = known.get(record) ?? {
    id,
    name: `${ARMS[spec.arm]?.label ?? spec.arm}, seed ${spec.seed}`,
    arm: spec.arm,
    seed: String(spec.seed),
    stepName: 'step',
    presentation: rolloutPresentationOf(spec.environment),
    record,
    // Rows are appended to the record of a live run.
    steps: () => record.rows.map(({ step }) => step),
  };
  known.set(record, run);
  return run;
}
