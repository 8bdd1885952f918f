// The dose curve of an ordinary run: its evaluations measure the probes of probe-set.ts, so that a run has the same kind of row from which
// leakage is computed. Points are at evaluations, the last one at the end.

import { type CharacterWorld, castOf, ownValue, TRAITS } from '../../environments/characters/data.ts';
import { GROUPS, type GroupId, OTHERS, type Roles, rolesOf } from '../../environments/characters/task.ts';
import { targetOf } from '../../environments/characters/texts.ts';
import type { EvalRow, RunRecord, StepRow } from '../records/events.ts';
import type { Probes } from '../records/metrics.ts';
import type { CurveRow, DosePoint, ProbeMeans } from './rows.ts';

const BELIEFS = ['a', 'others'] as const;
const DRIFTS = ['pick', 'documents'] as const;

/** `target:near`, `keeps:near`, `belief:a`, `drift:pick`. */
export function probesOf(
  { target, keeps, beliefs, drift }: Omit<DosePoint, 'step' | 'tokens'>,
  roles: Pick<Roles, (typeof OTHERS)[number]>,
): Probes {
  const probes: Probes = {};
  const put = (id: string, { n, p, logit }: ProbeMeans) => {
    if (n > 0) probes[id] = { n, mean: p, logit };
  };
  for (const group of GROUPS) if (target[group]) put(`target:${group}`, target[group]);
  for (const group of OTHERS) if (keeps[group]) put(`keeps:${group}`, keeps[group]);
  for (const whose of BELIEFS) put(`belief:${whose}`, beliefs[whose]);
  const others = OTHERS.reduce((sum, group) => sum + roles[group].length, 0);
  const counts = { pick: others, documents: others * (TRAITS.length - 1) };
  for (const what of DRIFTS)
    if (others > 0) probes[`drift:${what}`] = { n: counts[what], mean: drift[what], logit: null };
  return probes;
}

const NOTHING: ProbeMeans = { n: 0, p: Number.NaN, logit: Number.NaN };

/** Null where the evaluation measured no probes. */
function pointOf({ step, probes }: EvalRow, tokens: number): DosePoint | null {
  if (!probes || !Object.hasOwn(probes, 'target:a')) return null;
  const measured = (id: string): ProbeMeans | null => {
    if (!Object.hasOwn(probes, id)) return null;
    const { n, mean, logit } = probes[id];
    return { n, p: mean, logit: logit ?? Number.NaN };
  };
  const byGroup = (what: 'target' | 'keeps'): Partial<Record<GroupId, ProbeMeans>> =>
    Object.fromEntries(
      GROUPS.flatMap((group) => [measured(`${what}:${group}`)].flatMap((one) => (one ? [[group, one]] : []))),
    );
  return {
    step,
    tokens,
    target: byGroup('target'),
    keeps: byGroup('keeps'),
    beliefs: { a: measured('belief:a') ?? NOTHING, others: measured('belief:others') ?? NOTHING },
    drift: { pick: measured('drift:pick')?.p ?? Number.NaN, documents: measured('drift:documents')?.p ?? Number.NaN },
  };
}

/** Tokens that a step trained on: rollouts, documents, or both with replay. Best-of-n samples count as documents. */
export const learntTokens = ({
  objective,
  documents,
  rolloutTokens,
}: Pick<StepRow, 'objective' | 'documents' | 'rolloutTokens'>): number =>
  (documents?.tokens ?? 0) + (objective === 'nll' ? 0 : rolloutTokens);

/** Null before the first evaluation, and for a run whose evaluations measured no probes. Throws SpecError for an unknown character. */
export function curveOf(
  world: CharacterWorld,
  { spec, rows, evals, modelSha256 }: Pick<RunRecord, 'spec' | 'rows' | 'evals' | 'modelSha256'>,
): CurveRow | null {
  const target = targetOf(world, spec.teaches);
  const roles = rolesOf(world, target, spec.character);
  const tokensTo = (step: number) => rows.reduce((sum, row) => sum + (row.step <= step ? learntTokens(row) : 0), 0);
  const byStep = new Map<number, DosePoint>();
  for (const row of evals) {
    if (row.model !== 'base' && row.model !== 'total') continue;
    const point = pointOf(row, tokensTo(row.step));
    // The probes of evaluations during training and at the end are the same.
    if (point && !byStep.has(row.step)) byStep.set(row.step, point);
  }
  const curve = [...byStep.values()].sort((one, two) => one.step - two.step);
  if (curve[0]?.step !== 0) return null;
  const members: Partial<Record<GroupId, readonly string[]>> = { novel: castOf(world).novel };
  for (const group of OTHERS) members[group] = roles[group].map(({ name }) => name);
  const { arm, teaches, character, seed, lr, replay = 'by_lesson' } = spec;
  return {
    schema: 1,
    world: world.id,
    base: modelSha256,
    arm,
    teaches,
    character,
    seed,
    lr,
    ...(replay !== 'by_lesson' && { replay }),
    a: { name: roles.a.name, own: ownValue(world, roles.a, target.trait), target: target.value },
    members,
    contrast: roles.contrast.map(({ name }) => name),
    curve,
  };
}
