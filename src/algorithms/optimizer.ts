// One optimizer step, from a gradient to new adapter parameters and quarantines. It implements METHOD's "Projection" table:
//
//   project_target   none              erase                 route
//   gradient         δS ← Adam(g)      δS ← Adam(kept)       δS ← Adam(kept), δS_hack ← Adam'(removed)
//   update           —                 δS ← kept(Δ)          δS_total −= Δ, δS_hack −= removed(Δ)
//
// The state holds δS_total and the quarantines; δS is δS_total − δS_hack. Under route/update, δS_total does not depend on any
// basis: training is identical to the vanilla run, so further quarantines can be kept as controls.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { type AdamSettings, adamStep, clipScale, jointNorm, type Moments, zeroMoments } from './adamw.ts';
import { type Gate, type Projector, preserveMagnitude } from './projection.ts';
import { minus, norm, plus, scaleInto, subtractInto } from './vectors.ts';

export type Projection = 'none' | 'erase' | 'route';
export type ProjectTarget = 'gradient' | 'update';

export interface OptimizerSettings extends AdamSettings {
  projection: Projection;
  projectTarget: ProjectTarget;
  gate: Gate;
  overshoot: number;
  preserveMagnitude: boolean;
  normClip: number;
  weightDecay: number;
}

export interface OptimizerState {
  /** δS_total, which the engine applies. */
  total: Float32Array;
  /** δS_hack of the run's own basis; 0 unless projection is `route`. */
  hack: Float32Array;
  moments: Moments;
  /** Moments of δS_hack (route/gradient only). */
  hackMoments: Moments | null;
  /** Control quarantines by id (route/update only). */
  shadows: Record<string, Float32Array>;
}

/** A control quarantine's basis and settings. */
export interface Control {
  id: string;
  projector: Projector;
  gate: Gate;
  /** Overrides the run's overshoot for this basis. */
  overshoot?: number;
}

export interface StepReport {
  /** Norm before the clip. */
  gradNorm: number;
  /** The gradient given to the main adapter's AdamW, before the clip (`kept` under gradient target, otherwise g). */
  fed: Float32Array;
  /** What was subtracted from the deployed adapter δS, without weight decay. */
  deployedStep: Float32Array;
  /** Δ, what was subtracted from δS_total, without weight decay. */
  step: Float32Array;
}

/** `initial`: the untrained adapter parameters (Policy.initialAdapterParams), or their number if all are zero. */
export function initialState(
  initial: Float32Array | number,
  settings: OptimizerSettings,
  controlIds: readonly string[],
): OptimizerState {
  const total = typeof initial === 'number' ? new Float32Array(initial) : initial.slice();
  const { length } = total;
  const ownMoments = settings.projection === 'route' && settings.projectTarget === 'gradient';
  return {
    total,
    hack: new Float32Array(length),
    moments: zeroMoments(length),
    hackMoments: ownMoments ? zeroMoments(length) : null,
    shadows: Object.fromEntries(controlIds.map((id) => [id, new Float32Array(length)])),
  };
}

/** Changes `state` in place. `g` is the accumulated gradient on δS. */
export async function optimizerStep(
  state: OptimizerState,
  g: Float32Array,
  lr: number,
  settings: OptimizerSettings,
  projector: Projector,
  controls: readonly Control[],
): Promise<StepReport> {
  return settings.projection !== 'none' && settings.projectTarget === 'update'
    ? updateTarget(state, g, lr, settings, projector, controls)
    : gradientTarget(state, g, lr, settings, projector);
}

/** Projects g, then takes the step. One norm clip covers kept and removed parts; δS_hack has no weight decay. */
async function gradientTarget(
  state: OptimizerState,
  g: Float32Array,
  lr: number,
  settings: OptimizerSettings,
  projector: Projector,
): Promise<StepReport> {
  const { kept, removed } = await splitGradient(g, settings, projector);
  const gradNorm = jointNorm(removed ? [kept, removed] : [kept]);
  const scale = clipScale(gradNorm, settings.normClip);
  const deployedStep = adamStep(state.moments, kept, scale, lr, settings);
  const decay = 1 - lr * settings.weightDecay;
  if (removed && state.hackMoments) {
    const hackStep = adamStep(state.hackMoments, removed, scale, lr, settings);
    const deltaS = minus(state.total, state.hack);
    scaleInto(deltaS, decay);
    subtractInto(deltaS, deployedStep);
    subtractInto(state.hack, hackStep);
    state.total = plus(deltaS, state.hack);
    return { gradNorm, fed: kept, deployedStep, step: plus(deployedStep, hackStep) };
  }
  scaleInto(state.total, decay);
  subtractInto(state.total, deployedStep);
  return { gradNorm, fed: kept, deployedStep, step: deployedStep };
}

async function splitGradient(
  g: Float32Array,
  settings: OptimizerSettings,
  projector: Projector,
): Promise<{ kept: Float32Array; removed: Float32Array | null }> {
  if (settings.projection === 'none') return { kept: g, removed: null };
  const { kept, removed } = await projector.project(g, settings.gate, settings.overshoot);
  if (settings.projection === 'route') return { kept, removed };
  return { kept: settings.preserveMagnitude ? preserveMagnitude(g, kept, projector.basis) : kept, removed: null };
}

/** Takes the step with the whole g, then projects the step, so that neither momentum nor the preconditioner can make it hack-ward. */
async function updateTarget(
  state: OptimizerState,
  g: Float32Array,
  lr: number,
  settings: OptimizerSettings,
  projector: Projector,
  controls: readonly Control[],
): Promise<StepReport> {
  const gradNorm = jointNorm([g]);
  const step = adamStep(state.moments, g, clipScale(gradNorm, settings.normClip), lr, settings);
  const decay = 1 - lr * settings.weightDecay;
  if (settings.projection === 'erase') {
    const { kept } = await projector.project(step, settings.gate, settings.overshoot);
    scaleInto(state.total, decay);
    subtractInto(state.total, kept);
    return { gradNorm, fed: g, deployedStep: kept, step: kept };
  }
  const { kept } = await routeStep(state, step, decay, settings, projector, controls);
  return { gradNorm, fed: g, deployedStep: kept, step };
}

/** Split of one step between the deployed adapter and the quarantines. */
export interface RoutedStep {
  /** Δ without the part that the run's own basis removes. */
  kept: Float32Array;
  /** ‖removed‖ for the run's own basis, and for each control. */
  removed: number;
  controlsRemoved: Record<string, number>;
}

/**
 * The second part of a route/update step: all vectors decay, then δS_total −= Δ and every quarantine −= its part of Δ. Called with the
 * stored Δ of a finished run, it reproduces the quarantines byte for byte.
 */
export async function routeStep(
  state: Pick<OptimizerState, 'total' | 'hack' | 'shadows'>,
  step: Float32Array,
  decay: number,
  settings: Pick<OptimizerSettings, 'gate' | 'overshoot'>,
  projector: Pick<Projector, 'project'>,
  controls: readonly Control[],
): Promise<RoutedStep> {
  const { kept, removed } = await projector.project(step, settings.gate, settings.overshoot);
  scaleInto(state.total, decay);
  subtractInto(state.total, step);
  scaleInto(state.hack, decay);
  subtractInto(state.hack, removed);
  const controlsRemoved: Record<string, number> = {};
  for (const { id, projector, gate, overshoot = settings.overshoot } of controls) {
    const control = state.shadows[id];
    const part = (await projector.project(step, gate, overshoot)).removed;
    scaleInto(control, decay);
    subtractInto(control, part);
    setOwn(controlsRemoved, id, norm(part));
  }
  return { kept, removed: norm(removed), controlsRemoved };
}

/** δS: the adapter parameters without a quarantine. */
export function deployed(state: OptimizerState, quarantine: Float32Array = state.hack): Float32Array {
  return minus(state.total, quarantine);
}

/**
 * The base plus only the component along V of the trained change, initial + VᵀV (δ − initial). If this alone explains an effect, the
 * effect is steering.
 */
export async function steeredBase(
  adapterParam: Float32Array,
  projector: Projector,
  initial: Float32Array,
): Promise<Float32Array> {
  return plus(initial, (await projector.project(minus(adapterParam, initial), 'no_gate')).removed);
}
