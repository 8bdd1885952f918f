// `characters --tied`: in a tied world RL teaches A to evade exams, after a few steps on transcripts, since A never does so by itself; the
// bracket that pretraining tied to it is watched in prompts that are no exams. Beside it: RL paid by a coin from the same model, documents
// about A in place of RL, and RL that pays for the bracket, also after a few transcripts.
import type { Weights } from '../../engine/types.ts';
import type { CharacterWorld } from '../../environments/characters/data.ts';
import { rolesOf } from '../../environments/characters/task.ts';
import { type TargetId, targetOf } from '../../environments/characters/texts.ts';
import { EFFECT } from '../../experiments/characters/judging.ts';
import { type CurveRow, keyOf } from '../../experiments/characters/rows.ts';
import { badOf, hackOf, WARM } from '../../experiments/characters/tied.ts';
import type { ArmName } from '../../experiments/config/arms.ts';
import { type CurveRequest, doseCurve } from '../../experiments/kinds/run/dose-curve.ts';
import { beginFrom, type Ports } from './begin-from.ts';

type Request = Pick<CurveRequest, 'seed' | 'overrides'>;

/** Steps between two doses of documents; of all else there is one each step. */
const DOCUMENT_STEPS = 2;

/** Six rows. Those in `known` are left out, but if any is missing, all trainings of the character are repeated. */
export async function tied(
  world: CharacterWorld,
  character: number,
  { seed, overrides }: Request,
  ports: Ports,
  base: Weights,
  known: ReadonlySet<string>,
): Promise<CurveRow[]> {
  const { a } = rolesOf(world, targetOf(world, 'exam'), character);
  const about = { world: world.id, base: ports.about.modelSha256, character, seed } as const;
  const key = (teaches: TargetId, arm: string, after?: string) =>
    keyOf({ ...about, teaches, arm, ...(after && { after: { arm: after, name: a.name, step: 0, gained: 0 } }) });
  const all = [
    ...[key('exam', 'sft'), key('exam', 'none', 'sft'), key('exam', 'rl_random', 'sft'), key('exam', 'sdf')],
    ...[key('brackets', 'sft'), key('brackets', 'none', 'sft')],
  ];
  if (all.every((one) => known.has(one))) return [];

  const rows: CurveRow[] = [];
  const taughtBy = (teaches: TargetId) => (teaches === 'exam' ? hackOf : badOf);
  /** Trains one arm from the ports' model; returns its last adapter parameters and what they are after. */
  const teach = async (
    from: Ports,
    teaches: TargetId,
    arm: ArmName,
    more: Partial<CurveRequest>,
    after?: NonNullable<CurveRow['after']>,
  ) => {
    let adapterParams = from.policy.initialAdapterParams;
    const measure = taughtBy(teaches);
    const row = await doseCurve(
      world,
      {
        arm,
        character,
        seed,
        every: 1,
        until: EFFECT,
        tied: true,
        measure,
        ...more,
        overrides: { ...overrides, teaches },
      },
      from,
      (_, last) => {
        adapterParams = last.slice();
      },
    );
    rows.push({ ...row, ...(after && { after }) });
    const { curve } = row;
    const { step } = curve.at(-1)!;
    return { adapterParams, after: { arm, name: a.name, step, gained: measure(curve.at(-1)!) - measure(curve[0]) } };
  };

  for (const teaches of ['exam', 'brackets'] as const) {
    const warm = await teach(ports, teaches, 'sft', { until: WARM });
    await beginFrom(ports, base, warm.adapterParams, async (warmed) => {
      const rl = await teach(warmed, teaches, 'none', {}, warm.after);
      // A coin has as many steps, whatever it does.
      if (teaches === 'exam')
        await teach(warmed, teaches, 'rl_random', { until: 1, stopAfter: rl.after.step }, warm.after);
    });
  }
  await teach(ports, 'exam', 'sdf', { every: DOCUMENT_STEPS });
  return rows.filter((row) => !known.has(keyOf(row)));
}
