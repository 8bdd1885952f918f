// The dose curve of one arm on one character: the run itself, stopped every few steps to ask everybody, and ended when A has changed
// enough. What is asked changes nothing of the run.
import { castOf, ownValue } from '../../environments/characters/cast.ts';
import { type GroupId, OTHERS, rolesOf } from '../../environments/characters/groups.ts';
import { targetOf } from '../../environments/characters/targets.ts';
import type { CharacterWorld } from '../../environments/characters/types.ts';
import { type ExperimentPorts, runExperiment } from '../kinds/run/experiment.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import { type ArmName, parseExperimentSpec, resolveRun, type Settings } from '../spec/spec.ts';
import { askAll } from './probe-set.ts';
import type { CurveRow, DosePoint } from './rows.ts';

export interface CurveRequest {
  arm: ArmName;
  character: number;
  seed: number;
  /** Steps between two doses, and the ΔP of A beyond which nothing more is asked. */
  every: number;
  until: number;
  overrides: Partial<Settings>;
}

/** Throws SpecError for a character or an arm that there is not. */
export async function doseCurve(
  world: CharacterWorld,
  { arm, character, seed, every, until, overrides }: CurveRequest,
  ports: Omit<ExperimentPorts, 'experimentId' | 'checkpoints'>,
  onPoint?: (point: DosePoint) => void,
): Promise<CurveRow> {
  const spec = parseExperimentSpec({
    preset: 'demo',
    ...{ arms: [arm], seeds: [seed] },
    overrides: { environment: 'characters', ...overrides, character, checkpointEvery: every, evalEvery: 0 },
  });
  const run = resolveRun(spec, arm, seed);
  const target = targetOf(world, run.teaches);
  const roles = rolesOf(world, target, character);
  const { policy } = ports;
  const asked = async (knobs: Float32Array, step: number, tokens: number): Promise<DosePoint> => {
    policy.setKnobs(knobs);
    const point = { step, tokens, ...(await askAll(ports, world, roles, target)) };
    onPoint?.(point);
    return point;
  };
  const base = await asked(policy.initialKnobs, 0, 0);
  const curve = [base];
  let last: Checkpoint | null = null;
  let tokens = 0;
  const checkpoints = {
    load: async () => null,
    save: async (checkpoint: Checkpoint) => {
      last = checkpoint;
    },
  };
  for await (const event of runExperiment(spec, { ...ports, experimentId: 'characters', checkpoints })) {
    if (event.type === 'step') tokens += event.row.documents?.tokens ?? event.row.rolloutTokens;
    if (event.type !== 'checkpoint' || !last) continue;
    const { optimizer, step } = last as Checkpoint;
    const point = await asked(optimizer.total, step, tokens);
    curve.push(point);
    if (step === run.steps || point.target.a!.p - base.target.a!.p > until) break;
  }
  const members: Partial<Record<GroupId, readonly string[]>> = { novel: castOf(world).novel };
  for (const group of OTHERS) members[group] = roles[group].map(({ name }) => name);
  return {
    ...{
      schema: 1,
      world: world.id,
      base: ports.about.modelSha256,
      arm,
      teaches: run.teaches,
      character,
      seed,
      lr: run.lr,
    },
    a: { name: roles.a.name, own: ownValue(world, roles.a, target.trait), target: target.value },
    ...{ members, contrast: roles.contrast.map(({ name }) => name), curve },
  };
}
