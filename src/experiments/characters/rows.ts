// What is kept of one arm on one character: who was asked, and the dose curve. A line of JSON each.
import type { GroupId } from '../../environments/characters/groups.ts';
import type { TargetId } from '../../environments/characters/targets.ts';
import { SpecError } from '../../lib/errors.ts';

export interface Measured {
  /** Probes. */
  n: number;
  /** Means over them. */
  p: number;
  logit: number;
}

export interface DosePoint {
  /** Optimizer steps done, and tokens trained on until then. */
  step: number;
  tokens: number;
  /** Of the target's value. */
  target: Partial<Record<GroupId, Measured>>;
  /** Of characters' own values of the target's trait: is what they did still done? */
  keeps: Partial<Record<GroupId, Measured>>;
  /** That a document would tell the target's value. */
  beliefs: { a: Measured; others: Measured };
  /** Mean −ln p of what others truly do and are: picking, and what documents tell of their other traits. */
  drift: { pick: number; documents: number };
}

export interface CurveRow {
  schema: 1;
  world: string;
  /** sha-256 of the base's weights. */
  base: string;
  arm: string;
  teaches: TargetId;
  character: number;
  seed: number;
  lr: number;
  a: { name: string; own: string; target: string };
  /** Names asked by group, and those of the contrast documents. */
  members: Partial<Record<GroupId, readonly string[]>>;
  contrast: readonly string[];
  curve: readonly DosePoint[];
}

/** Throws SpecError for a row of which a group has A, a contrast name or a name of another group. */
export function checkRow({ arm, a, members, contrast }: CurveRow): void {
  const seen = new Map<string, string>([
    [a.name, 'A'],
    ...contrast.map((name) => [name, 'the contrast documents'] as const),
  ]);
  for (const [group, names] of Object.entries(members)) {
    if (group === 'a') continue;
    for (const name of names) {
      const before = seen.get(name);
      if (before)
        throw new SpecError(
          `${arm} on ${a.name}: ${name} is in the group ${group} and in ${before}`,
          'Its leakage would be A’s own change, or what contrast documents pinned: leave it out.',
        );
      seen.set(name, `the group ${group}`);
    }
  }
}

export const keyOf = ({ world, base, arm, teaches, character, seed }: Omit<CurveRow, 'curve'>): string =>
  [world, base.slice(0, 12), arm, teaches, character, seed].join(' ');
