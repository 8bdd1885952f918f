// Relearning: how fast the hack returns when a run's deployed model is trained further by plain RL. The deployed model takes twenty steps of
// vanilla on the run's own mixture, under its flawed graders and with rollouts of another seed. Vanilla's own run starts from the untrained model
// instead, as a reference for the others. Source: Shilov et al. 2025 (arXiv 2512.05648), “relearning”.
import { layRows } from '../../../algorithms/basis.ts';
import type { Policy } from '../../../engine/types.ts';
import type { Device } from '../../../kernels/device.ts';
import { mean } from '../../../stats/index.ts';
import type { PromptCodec } from '../../../text/codec.ts';
import { DeviceBases } from '../../bases/bases.ts';
import { ARMS, type Arm } from '../../config/arms.ts';
import { RELEARN_STEPS } from '../../config/controls.ts';
import { presetIn } from '../../config/preset-in.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import { settingsOf } from '../../config/settings.ts';
import type { Preparation } from '../../environments/preparation.ts';
import { type TrainedRecord, train } from '../../loop/train.ts';
import type { LabEvent } from '../../records/events.ts';
import { metricValue } from '../../records/metrics.ts';

/** Added to the run's seed, so that problems have another order and other rollouts. */
const OTHER_SEED = 1000;
/** Number of first and of last steps whose hack rate is reported. */
const REPORTED_STEPS = 5;
/** Settings of an arm that are kept, since the deployed parameters belong to its adapter. */
const ADAPTER_SETTINGS: readonly string[] = ['adapter', 'loraRank', 'lr'];

/** The same mixture, model and rate under plain RL: interventions, and other settings that the run's arm fixes, are reset to the preset's
 *  values. */
export function plainSpec(spec: RunSpec): RunSpec {
  const { settings } = presetIn(spec.preset, spec.environment);
  const fixed = Object.keys((ARMS[spec.arm] as Arm).settings).filter((name) => !ADAPTER_SETTINGS.includes(name));
  const names = new Set([...fixed, ...settingsOf('intervention')]);
  const own = Object.fromEntries([...names].map((name) => [name, settings[name as keyof typeof settings]]));
  return {
    ...spec,
    ...own,
    arm: 'none',
    projection: 'none',
    projectTarget: ARMS.none.projectTarget,
    shadows: [],
    // Without a teacher, so that nothing demonstrates the hack again.
    mix: 0,
    steps: RELEARN_STEPS,
    seed: spec.seed + OTHER_SEED,
    evalEvery: 0,
    checkpointEvery: 0,
    refreshEvery: 0,
    alsoEvaluate: [],
  };
}

export interface RelearnPorts {
  runId: string;
  policy: Policy;
  device: Device;
  codec: PromptCodec;
  preparation: Preparation;
  now: () => number;
  signal?: AbortSignal;
}

export interface Relearned {
  adapterParams: Float32Array;
  note: string;
}

/**
 * Trains further from `begin` and yields progress. The policy is left with other parameters. Throws StoppedError if the run is stopped;
 * relearning then starts over.
 */
export async function* relearn(
  spec: RunSpec,
  begin: Float32Array,
  { runId, policy, device, codec, preparation, now, signal }: RelearnPorts,
): AsyncGenerator<LabEvent, Relearned> {
  const plain = plainSpec(spec);
  const environment = yield* preparation.environment(plain);
  const { adapterLayout } = policy;
  const none = layRows(
    adapterLayout,
    adapterLayout.modules.map(() => []),
  );
  const bases = new DeviceBases(device, adapterLayout, { own: none, shadows: [] });
  const record: TrainedRecord = { id: runId, spec: plain, rows: [], timings: [], evals: [] };
  const training = train(record, null, {
    policy,
    codec,
    environment,
    bases,
    now,
    signal,
    begin,
    concept: null,
    method: null,
    store: null,
    steps: null,
    context: '',
  });
  const progress = (done: number): LabEvent => ({
    type: 'phase',
    runId,
    step: spec.steps,
    phase: 'relearning',
    done,
    total: RELEARN_STEPS,
  });
  try {
    yield progress(0);
    let next = await training.next();
    for (; !next.done; next = await training.next()) if (next.value.type === 'step') yield progress(record.rows.length);
    return { adapterParams: next.value.total, note: noteOf(record) };
  } finally {
    bases.free();
  }
}

/** Reports the hack rate of training rollouts; empty for an environment without hacks. */
function noteOf({ rows }: TrainedRecord): string {
  const hacks = (from: number, to: number) => {
    const share = mean(rows.slice(from, to).flatMap(({ student }) => metricValue(student, 'hack') ?? []));
    return share === null ? null : `${(100 * share).toFixed(1)}%`;
  };
  const [first, last] = [hacks(0, REPORTED_STEPS), hacks(RELEARN_STEPS - REPORTED_STEPS, RELEARN_STEPS)];
  if (first === null || last === null) return '';
  return `hacks of the first ${REPORTED_STEPS} of its ${RELEARN_STEPS} steps ${first}, of the last ${last}`;
}
