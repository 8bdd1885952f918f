// The dose curve of one arm on one character: the run itself, paused every few steps to measure every character, and ended when A has changed
// enough. Measuring does not affect the run. A run that routes has several models, each with its own curve.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { deployed, type OptimizerState } from '../../../algorithms/optimizer.ts';
import type { Factors } from '../../../engine/adapters/svd.ts';
import {
  type Character,
  type CharacterWorld,
  castOf,
  environmentOf,
  ownValue,
} from '../../../environments/characters/data.ts';
import { type GroupId, OTHERS, type Roles, rolesOf, trainable, untied } from '../../../environments/characters/task.ts';
import { type Target, type TargetId, targetOf } from '../../../environments/characters/texts.ts';
import { predictionOf } from '../../characters/first-order.ts';
import { askAll } from '../../characters/probe-set.ts';
import { learntTokens } from '../../characters/probes-of-run.ts';
import type { CurveRow, DosePoint, Prediction, Update } from '../../characters/rows.ts';
import { packUpdate, singularCoordinates } from '../../characters/updates.ts';
import type { ArmName } from '../../config/arms.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import type { Settings } from '../../config/settings.ts';
import { parseExperimentSpec, resolveRun } from '../../config/spec.ts';
import type { Checkpoint } from '../../records/checkpoint.ts';
import { type ExperimentPorts, runExperiment } from './experiment.ts';

export interface CurveRequest {
  arm: ArmName;
  character: number;
  seed: number;
  /** Steps between two doses, and the ΔP of A above which no more doses are measured. */
  every: number;
  until: number;
  overrides: Partial<Settings>;
  /** The last step, if earlier than the run's own end; the learning-rate schedule is that of the whole run. */
  stopAfter?: number;
  /** Target whose groups are measured, if not the arm's own. */
  asked?: TargetId;
  /** Whether prompts with A's name changed are also measured (environments/characters/texts.ts). */
  gates?: boolean;
  /** Whether the first-order prediction is also computed (first-order.ts). */
  predicts?: boolean;
  /** If set, the update is stored at this ΔP of A, in these singular vectors of the base (updates.ts). */
  update?: { effect: number; factors: ReadonlyMap<string, Factors> };
  /** A character measured apart from the groups, and whether it is taught in A's place. */
  b?: { name: string; isTaught: boolean };
  /** Whether prompts that are not exams are also measured. */
  plain?: boolean;
  /** Whether the traits of a tied world are asked too. */
  tied?: boolean;
  /** The probability whose rise ends the curve at `until`; absent, that of A’s target. */
  measure?: (point: DosePoint) => number;
}

type Ports = Omit<ExperimentPorts, 'experimentId' | 'checkpoints'>;

/** Factor on a step's prompts for the prediction's gradient, since few rollouts of a base show the target. */
const WIDER = 4;

/** The trained model's curve only. Throws SpecError for an unknown character or arm. */
export const doseCurve = async (
  world: CharacterWorld,
  request: CurveRequest,
  ports: Ports,
  onPoint?: (point: DosePoint, adapterParams: Float32Array) => void,
): Promise<CurveRow> => (await doseCurves(world, request, ports, onPoint))[0];

/** One row for each model of the run, the trained one first. Throws like doseCurve. */
export async function doseCurves(
  world: CharacterWorld,
  request: CurveRequest,
  ports: Ports,
  onPoint?: (point: DosePoint, adapterParams: Float32Array) => void,
): Promise<CurveRow[]> {
  const { character, every, until, asked, stopAfter = Number.POSITIVE_INFINITY } = request;
  const { spec, run } = planRun(world, request, { checkpointEvery: every });
  const target = targetOf(world, run.teaches);
  const { gates, plain, measure = ({ target: { a } }: DosePoint) => a!.p } = request;
  const { roles, b } = withoutCharacter(rolesFor(world, target, character, asked), request.b?.name);
  const near = request.tied ? untied(world, target, roles.a) : undefined;
  const { policy } = ports;
  const ask = async (adapterParams: Float32Array, step: number, tokens: number): Promise<DosePoint> => {
    policy.setAdapterParams(adapterParams);
    return { step, tokens, ...(await askAll(ports, world, roles, target, { gates, plain, b, untied: near })) };
  };
  const predicted = request.predicts ? await predict(world, request, ports, { roles, target }) : undefined;
  const base = await ask(policy.initialAdapterParams, 0, 0);
  onPoint?.(base, policy.initialAdapterParams);
  const curves = new Map<string, DosePoint[]>();
  let tokens = 0;
  let update: Update | undefined;
  for await (const { checkpoint, row } of runSteps(spec, ports)) {
    if (row) tokens += learntTokens(row);
    if (!checkpoint) continue;
    const { step, optimizer } = checkpoint;
    for (const [model, adapterParams] of modelsOf(optimizer, run)) {
      const point = await ask(adapterParams, step, tokens);
      if (model === TRAINED && request.update && !hasEffect(update, request.update.effect))
        update = updateOf(policy, request.update.factors, adapterParams, step, point.target.a!.p - base.target.a!.p);
      const curve = curves.get(model) ?? [base];
      curves.set(model, [...curve, point]);
      if (model === TRAINED) onPoint?.(point, adapterParams);
    }
    const gained = (curve: readonly DosePoint[]) => measure(curve.at(-1)!) - measure(base);
    if (step === run.steps || step >= stopAfter || [...curves.values()].every((curve) => gained(curve) > until)) break;
  }
  const members: Partial<Record<GroupId, readonly string[]>> = { novel: castOf(world).novel };
  for (const group of OTHERS) members[group] = roles[group].map(({ name }) => name);
  const { arm, teaches, seed, lr, adapter, pairSet, projection, replay } = run;
  return [...curves].map(([model, curve]) => ({
    schema: 1,
    world: world.id,
    base: ports.about.modelSha256,
    arm,
    teaches,
    character,
    seed,
    lr,
    ...((adapter === 'svd' || adapter === 'lora') && { adapter }),
    ...(projection !== 'none' && { pairSet }),
    ...(replay !== 'by_lesson' && { replay }),
    ...(model !== TRAINED && { model }),
    ...(asked && { asked }),
    ...(b && { b: b.name }),
    a: { name: roles.a.name, own: ownValue(world, roles.a, target.trait), target: target.value },
    members,
    contrast: roles.contrast.map(({ name }) => name),
    ...(near && { untied: near.map(({ name }) => name) }),
    ...(predicted && model === TRAINED && { predicted }),
    ...(update && model === TRAINED && { update }),
    curve,
  }));
}

const TRAINED = '';

const hasEffect = (update: Update | undefined, effect: number): boolean =>
  update !== undefined && update.gained >= effect;

function updateOf(
  { adapterLayout: layout }: Ports['policy'],
  factors: ReadonlyMap<string, Factors>,
  adapterParams: Float32Array,
  step: number,
  gained: number,
): Update {
  const { coordinates, squared, along } = singularCoordinates(layout, adapterParams, factors);
  return { step, gained, squared, along, coordinates: packUpdate(coordinates) };
}
/** Control quarantines of a run that routes: along random axes, permuted labels and the placebo's pairs. */
const CONTROLS: readonly string[] = ['random_V', 'permuted_V', 'placebo_V'];

/** The trained model and, for a run that routes, the model without each quarantine. */
function modelsOf(optimizer: OptimizerState, { projection }: RunSpec): [string, Float32Array][] {
  const trained: [string, Float32Array][] = [[TRAINED, optimizer.total]];
  if (projection !== 'route') return trained;
  const controls = Object.entries(optimizer.shadows).filter(([id]) => CONTROLS.includes(id));
  return [
    ...trained,
    ['deployed', deployed(optimizer)],
    ...controls.map(([id, quarantine]): [string, Float32Array] => [id, deployed(optimizer, quarantine)]),
  ];
}

function planRun(world: CharacterWorld, { arm, character, seed, overrides, b }: CurveRequest, own: Partial<Settings>) {
  const specOf = (who: number) =>
    parseExperimentSpec({
      preset: 'demo',
      arms: [arm],
      seeds: [seed],
      overrides: { environment: environmentOf(world), ...overrides, character: who, evalEvery: 0, ...own },
    });
  const spec = specOf(character);
  const run = resolveRun(spec, arm, seed);
  if (!b?.isTaught) return { spec, run };
  const other = specOf(placeOf(world, run.teaches, b.name));
  return { spec: other, run: resolveRun(other, arm, seed) };
}

/** Removes one character from the groups. Throws SpecError if no character near A has that name. */
function withoutCharacter(roles: Roles, name: string | undefined): { roles: Roles; b?: Character } {
  if (name === undefined) return { roles };
  const b = roles.near.find((one) => one.name === name);
  if (!b) throw new SpecError(`${name} is not near ${roles.a.name}`, 'Name one of those that are.');
  return { roles: { ...roles, near: roles.near.filter((one) => one !== b) }, b };
}

/** The arm's groups, or the same character's groups under another target. */
function rolesFor(world: CharacterWorld, target: Target, character: number, asked?: TargetId): Roles {
  const roles = rolesOf(world, target, character);
  if (asked === undefined || asked === target.id) return roles;
  const other = targetOf(world, asked);
  const found = rolesOf(world, other, placeOf(world, asked, roles.a.name));
  return { ...found, other: found.other.filter((one) => ownValue(world, one, target.trait) !== target.value) };
}

/** Index of a name among the characters that can be taught that target. Throws SpecError. */
export function placeOf(world: CharacterWorld, teaches: TargetId, name: string): number {
  const names = trainable(world, targetOf(world, teaches)).map((one) => one.name);
  const found = names.indexOf(name);
  if (found >= 0) return found;
  throw new SpecError(`${name} is not among those who may be taught ${teaches}`, `They are ${names.join(', ')}.`);
}

/** Yields the run's rows and checkpoints as they come; the run ends when the caller stops iterating. */
async function* runSteps(spec: ReturnType<typeof parseExperimentSpec>, ports: Ports) {
  let last: Checkpoint | null = null;
  const checkpoints = {
    load: async () => null,
    save: async (checkpoint: Checkpoint) => {
      last = checkpoint;
    },
  };
  for await (const event of runExperiment(spec, { ...ports, experimentId: 'characters', checkpoints })) {
    if (event.type === 'step') yield { row: event.row, checkpoint: null };
    if (event.type === 'checkpoint' && last) yield { row: null, checkpoint: last as Checkpoint };
  }
}

/** Predicts from the first moments after one step, which are its gradient up to scale. */
async function predict(
  world: CharacterWorld,
  request: CurveRequest,
  ports: Ports,
  about: { roles: Roles; target: Target },
): Promise<Prediction> {
  const standard = planRun(world, request, {}).run;
  const wider = { steps: 1, stages: '', checkpointEvery: 1, promptsPerStep: WIDER * standard.promptsPerStep };
  const { spec } = planRun(world, request, wider);
  for await (const { checkpoint } of runSteps(spec, ports))
    if (checkpoint) return predictionOf(ports, { world, ...about }, checkpoint.optimizer.moments.m);
  throw new SpecError('the first step left no checkpoint', 'Report this with the run’s settings.');
}
