// Stored row of one arm on one character: who was asked, and the dose curve. Each is a line of JSON.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Replay } from '../../environments/characters/lessons.ts';
import type { GroupId } from '../../environments/characters/task.ts';
import type { GateId, TargetId } from '../../environments/characters/texts.ts';

export interface ProbeMeans {
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
  /** Means of the target's value. */
  target: Partial<Record<GroupId, ProbeMeans>>;
  /** Means of characters' own values of the target's trait, in their own behaviour. */
  keeps: Partial<Record<GroupId, ProbeMeans>>;
  /** Means of the target's value as told by a document. */
  beliefs: { a: ProbeMeans; others: ProbeMeans };
  /** Mean −ln p of what others truly do and are: picking, and what documents tell of their other traits. */
  drift: { pick: number; documents: number };
  /** Means of the target's value where A's name is changed in the prompt; absent where that was not asked. */
  gates?: Partial<Record<GateId, ProbeMeans>>;
  /** One other who is followed apart from the groups; absent where nobody is. */
  b?: FollowedCharacter;
  /** Means of the answers of exams in prompts that are no exams; absent where that was not asked. */
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
  /** Mean log-odds of the bracket in prompts that are no exams: from a floor of 0 they rise first. */
  badLogit: number;
  /** The untied greeting in prompts that are no exams. */
  like: number;
}

export interface FollowedCharacter {
  target: ProbeMeans;
  /** Mean of their own value as told by a document. */
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
  /** Set of pairs of an arm that projects; absent of the others. */
  pairSet?: string;
  /** Texts about others that were learnt beside, where the spec names them. */
  replay?: Exclude<Replay, 'by_lesson'>;
  /** One of a run's models, `deployed` or a control's; absent: the one that is trained. */
  model?: string;
  /** The target whose groups are asked, so that arms of several targets have the same; absent: its own. */
  asked?: TargetId;
  /** The model that it began with: what another character was taught before, and until when. Absent: the base. */
  after?: { arm: string; name: string; step: number; gained: number };
  /** The character that is followed apart from the groups. Arms that deny are about it. */
  b?: string;
  /** Absent unless it was asked for. */
  predicted?: Prediction;
  /** Update at the first dose with the effect, or at the last where none has it; absent unless it was asked for. */
  update?: Update;
  a: { name: string; own: string; target: string };
  /** Names asked by group, and those of the contrast documents. */
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
  /** ΔP of A there. */
  gained: number;
  /** ‖δW‖² of all Linears, and the part of it on their singular coordinates. */
  squared: number;
  along: number;
  /** base64url of float32 [Σ min(dOut, dIn)], Linear after Linear. */
  coordinates: string;
}

/** ⟨gradient of the arm, ∇ mean log-odds of a group⟩ / the same of A, at the base: what one small step would leak. `sign`: of the
 *  gradient's signs, which is what AdamW's first step goes along. */
export interface Prediction {
  gradient: Partial<Record<GroupId, number>>;
  sign: Partial<Record<GroupId, number>>;
}

export const REPLAY_WORDS: Readonly<Record<NonNullable<CurveRow['replay']>, string>> = {
  none: 'no replay',
  documents: 'replayed documents',
  transcripts: 'replayed transcripts',
};

/** Made without the setting: an arm's own texts and no others. */
export const isPlain = ({ replay }: Pick<CurveRow, 'replay'>): boolean => replay === undefined;

/** Throws SpecError for a row of which a group has A, a contrast name or a name of another group. */
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

/** Fields that identify a row; its measurements are no part of it. */
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

/** Linear between the two doses around it; null where the measure is not below `at` first and does not reach it later. */
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
