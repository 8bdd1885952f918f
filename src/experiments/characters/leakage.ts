// Leakage from a dose curve: once A's probability of the target has risen by the given effect, how much has each group's risen? Values between
// two doses are interpolated, and never extrapolated beyond the last one. Two arms are compared only at the same effect and on the same
// characters.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { GROUPS, type GroupId } from '../../environments/characters/task.ts';
import { GATES, type GateId } from '../../environments/characters/texts.ts';
import { pairedT } from '../../stats/index.ts';
import { type CurveRow, checkRow, type DosePoint, interpolatedAt } from './rows.ts';

/** A row with a dose curve: a CurveRow, or a row of a user's own characters (own/rows.ts). */
export interface Dosed extends Pick<CurveRow, 'members' | 'contrast' | 'b'> {
  arm: string;
  a: { name: string };
  curve: readonly (Omit<DosePoint, 'drift'> & { drift: Readonly<Record<string, number>> })[];
}

export interface Leakage<R extends Dosed = CurveRow> {
  row: R;
  effect: number;
  /** Optimizer step, interpolated between doses. */
  step: number;
  /** Δlogit of the group / Δlogit of A, and ΔP / ΔP; both are 1 for A. */
  logit: Partial<Record<GroupId, number>>;
  p: Partial<Record<GroupId, number>>;
  /** Δlogit with A's name changed / Δlogit of A; empty if not measured. */
  gates: Partial<Record<GateId, number>>;
  /** Probability that other characters keep their own value, by group, at that dose. */
  keeps: Partial<Record<GroupId, number>>;
  beliefs: { a: number; others: number };
  /** Rise of the beliefs in log-odds. */
  beliefRise: { a: number; others: number };
  /** Nats above the base's value. */
  drift: R['curve'][number]['drift'];
}

/** A character whose arm never reached the effect, with the most that it reached; it is named, not extrapolated. */
export interface Short<R extends Dosed = CurveRow> {
  row: R;
  effect: number;
  most: number;
}

export const isShort = <R extends Dosed>(one: Leakage<R> | Short<R>): one is Short<R> => 'most' in one;

/** Throws SpecError for an invalid row (checkRow) or an effect outside (0, 1). */
export function leakageAt<R extends Dosed>(row: R, effect: number): Leakage<R> | Short<R> {
  checkRow(row);
  if (!(effect > 0 && effect < 1)) throw new SpecError(`an effect of ${effect}`, 'Give a share between 0 and 1.');
  const [base] = row.curve;
  type Point = Dosed['curve'][number];
  const gained = (point: Point) => point.target.a!.p - base.target.a!.p;
  const at = interpolatedAt(row.curve, gained, effect);
  if (!at) return { row, effect, most: Math.max(...row.curve.map(gained)) };
  const above = (of: (point: Point) => number) => at(of) - of(base);
  const each = (of: (group: GroupId) => number | null): Partial<Record<GroupId, number>> =>
    Object.fromEntries(
      GROUPS.flatMap((group) => {
        const value = of(group);
        return value === null ? [] : [[group, value]];
      }),
    );
  const ratio = (what: 'p' | 'logit') => {
    const own = above((point) => point.target.a![what]);
    return each((group) => (base.target[group] ? above((point) => point.target[group]![what]) / own : null));
  };
  const gate = (id: GateId) =>
    above((point) => point.gates?.[id]?.logit ?? Number.NaN) / above((point) => point.target.a!.logit);
  return {
    gates: Object.fromEntries(GATES.filter((id) => base.gates?.[id]).map((id) => [id, gate(id)])),
    row,
    effect,
    step: at(({ step }) => step),
    logit: ratio('logit'),
    p: ratio('p'),
    keeps: each((group) => (base.keeps[group] ? at((point) => point.keeps[group]!.p) : null)),
    beliefs: { a: at(({ beliefs }) => beliefs.a.p), others: at(({ beliefs }) => beliefs.others.p) },
    beliefRise: { a: above(({ beliefs }) => beliefs.a.logit), others: above(({ beliefs }) => beliefs.others.logit) },
    drift: Object.fromEntries(Object.keys(base.drift).map((what) => [what, above(({ drift }) => drift[what])])),
  };
}

/** Log-odds leakage of a group, one − other, over the characters that both arms have. Throws SpecError where effects, worlds, bases or
 *  targets differ. */
export const leakageDifference = (one: readonly Leakage[], other: readonly Leakage[], group: GroupId) =>
  compared(one, other, group, false);

/** The same across several targets or adapters, paired by name. Throws SpecError where effects, worlds or bases differ, or where the group has
 *  other members. */
export const differenceAcross = (one: readonly Leakage[], other: readonly Leakage[], group: GroupId) =>
  compared(one, other, group, true);

function compared(one: readonly Leakage[], other: readonly Leakage[], group: GroupId, isAcross: boolean) {
  const kindOf = ({ row, effect }: Leakage) => [row.world, row.base, ...(isAcross ? [] : [row.a.target]), effect];
  const kinds = new Set([...one, ...other].map((own) => kindOf(own).join(' at ')));
  if (kinds.size > 1)
    throw new SpecError(
      `leakage at different doses: ${[...kinds].join('; ')}`,
      `Compare arms in one world and base, ${isAcross ? '' : 'towards one target, '}at one effect on A.`,
    );
  const who = ({ a, character }: CurveRow) => (isAcross ? a.name : character);
  const pairs = one.flatMap((a) => {
    const b = other.find(({ row }) => who(row) === who(a.row) && row.seed === a.row.seed);
    const [x, y] = [a.logit[group], b?.logit[group]];
    if (!b || x === undefined || y === undefined) return [];
    const [mine, theirs] = [a, b].map(({ row }) => (row.members[group] ?? []).join(' '));
    if (isAcross && mine !== theirs)
      throw new SpecError(
        `${a.row.arm} and ${b.row.arm} on ${a.row.a.name} have asked others in the group ${group}`,
        'Ask the groups of one target: lab characters --asked.',
      );
    return [{ name: a.row.a.name, difference: x - y }];
  });
  return { pairs, paired: pairs.length > 1 ? pairedT(pairs.map(({ difference }) => difference)) : null };
}

/** The arms, each restricted to characters that reached the effect under all of them. */
export const sharedBy = <Arm extends { reached: readonly Leakage[] }>(arms: readonly Arm[]) =>
  arms.map((arm) => ({
    ...arm,
    reached: arm.reached.filter(({ row }) =>
      arms.every(({ reached }) => reached.some((one) => one.row.a.name === row.a.name)),
    ),
  }));

/** Most change in A's probability that a placebo may cause, at any of its doses. */
export const PLACEBO_AT_MOST = 0.1;

/** Returns the placebo rows that move the target, which a report must mention. */
export function movedBy(
  placebos: readonly Pick<Dosed, 'arm' | 'a' | 'curve'>[],
): { name: string; arm: string; moved: number }[] {
  return placebos.flatMap(({ curve, a, arm }) => {
    const moves = curve.map(({ target }) => target.a!.p - curve[0].target.a!.p);
    const moved = moves.reduce((most, x) => (Math.abs(x) > Math.abs(most) ? x : most), 0);
    return Math.abs(moved) > PLACEBO_AT_MOST ? [{ name: a.name, arm, moved }] : [];
  });
}
