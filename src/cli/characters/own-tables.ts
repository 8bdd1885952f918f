// The tables of `characters --spec`, from its rows alone: every dose, and leakage where A has the effect. One character is one unit, so
// that there is no interval and no verdict.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { GROUPS } from '../../environments/characters/task.ts';
import { isShort, leakageAt, movedBy, PLACEBO_AT_MOST } from '../../experiments/characters/leakage.ts';
import type { OwnRow } from '../../experiments/characters/own/rows.ts';
import { three, two } from '../../lib/numbers.ts';
import { renderTable } from '../table.ts';

const ASKED = GROUPS.filter((group) => group !== 'novel');

/** Throws SpecError for rows of several specs, models or settings. */
export function ownTables(rows: readonly OwnRow[], effect: number): string {
  if (new Set(rows.map(({ made }) => made)).size > 1)
    throw new SpecError(
      'the rows are of several models, specs or settings',
      'Read one file of characters --spec --out.',
    );
  const [{ a, target, members }] = rows;
  const sizes = GROUPS.flatMap((group) => {
    const ids = members[group] ?? [];
    return ids.length > 0 ? [`${group}: ${ids.join(', ')}`] : [];
  });
  const groups = ASKED.filter((group) => rows[0].curve[0].target[group]);
  const probeCounts = groups.map((group) => `${group} ${rows[0].curve[0].target[group]!.n}`).join(', ');
  return [
    `A: ${a.name}. Target: ${target}. ${sizes.join('; ')}; noname: no system prompt. Probes: ${probeCounts}.`,
    ...rows.flatMap((row) => ['', nameOf(row), doses(row, groups)]),
    '',
    ...leakage(rows, effect),
  ].join('\n');
}

const nameOf = ({ arm, adapter, lr, seed, steps, isWhole }: OwnRow): string =>
  `${arm}, ${adapter}, lr ${lr}, seed ${seed}, ${steps} steps${isWhole ? '' : ' (stopped before its end)'}: log-odds of the target (P)`;

function doses({ curve }: OwnRow, groups: readonly (typeof ASKED)[number][]): string {
  const kept = groups.filter((group) => curve[0].keeps[group]);
  return renderTable(
    [
      ...['step', 'tokens', ...groups, ...kept.map((group) => `${group} keeps`)],
      ...['belief A', 'belief others', 'drift', 'reward', 'loss'],
    ],
    curve.map(({ step, tokens, target, keeps, beliefs, drift, reward, loss }) => [
      ...[String(step), String(tokens)],
      ...groups.map((group) => `${two(target[group]!.logit)} (${two(target[group]!.p)})`),
      ...kept.map((group) => two(keeps[group]!.p)),
      ...[two(beliefs.a.p), two(beliefs.others.p), three(drift.texts), two(reward), two(loss)],
    ]),
    () => true,
  );
}

/** Leakage where A has the effect; an arm that never has it is named and left out. */
function leakage(rows: readonly OwnRow[], effect: number): string[] {
  const all = rows.map((row) => leakageAt(row, effect));
  const groups = ASKED.filter((group) => group !== 'a' && rows[0].curve[0].target[group]);
  const read = all.flatMap((one) => (isShort(one) ? [] : [one]));
  const moved = movedBy(rows.filter(({ arm }) => arm === 'rl_random'));
  return [
    ...(read.length === 0
      ? []
      : [
          `Where ΔP of A is ${two(effect)}: log-odds leakage, Δlogit of the group / Δlogit of A (ΔP / ΔP); 1 character, ${read.length} of ${rows.length} runs`,
          renderTable(
            ['arm', 'seed', 'step', ...groups, 'belief A', 'belief others', 'drift above the base’s'],
            read.map(({ row, step, logit, p, beliefs, drift }) => [
              ...[row.arm, String(row.seed), step.toFixed(1)],
              ...groups.map((group) => `${two(logit[group])} (${two(p[group])})`),
              ...[two(beliefs.a), two(beliefs.others), three(drift.texts)],
            ]),
            () => true,
          ),
        ]),
    ...all.flatMap((one) =>
      isShort(one)
        ? [
            `${one.row.arm}, seed ${one.row.seed}: ΔP of A reaches ${two(one.most)} at most; not read at ${two(effect)}.`,
          ]
        : [],
    ),
    ...moved.map(
      ({ arm, moved }) => `${arm} moves the target: ΔP of A ${two(moved)} (more than ${two(PLACEBO_AT_MOST)}).`,
    ),
  ];
}
