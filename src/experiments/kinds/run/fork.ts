// Trains a run in its segments (config/segments.ts): one for a plain run; for a fork its parent's, then its own. A fork is a resume: it continues
// from its parent's checkpoint at the fork, which the parent's own settings reproduce to the byte if it is not stored. The checkpoint at the fork
// is the parent's state; how the fork's own settings change it is decided here, whenever training resumes from it.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { divisorOf, zeroMoments } from '../../../algorithms/adamw.ts';
import { deployed, type OptimizerState } from '../../../algorithms/optimizer.ts';
import type { Device } from '../../../kernels/device.ts';
import { DeviceBases } from '../../bases/bases.ts';
import { recipeOf } from '../../bases/recipe.ts';
import type { ControlSpec } from '../../config/controls.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import { type Segment, segmentsOf } from '../../config/segments.ts';
import { settingsOf } from '../../config/settings.ts';
import { withDefaults } from '../../config/spec.ts';
import type { Preparation } from '../../environments/preparation.ts';
import type { BaseEvaluations } from '../../loop/final-evaluation.ts';
import { type TrainPorts, train } from '../../loop/train.ts';
import { METHOD_STATES, METHODS, methodOf } from '../../methods/index.ts';
import { isAdamSpan } from '../../methods/trusted-basis.ts';
import { type Checkpoint, type CheckpointStore, changedSettings, type Refreshed } from '../../records/checkpoint.ts';
import type { LabEvent, RunRecord, StepRow } from '../../records/events.ts';
import { isContext } from '../../records/numerics.ts';
import type { TrainingEnvironment } from '../../step/environment.ts';
import { matchedArm } from './matched.ts';

/** Stored runs that a fork may start from. */
export interface KeptParents {
  /** The run's record; null if it is not stored. */
  run(runId: string): Promise<RunRecord | null>;
  /** Its latest stored state after at most `step` steps; null if there is none. */
  state(runId: string, step: number): Promise<Checkpoint | null>;
}

/** States at forks that one run of an experiment has reached, for use by its other runs. */
export type ReachedForks = Map<string, Checkpoint>;

const keyOf = ({ spec, until }: Segment): string => JSON.stringify([spec, until]);

/**
 * The state that a fork may start from: one that an earlier run of the experiment reached, or a stored one of its parent. Null if none fits, in
 * which case the parent's steps are trained again. A state with other settings, model, grader or device does not fit.
 */
export async function stateBefore(
  spec: RunSpec,
  runId: string,
  context: string,
  reached: ReachedForks,
  parents: KeptParents | null,
): Promise<Checkpoint | null> {
  const { fork } = spec;
  if (!fork) return null;
  const here = reached.get(keyOf({ spec: fork.spec, until: fork.step }));
  if (here) return structuredClone({ ...here, runId, spec });
  const kept = await parents?.state(fork.run, fork.step);
  if (!kept || kept.step > fork.step || kept.rows.length !== kept.step) return null;
  const isParents = changedSettings(kept.spec, fork.spec).length === 0 && isContext(kept.context, context);
  return isParents ? structuredClone({ ...kept, runId, spec, context }) : null;
}

interface SegmentPorts
  extends Omit<TrainPorts<unknown, unknown, unknown>, 'environment' | 'bases' | 'concept' | 'store'> {
  device: Device;
  preparation: Preparation;
  base: BaseEvaluations;
  forks: ReachedForks;
  checkpoints: CheckpointStore | null;
  parents?: KeptParents | null;
  /** All runs of the experiment. */
  runs: readonly { id: string; spec: RunSpec }[];
}

interface TrainedRun {
  optimizer: OptimizerState;
  environment: TrainingEnvironment;
  /** The caller must free these. */
  bases: DeviceBases;
  /** Note on a basis that is matched to vanilla's steps. */
  matched: { note: string } | null;
}

/** Trains `record` through its segments from `from` (null: from the start), and refuses a parent's step that is not reproduced. */
export async function* trainSegments(
  record: RunRecord,
  from: Checkpoint | null,
  ports: SegmentPorts,
): AsyncGenerator<LabEvent, TrainedRun> {
  const { device, policy, preparation, base, forks, checkpoints, parents, runs, steps } = ports;
  const { id, spec: own } = record;
  const segments = segmentsOf(own);
  const parent = own.fork ? ((await parents?.run(own.fork.run)) ?? null) : null;
  let state = from;
  for (const [i, segment] of segments.entries()) {
    const isLast = i === segments.length - 1;
    if (!isLast && state && state.step >= segment.until) continue;
    const { spec } = segment;
    const before = segments[i - 1];
    const isCrossing = before && state?.step === before.until;
    const begin = isCrossing ? crossed(state!, before.spec, spec) : state;
    const prepared = yield* preparation.prepare(spec);
    const matched =
      spec.basisSource === 'random_matched' ? yield* matchedArm(spec, runs, steps, { ...ports, device }) : null;
    const first = matched ? { own: matched.basis, shadows: [] } : prepared.bases;
    const bases = new DeviceBases(device, policy.adapterLayout, first);
    let isHandedOn = false;
    try {
      const { environment, environments, concept, method } = prepared;
      if (environment.pool) record.teacherPool = environment.pool;
      if (spec.evalEvery > 0 && !begin) {
        const row = await base.during({ ...ports, environment }, spec);
        record.evals.push(row);
        yield { type: 'eval', runId: id, row };
      }
      const isNewMethod = isCrossing && !keepsMethod(before.spec, spec);
      const acting = { ...ports, environment, environments, bases, concept };
      const training = train({ ...record, spec }, begin, {
        ...acting,
        method: isNewMethod ? method && (() => method(null)) : method,
        store: isLast ? checkpoints : segmentStore(checkpoints, own, segment, forks),
        ...(isLast ? {} : { until: segment.until }),
      });
      const optimizer = yield* isLast ? training : comparedWith(training, parent);
      if (isLast) {
        isHandedOn = true;
        return { optimizer, environment, bases, matched };
      }
      state = structuredClone(forks.get(keyOf(segment))!);
    } finally {
      if (!isHandedOn) bases.free();
    }
  }
  throw new Error(`Run ${id} has no segment.`);
}

/** Store for a parent's steps: saves checkpoints as the fork's own, and notes the final state for other forks from there. */
function segmentStore(
  store: CheckpointStore | null,
  own: RunSpec,
  segment: Segment,
  forks: ReachedForks,
): CheckpointStore {
  return {
    load: async () => null,
    async save(checkpoint) {
      if (checkpoint.step === segment.until) forks.set(keyOf(segment), checkpoint);
      await store?.save({ ...checkpoint, spec: own });
    },
    ...(store?.isDue && { isDue: (runId: string) => store.isDue!(runId) }),
  };
}

/** Passes on the events of a parent's steps, and refuses the first step that differs from the parent's record. */
async function* comparedWith<End>(
  stream: AsyncGenerator<LabEvent, End>,
  parent: RunRecord | null,
): AsyncGenerator<LabEvent, End> {
  try {
    for (;;) {
      const next = await stream.next();
      if (next.done) return next.value;
      const event = next.value;
      if (parent && event.type === 'step') refuseOther(event.row, parent);
      yield event;
    }
  } finally {
    await stream.return(undefined as never);
  }
}

function refuseOther(row: StepRow, parent: RunRecord): void {
  const kept = parent.rows[row.step - 1];
  if (!kept) return;
  // Controls do not affect training, and a run of another version may have had others.
  const names = (Object.keys(kept) as (keyof StepRow)[]).filter((name) => name !== 'shadowCin');
  const other = names.find((name) => JSON.stringify(kept[name]) !== JSON.stringify(row[name]));
  if (other === undefined) return;
  throw new SpecError(
    `step ${row.step} of ${parent.id} does not come out again: its ${other} was ${JSON.stringify(kept[other])?.slice(0, 60)}, and is ${JSON.stringify(row[other])?.slice(0, 60)} now`,
    `Fork it where it was made: on ${parent.device}, by version ${parent.appVersion} of the lab.`,
  );
}

/**
 * The state with which `child` continues from its parent's. Parameters, moments and the sampler's memory stay. A quarantine stays where both runs
 * route; otherwise it starts empty, since the parent's parameters include what it held. A basis that changes is the child's own: of the
 * untrained model, or, if it is refreshed during the run, of the model at the fork.
 */
export function crossed(state: Checkpoint, parent: RunSpec, child: RunSpec): Checkpoint {
  const { refreshed: _, optimizer: __, ...rest } = state;
  const optimizer = optimizerAfter(state.optimizer, parent, child);
  const refreshed = refreshedAfter({ ...state, optimizer }, parent, child);
  const next: Checkpoint = { ...rest, spec: child, optimizer, ...(refreshed && { refreshed }) };
  if (!keepsMethod(parent, child)) for (const name of Object.keys(METHOD_STATES)) delete next[name as keyof Checkpoint];
  return next;
}

/** Whether the child's method continues with its parent's state; otherwise it starts at the fork. */
const keepsMethod = (parent: RunSpec, child: RunSpec): boolean =>
  methodOf(METHODS, withDefaults(parent)) === methodOf(METHODS, withDefaults(child));

function optimizerAfter(state: OptimizerState, parent: RunSpec, child: RunSpec): OptimizerState {
  const { total, hack, moments, hackMoments, shadows } = state;
  const { length } = total;
  const routes = child.projection === 'route';
  const ownMoments = routes && child.projectTarget === 'gradient';
  const next: OptimizerState = {
    total,
    moments,
    hack: routes && parent.projection === 'route' ? hack : new Float32Array(length),
    hackMoments: ownMoments ? (hackMoments ?? zeroMoments(length)) : null,
    shadows: {},
  };
  // A matched random quarantine is made after the last step.
  for (const control of child.shadows.filter(({ kind }) => kind !== 'random_matched'))
    setOwn(next.shadows, control.id, sameControl(parent, control) ? shadows[control.id] : new Float32Array(length));
  return next;
}

const sameControl = ({ shadows }: RunSpec, control: ControlSpec): boolean =>
  shadows.some((other) => JSON.stringify(other) === JSON.stringify(control));

/** Everything that decides the directions of one basis. */
function basisOf(run: RunSpec, control: ControlSpec | null): string {
  const spec = withDefaults(run);
  const split = ['gate', 'overshoot', 'preserveMagnitude'];
  const names = settingsOf('projection').filter((name) => !split.includes(name));
  const trusted = [spec.trusted, spec.trustedShare, spec.trustedArguments];
  return JSON.stringify([recipeOf(run, control), names.map((name) => spec[name]), trusted]);
}

function refreshedAfter(
  { step, refreshed, optimizer }: Checkpoint,
  parent: RunSpec,
  child: RunSpec,
): Checkpoint['refreshed'] | null {
  const at = (control: ControlSpec | null, kept: Refreshed | null | undefined): Refreshed | null => {
    const isKnown = control === null || sameControl(parent, control);
    if (isKnown && basisOf(parent, control) === basisOf(child, control)) return kept ?? null;
    if (recipeOf(child, control).refreshEvery === 0) return null;
    const quarantine = control ? optimizer.shadows[control.id] : optimizer.hack;
    const isScaled = control === null && isAdamSpan(child) && optimizer.moments.t > 0;
    const scaled = isScaled ? { divisor: divisorOf(optimizer.moments, child) } : {};
    return { step, adapterParams: deployed(optimizer, quarantine), ...scaled };
  };
  const own = at(null, refreshed?.own);
  const shadows: Record<string, Refreshed> = {};
  for (const control of child.shadows.filter(({ kind }) => kind !== 'random_matched')) {
    const found = at(control, refreshed?.shadows[control.id]);
    if (found) setOwn(shadows, control.id, found);
  }
  return own || Object.keys(shadows).length > 0 ? { own, shadows } : null;
}
