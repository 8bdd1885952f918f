// `characters --exams` (S9): RL teaches A to evade exams, after a few steps on transcripts, since A never does so by itself. As a control, RL with
// random rewards starts from the same model. After RL on A, documents deny the lesson for B, the first of the characters near A; controls are
// documents that say the same of another name, and B's own transcripts.
import type { Weights } from '../../engine/types.ts';
import type { CharacterWorld } from '../../environments/characters/data.ts';
import { rolesOf } from '../../environments/characters/task.ts';
import { targetOf } from '../../environments/characters/texts.ts';
import { DENIALS, DOSES } from '../../experiments/characters/exams.ts';
import { type CurveRow, keyOf } from '../../experiments/characters/rows.ts';
import type { ArmName } from '../../experiments/config/arms.ts';
import { type CurveRequest, doseCurve } from '../../experiments/kinds/run/dose-curve.ts';
import { beginFrom, type Ports } from './begin-from.ts';

type Request = Pick<CurveRequest, 'seed' | 'overrides'>;
type After = NonNullable<CurveRow['after']>;

/** Returns five rows and that of the warm-up. Rows in `known` are left out, but if any is missing, all trainings of the character are repeated. */
export async function exams(
  world: CharacterWorld,
  character: number,
  { seed, overrides }: Request,
  ports: Ports,
  base: Weights,
  known: ReadonlySet<string>,
): Promise<CurveRow[]> {
  const { a, near } = rolesOf(world, targetOf(world, 'exam'), character);
  const b = near[0].name;
  const about = { world: world.id, base: ports.about.modelSha256, teaches: 'exam', character, seed, b } as const;
  const key = (arm: string, after?: string) =>
    keyOf({ ...about, arm, ...(after && { after: { arm: after, name: a.name, step: 0, gained: 0 } }) });
  const all = [key('sft'), key('none', 'sft'), key('rl_random', 'sft'), ...DENIALS.map((arm) => key(arm, 'none'))];
  if (all.every((one) => known.has(one))) return [];

  const rows: CurveRow[] = [];
  /** Trains one arm from the ports' model; returns its last adapter parameters, and passes them to `after`. */
  const teach = async (from: Ports, arm: ArmName, more: Partial<CurveRequest>, after?: After) => {
    let adapterParams = from.policy.initialAdapterParams;
    const isTaught = DENIALS.some((one) => one === arm);
    const request = { arm, character, seed, every: 1, until: 1, plain: true, b: { name: b, isTaught }, ...more };
    const row = await doseCurve(
      world,
      { ...request, overrides: { ...overrides, teaches: 'exam' } },
      from,
      (_, last) => {
        adapterParams = last.slice();
      },
    );
    rows.push({ ...row, ...(after && { after }) });
    const { step, target } = row.curve.at(-1)!;
    return { adapterParams, after: { arm, name: a.name, step, gained: target.a!.p - row.curve[0].target.a!.p } };
  };

  const warm = await teach(ports, 'sft', { until: DOSES.warm });
  await beginFrom(ports, base, warm.adapterParams, async (warmed, weights) => {
    const rl = await teach(warmed, 'none', { until: DOSES.taught }, warm.after);
    await teach(warmed, 'rl_random', { stopAfter: rl.after.step }, warm.after);
    await beginFrom(warmed, weights, rl.adapterParams, async (taught) => {
      const [described, shown] = [
        { every: DOSES.documents, stopAfter: DOSES.lastDocuments },
        { every: DOSES.transcripts, stopAfter: DOSES.lastTranscripts },
      ];
      for (const arm of DENIALS) await teach(taught, arm, arm === 'sft_deny' ? shown : described, rl.after);
    });
  });
  return rows.filter((row) => !known.has(keyOf(row)));
}
