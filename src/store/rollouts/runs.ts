// Source of the viewer's rollouts: a run, or an opened log.
import type { RolloutPresentation } from '../../environments/rollout-presentation.ts';
import { ARMS, type ArmName } from '../../experiments/config/arms.ts';
import { rolloutPresentationOf } from '../../experiments/environments/registry.ts';
import type { RunRecord } from '../../experiments/records/events.ts';

export interface RolloutRun {
  id: string;
  /** Name beside a group. */
  name: string;
  /** Arm and seed, by which runs are filtered; empty for a log. */
  arm: ArmName | '';
  seed: string;
  /** Unit that its `step` counts. */
  stepName: 'step' | 'part';
  presentation: RolloutPresentation;
  /** Null for a log. */
  record: RunRecord | null;
  /** Trained steps, or a log's parts, ascending. */
  steps(): readonly number[];
}

/** One object a run, so that a part of the page that shows it need not be drawn again. */
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
    // Rows are added to a live run's record.
    steps: () => record.rows.map(({ step }) => step),
  };
  known.set(record, run);
  return run;
}
