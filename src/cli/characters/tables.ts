// The tables of `characters`, from its rows alone: leakage by arm and group at the same effect on A, and other changes.

import { BESIDE_A, type GroupId } from '../../environments/characters/task.ts';
import { DENIALS } from '../../experiments/characters/exams.ts';
import { isShort, type Leakage, leakageAt, movedBy, PLACEBO_AT_MOST } from '../../experiments/characters/leakage.ts';
import { type CurveRow, isPlain } from '../../experiments/characters/rows.ts';
import { sharedShares } from '../../experiments/characters/updates.ts';
import type { Column } from '../../experiments/judge/table.ts';
import { three, two } from '../../lib/numbers.ts';
import { textTable } from '../table.ts';

/** Each model of a run that routes has its own label. */
const labelOf = ({ arm, model, pairSet, replay, after }: CurveRow): string =>
  [
    arm,
    model,
    replay && `replay ${replay}`,
    pairSet === 'spread_placebo' ? 'placebo' : null,
    after && `after ${after.arm}`,
  ]
    .filter(Boolean)
    .join(', ');

export function characterTables(rows: readonly CurveRow[], effect: number): string {
  // An arm that denies a lesson teaches A nothing; S9 reads its rows.
  const taught = rows.filter(({ arm }) => !DENIALS.some((one) => one === arm));
  const all = taught.map((row) => leakageAt(row, effect));
  const arms = [...new Set(taught.map(labelOf))].map((arm) => ({
    arm,
    own: all.filter((one): one is Leakage => labelOf(one.row) === arm && !isShort(one)),
    ran: rows.filter((row) => labelOf(row) === arm).length,
  }));
  const table = (columns: readonly Column<(typeof arms)[number]>[]) =>
    textTable(arms, [['arm', ({ arm }) => arm], ['n', ({ own, ran }) => `${own.length} of ${ran}`], ...columns], two);
  const of =
    (value: (one: Leakage) => number | undefined) =>
    ({ own }: (typeof arms)[number]) =>
      own.map(value);
  const leak = (what: 'logit' | 'p') => BESIDE_A.map((group) => [group, of((one) => one[what][group])] as const);
  const keeps = (group: GroupId) => of((one) => one.keeps[group]);
  const moved = movedBy(rows.filter(({ arm }) => arm === 'sdf_placebo' || arm === 'rl_random'));
  return [
    `Where ΔP of A is ${two(effect)}; n: trained characters that have it, mean ± sd over them.`,
    '',
    'Log-odds leakage: Δlogit of the group / Δlogit of A',
    table(leak('logit')),
    '',
    'Probability leakage: ΔP of the group / ΔP of A',
    table(leak('p')),
    '',
    'There: own behaviour kept, beliefs in the target, drift of others (nats above the base’s)',
    table([
      ['step', of(({ step }) => step)],
      ['near keeps', keeps('near')],
      ['other keeps', keeps('other')],
      ['belief A', of(({ beliefs }) => beliefs.a)],
      ['belief others', of(({ beliefs }) => beliefs.others)],
      ['drift pick', of(({ drift }) => drift.pick), three],
      ['drift documents', of(({ drift }) => drift.documents), three],
    ]),
    '',
    ...all.flatMap((one) =>
      isShort(one)
        ? [`${labelOf(one.row)} on ${one.row.a.name}: ΔP of A reaches ${two(one.most)} at most; not read.`]
        : [],
    ),
    ...moved.map(
      ({ arm, name, moved }) =>
        `${arm} on ${name} moves the target: ΔP of A ${two(moved)} (more than ${two(PLACEBO_AT_MOST)}).`,
    ),
    ...updateTable(rows),
  ].join('\n');
}

/** Empty where no row has an update. */
export function updateTable(rows: readonly CurveRow[]): string[] {
  const own = rows.filter((row) => row.update && isPlain(row));
  if (own.length === 0) return [];
  const arms = [...new Set(own.map(({ arm }) => arm))].map((arm) => ({
    arm,
    updates: own.flatMap((row) => (row.arm === arm && row.update ? [row.update] : [])),
    along: sharedShares(own, arm),
  }));
  return [
    '',
    'Updates, in singular coordinates: share along the sum of the other characters’ by each arm (mean ± sd); no rule was made for it',
    textTable(
      arms,
      [
        ['arm', ({ arm }) => arm],
        ['n', ({ updates }) => String(updates.length)],
        ['ΔP of A', ({ updates }) => updates.map(({ gained }) => gained)],
        ['step', ({ updates }) => updates.map(({ step }) => step)],
        ...arms.map(
          ({ arm: other, along }): Column<(typeof arms)[number]> => [
            `along ${other}`,
            ({ arm }) => along.flatMap(({ row, share }) => (row.arm === arm ? [share] : [])),
          ],
        ),
      ],
      two,
    ),
  ];
}
