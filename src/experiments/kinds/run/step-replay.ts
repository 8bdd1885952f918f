// "Replay with this basis": from the stored steps of a vanilla or route/update run to any further quarantines and their deployed models, without
// training (METHOD "project_target = update"). A quarantine depends only on Δ and its basis, so the run's own quarantines are reproduced byte for
// byte; refreshes, weight decay and overshoot are applied as in training.

import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { type MatchedWidth, matchRandom } from '../../../algorithms/matched-width.ts';
import { initialState, type OptimizerState, routeStep } from '../../../algorithms/optimizer.ts';
import { minus } from '../../../algorithms/vectors.ts';
import type { Policy } from '../../../engine/types.ts';
import type { Device } from '../../../kernels/device.ts';
import type { PromptCodec } from '../../../text/codec.ts';
import { DeviceBases, type RunBases } from '../../bases/bases.ts';
import { checkControls } from '../../bases/recipe.ts';
import type { ControlSpec } from '../../config/controls.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import { rateOf, stageAt, stagesOf } from '../../config/stages.ts';
import type { Preparation } from '../../environments/preparation.ts';
import { beginFinal } from '../../loop/evaluate.ts';
import { isAdamSpan, isTrustedBasis } from '../../methods/trusted-basis.ts';
import type { EvalRow, LabEvent } from '../../records/events.ts';
import { type KeptSteps, keepsSteps } from '../../records/steps.ts';

interface StepReplayRequest {
  runId: string;
  /** Spec of the trained run, whose own basis is replayed too. */
  spec: RunSpec;
  /** All steps of the run (StepStore.load). */
  steps: KeptSteps;
  /** Controls to replay; their ids name the evaluation's rows. */
  shadows: readonly ControlSpec[];
  /** Whether to also evaluate each control's deployed model on the run's final set. */
  finalEvaluation: boolean;
}

export interface StepReplayPorts {
  policy: Policy;
  device: Device;
  codec: PromptCodec;
  /** Preparation on this policy; shared with other runs, so that gradients and problems are made once. */
  preparation: Pick<Preparation, 'bases' | 'environment'>;
  signal?: AbortSignal;
}

interface Quarantine {
  /** δS_hack of this basis. */
  hack: Float32Array;
  /** δS_total − δS_hack. */
  deployed: Float32Array;
  /** Σ over the steps of ‖removed‖. */
  removed: number;
  /** Width of a `random_matched` control; null for others. */
  width: MatchedWidth | null;
}

export interface ReplayedControl {
  /** δS_total after the last step. */
  total: Float32Array;
  /** Quarantine of the run's own basis. */
  own: Quarantine;
  shadows: Record<string, Quarantine>;
  /** One row per control, in order; empty without finalEvaluation. */
  evals: EvalRow[];
}

/** Text of a `prepare` event during a replay. */
export const REPLAYING = 'routing again';

/** The policy is left with other adapter parameters. Throws SpecError for a run whose steps cannot be replayed, and for contradictory
 *  controls. */
export async function* replaySteps(
  request: StepReplayRequest,
  ports: StepReplayPorts,
): AsyncGenerator<LabEvent, ReplayedControl> {
  const { runId, spec, steps, shadows: controls } = request;
  if (spec.fork && !keepsSteps(spec))
    throw new SpecError(
      `${runId} is a fork, and its parent’s ${spec.fork.step} steps were projected otherwise than its own`,
      'Replay the parent, or a fork that projects as its parent does.',
    );
  if (!keepsSteps(spec))
    throw new SpecError(
      `${runId} trained under ${spec.projection} (${spec.projectTarget}): its basis shaped its steps`,
      'Replay a vanilla or route (update) run.',
    );
  if (steps.length !== spec.steps)
    throw new SpecError(
      `${steps.length} of the ${spec.steps} steps of ${runId} are kept`,
      'Let the run finish, or train it again.',
    );
  if (isTrustedBasis(spec) && controls.some(({ kind }) => kind === 'random_matched'))
    throw new SpecError(
      `${runId} keeps the span of its basis: no random directions are matched to what it removes`,
      'Choose other controls.',
    );
  if (isAdamSpan(spec) && spec.refreshEvery > 0)
    throw new SpecError(
      `${runId} took its span again in Adam’s metric, and kept steps have no second moment`,
      'Route a run with refreshEvery = 0, or with spanMetric = plain.',
    );
  checkControls(spec, controls);
  const fixed = controls.filter(({ kind }) => kind !== 'random_matched');
  const first = yield* replay({ ...spec, shadows: fixed }, steps, ports);
  const result: ReplayedControl = { total: first.state.total, own: first.own, shadows: {}, evals: [] };
  for (const control of controls) {
    if (control.kind === 'random_matched') {
      const { overshoot = spec.overshoot } = control.settings ?? {};
      const { basis, width } = match(
        { ...spec, gate: control.gate, overshoot },
        steps,
        first.bases,
        first.own.removed,
        ports,
      );
      const bases: RunBases = { own: first.bases.own, shadows: [{ spec: control, basis }] };
      const again = yield* replay(spec, steps, ports, bases);
      setOwn(result.shadows, control.id, { ...again.shadows[control.id], width });
    } else setOwn(result.shadows, control.id, first.shadows[control.id]);
  }
  if (request.finalEvaluation) result.evals = yield* evaluate(request, result, ports);
  return result;
}

/** A `random_matched` basis for an arm that trains with it, from vanilla's steps of the same seed. */
export async function* matchedBasis(
  spec: RunSpec,
  steps: KeptSteps,
  ports: StepReplayPorts,
): AsyncGenerator<LabEvent, ReturnType<typeof matchRandom>> {
  const real: RunSpec = { ...spec, basisSource: 'pairs', shadows: [] };
  const { bases, own } = yield* replay(real, steps, ports);
  return match(spec, steps, bases, own.removed, ports);
}

/** Sentence on the width, and whether it sufficed. */
export function widthNote({ k, target, removed, limit }: MatchedWidth): string {
  const figures = `k = ${k}: removes ${removed.toPrecision(4)} over the run, the real V ${target.toPrecision(4)}`;
  if (limit === null) return figures;
  return `${figures}; ${limit === 'r' ? 'r is not enough' : 'wider does not fit in memory'}`;
}

function match(spec: RunSpec, steps: KeptSteps, bases: RunBases, target: number, { policy }: StepReplayPorts) {
  const { gate, overshoot, seed } = spec;
  return matchRandom({
    like: bases.own,
    layout: policy.adapterLayout,
    steps: steps.flat(),
    gate,
    overshoot,
    seed,
    target,
  });
}

interface Replayed {
  bases: RunBases;
  state: OptimizerState;
  own: Quarantine;
  shadows: Record<string, Quarantine>;
}

/** Replays the steps with `spec`'s own basis and controls; bases in `given` are used unchanged and never refreshed. */
async function* replay(
  spec: RunSpec,
  steps: KeptSteps,
  { policy, device, preparation, signal }: StepReplayPorts,
  given: RunBases | null = null,
): AsyncGenerator<LabEvent, Replayed> {
  const routed: RunSpec = { ...spec, projection: 'route', projectTarget: 'update', preserveMagnitude: false };
  const bases = given ?? (yield* preparation.bases(routed));
  const onDevice = new DeviceBases(device, policy.adapterLayout, bases);
  const ids = bases.shadows.map(({ spec }) => spec.id);
  const state = initialState(policy.initialAdapterParams, routed, ids);
  const stages = stagesOf(routed);
  let ownRemoved = 0;
  const removed: Record<string, number> = Object.fromEntries(ids.map((id) => [id, 0]));
  try {
    for (const [step, deltas] of steps.entries()) {
      if (signal?.aborted) throw new StoppedError();
      yield { type: 'prepare', what: REPLAYING, done: step, total: steps.length };
      await onDevice.refresh(routed, step, state);
      for (const [epoch, delta] of deltas.entries()) {
        const decay = 1 - rateOf(routed, stageAt(stages, step), step, epoch) * routed.weightDecay;
        const part = await routeStep(state, delta, decay, routed, onDevice.own, onDevice.controls);
        ownRemoved += part.removed;
        for (const id of ids) setOwn(removed, id, removed[id] + part.controlsRemoved[id]);
      }
    }
  } finally {
    onDevice.free();
  }
  const quarantine = (hack: Float32Array, sum: number): Quarantine => ({
    hack,
    deployed: minus(state.total, hack),
    removed: sum,
    width: null,
  });
  return {
    bases,
    state,
    own: quarantine(state.hack, ownRemoved),
    shadows: Object.fromEntries(ids.map((id) => [id, quarantine(state.shadows[id], removed[id])])),
  };
}

async function* evaluate(
  { runId, spec, shadows: controls }: StepReplayRequest,
  routed: ReplayedControl,
  { policy, codec, preparation, signal }: StepReplayPorts,
): AsyncGenerator<LabEvent, EvalRow[]> {
  // The evaluation set does not depend on the teacher, so it is made without one, and no pool is graded.
  const environment = yield* preparation.environment({ ...spec, mix: 0 });
  const rows: EvalRow[] = [];
  const phase = 'final evaluation';
  for (const [done, { id }] of controls.entries()) {
    yield { type: 'phase', runId, step: spec.steps, phase, done, total: controls.length };
    const { deployed, width } = routed.shadows[id];
    const evaluated = await beginFinal({ policy, codec, environment }, deployed, { ...spec, signal });
    const rates = await evaluated.measured;
    const note = width ? { note: widthNote(width) } : {};
    rows.push({ step: spec.steps, model: id, kind: 'final', ...rates, ...note });
    yield { type: 'eval', runId, row: rows[done] };
  }
  return rows;
}
