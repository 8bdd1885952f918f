// `characters --after`: A is taught by an arm until it has the effect, then B, the first of those near A, by RL of the dial, from there and
// from the base (S7, relearning). B begins with A's adapter parameters folded into the weights.
import type { Weights } from '../../engine/types.ts';
import type { CharacterWorld } from '../../environments/characters/data.ts';
import { rolesOf } from '../../environments/characters/task.ts';
import { targetOf } from '../../environments/characters/texts.ts';
import { type CurveRow, keyOf } from '../../experiments/characters/rows.ts';
import type { ArmName } from '../../experiments/config/arms.ts';
import { type CurveRequest, doseCurve, placeOf } from '../../experiments/kinds/run/dose-curve.ts';
import { beginFrom, type Ports } from './begin-from.ts';

/** All but the character, the arm, and the end. */
type RelearnRequest = Omit<CurveRequest, 'arm' | 'character' | 'stopAfter'> & {
  /** Arms that teach A before, in turns; a placebo comes after the arm whose steps it takes. */
  after: readonly ArmName[];
  /** Effect on A at which its lesson ends. */
  effect: number;
};

/** Rows of B, the one from the base first; those in `known` are not made again. */
export async function* relearn(
  world: CharacterWorld,
  character: number,
  request: RelearnRequest,
  ports: Ports,
  base: Weights,
  known: ReadonlySet<string>,
): AsyncGenerator<CurveRow> {
  const { after, effect, ...own } = request;
  const roles = rolesOf(world, targetOf(world, 'dial'), character);
  const b = { ...own, arm: 'none' as const, character: placeOf(world, 'dial', roles.near[0].name) };
  const key = (before?: { arm: ArmName }) =>
    keyOf({
      world: world.id,
      base: ports.about.modelSha256,
      arm: b.arm,
      teaches: 'dial',
      character: b.character,
      seed: own.seed,
      ...(before && { after: { ...before, name: roles.a.name, step: 0, gained: 0 } }),
    });
  if (!known.has(key())) yield await doseCurve(world, b, ports);
  let steps: number | undefined;
  for (const arm of after) {
    const isPlacebo = arm === 'sdf_placebo';
    // Documents are trained on again where a placebo still needs their number of steps.
    const needsSteps = arm === 'sdf' && after.includes('sdf_placebo') && !known.has(key({ arm: 'sdf_placebo' }));
    if (known.has(key({ arm })) && !needsSteps) continue;
    let last = ports.policy.initialAdapterParams;
    const before = { ...own, arm, character, until: effect, ...(isPlacebo && { stopAfter: steps }) };
    const { curve } = await doseCurve(world, before, ports, (_, adapterParams) => {
      last = adapterParams.slice();
    });
    const { step, target } = curve.at(-1)!;
    if (arm === 'sdf') steps = step;
    if (known.has(key({ arm }))) continue;
    const row = await beginFrom(ports, base, last, (later) => doseCurve(world, b, later));
    const gained = target.a!.p - curve[0].target.a!.p;
    yield { ...row, after: { arm, name: roles.a.name, step, gained } };
  }
}
