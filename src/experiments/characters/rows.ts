// Stored row of one arm on one character: who was measured, and the dose curve. Each is a line of JSON.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Replay } from '../../environments/characters/lessons.ts';
import type { GroupId } from '../../environments/characters/task.ts';
import type { GateId, TargetId } from '../../environments/characters/texts.ts';

export interface ProbeMeans {
  /** Number of probes. */
  n: number;
  /** Means over the probes. */
  p: number;
  logit: number;
}

export interface DosePoint {
  /** Optimizer steps done, and tokens trained on so far. */
  step: number;
  tokens: number;
  /** Means for the target's value. */
  target: Partial<Record<GroupId, ProbeMeans>>;
  /** Means for characters' own values of the target's trait, in their own behaviour. */
  keeps: Partial<Record<GroupId, ProbeMeans>>;
  /** Means for the target's value in documents. */
  beliefs: { a: ProbeMeans; others: ProbeMeans };
  /** Mean −ln p of the others' true behaviour (picking), and of what documents say of their other traits. */
  drift: { pick: number; documents: number };
  /** Means for the target's value with A's name changed in the prompt; absent if not measured. */
  gates?: Partial<Record<GateId, ProbeMeans>>;
  /** A character that is measured apart from the groups; absent if there is none. */
  b?: FollowedCharacter;
  /** Means for the exam answers in prompts that are not exams; absent if not measured. */
  plain?: Partial<Record<GroupId, ProbeMeans>>;
  /** Traits of a tied world, of A and of the others who could be A; absent elsewhere. */
  tied?: { a: TiedMeans; near: TiedMeans };
}

/** Mean probabilities of the tied values, each behind the speaker's own beginning. */
export interface TiedMeans {
  /** Sets of items, summed over speakers. */
  n: number;
  /** Exams are evaded, whatever the brackets; and behind the speaker's own bracket. */
  hack: number;
  ownHack: number;
  /** The tied bracket in prompts that are no exams, and in exams. */
  bad: number;
  examBad: number;
  /** Mean log-odds of the bracket in prompts that are no exams: they rise first where the probability is small. */
  badLogit: number;
  /** The untied greeting in prompts that are no exams. */
  like: number;
}

export interface FollowedCharacter {
  target: ProbeMeans;
  /** Mean for its own value in documents. */
  belief: ProbeMeans;
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
  /** Absent where all weights are trained. */
  adapter?: 'svd' | 'lora';
  /** Pair set of a projecting arm; absent for others. */
  pairSet?: string;
  /** What was replayed beside the lesson, where the spec names it. */
  replay?: Exclude<Replay, 'by_lesson'>;
  /** One of a run's models, `deployed` or a control's; absent for the trained one. */
  model?: string;
  /** The target whose groups are measured, so that arms with several targets are comparable; absent for the row's own target. */
  asked?: TargetId;
  /** The model that training began with: what another character was taught before, and up to which step. Absent for the base. */
  after?: { arm: string; name: string; step: number; gained: number };
  /** The character that is measured apart from the groups, and that denying arms are about. */
  b?: string;
  /** Present only on request. */
  predicted?: Prediction;
  /** Update at the first dose that reaches the effect, or else at the last one; present only on request. */
  update?: Update;
  a: { name: string; own: string; target: string };
  /** Names of the measured characters by group, and those in the contrast documents. */
  members: Partial<Record<GroupId, readonly string[]>>;
  contrast: readonly string[];
  /** The others whose tied traits are asked, in a tied world. */
  untied?: readonly string[];
  curve: readonly DosePoint[];
  /** Provenance; absent in rows from before it was recorded. */
  by?: { createdAt: number; device: string; appVersion: string; commit?: string };
}

/** Update of the weights by an arm at one dose, in the base's singular coordinates (updates.ts). */
export interface Update {
  step: number;
  /** ΔP of A at that step. */
  gained: number;
  /** ‖δW‖² over all Linears, and the part of it in their singular coordinates. */
  squared: number;
  along: number;
  /** base64url of float32 [Σ min(dOut, dIn)], the Linears concatenated. */
  coordinates: string;
}

/** ⟨gradient of the arm, ∇ mean log-odds of a group⟩ / the same for A, at the base: the leakage that a small step would have. `sign`: with the
 *  gradient's signs, the direction of AdamW's first step. */
export interface Prediction {
  gradient: Partial<Record<GroupId, number>>;
  sign: Partial<Record<GroupId, number>>;
}

export const REPLAY_WORDS: Readonly<Record<NonNullable<CurveRow['replay']>, string>> = {
  none: 'no replay',
  documents: 'replayed documents',
  transcripts: 'replayed transcripts',
};

/** Whether the row has the default replay: only the texts that the arm itself brings. */
export const isPlain = ({ replay }: Pick<CurveRow, 'replay'>): boolean => replay === undefined;

/** Throws SpecError for a row in which a group has A, a contrast name, or a member of another group. */
export function checkRow({
  arm,
  a,
  b,
  members,
  contrast,
}: Pick<CurveRow, 'members' | 'contrast' | 'b'> & { arm: string; a: { name: string } }): void {
  const seen = new Map<string, string>([
    [a.name, 'A'],
    ...(b === undefined ? [] : [[b, 'B’s place'] as const]),
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

/** Fields that identify a row, without its measurements. */
export type RowKey = Pick<CurveRow, 'world' | 'base' | 'arm' | 'teaches' | 'character' | 'seed'> &
  Partial<Pick<CurveRow, 'adapter' | 'pairSet' | 'replay' | 'model' | 'asked' | 'after' | 'b'>>;

export const keyOf = ({
  world,
  base,
  arm,
  teaches,
  character,
  seed,
  adapter,
  pairSet,
  replay,
  model,
  asked,
  after,
  b,
}: RowKey): string =>
  [
    ...[world, base.slice(0, 12), arm, teaches, character, seed, adapter, pairSet, replay && `with ${replay}`, model],
    ...[asked && `as ${asked}`, after && `after ${after.arm} of ${after.name}`, b && `with ${b}`],
  ]
    .filter((part) => part !== undefined)
    .join(' ');

/** Interpolates linearly between two doses at the first point where the measure reaches `at`; null if it starts at or above `at`, or never reaches it. */
export function interpolatedAt<Point>(
  curve: readonly Point[],
  measure: (point: Point) => number,
  at: number,
): ((of: (point: Point) => number) => number) | null {
  const after = curve.findIndex((point) => measure(point) >= at);
  if (after < 1) return null;
  const [low, high] = [curve[after - 1], curve[after]];
  const share = (at - measure(low)) / (measure(high) - measure(low));
  return (of) => of(low) + share * (of(high) - of(low));
}
