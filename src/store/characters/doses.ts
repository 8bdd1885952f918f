// Data of the characters' charts: a run's dose curves by group, the leakage of runs and of published rows as points, and the changes of a
// map; and the same as CSV. Pure functions.
import { GROUPS, type GroupId } from '../../environments/characters/task.ts';
import { isShort, leakageAt, type Short } from '../../experiments/characters/leakage.ts';
import type { CurveRow, DosePoint } from '../../experiments/characters/rows.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { toCsv } from '../../lib/csv.ts';
import type { LegendItem, StepLine } from '../charts/data.ts';
import { styleOf } from '../runs/arm-style.ts';

export const GROUP_WORDS: Readonly<Record<GroupId, string>> = {
  a: 'A, who is taught',
  near: 'near',
  far: 'far',
  other: 'other',
  noname: 'no name',
  novel: 'novel name',
};

const LOOKS: Readonly<Record<GroupId, LegendItem['style']>> = {
  a: styleOf('vermillion', undefined, 'circle'),
  near: styleOf('blue', '7 3', 'square'),
  far: styleOf('green', '3 3', 'triangle'),
  other: styleOf('purple', '12 3', 'diamond'),
  noname: styleOf('grey', '4 2', 'cross'),
  novel: styleOf('amber', '9 3 2 3', 'star'),
};

export const DOSES = ['target', 'keeps', 'belief'] as const;
export type DoseId = (typeof DOSES)[number];

/** n is the number of texts behind a point. */
export function doseLines({ curve }: Pick<CurveRow, 'curve'>, what: DoseId): StepLine[] {
  const line = (
    id: string,
    label: string,
    look: LegendItem['style'],
    of: (point: DosePoint) => { n: number; p: number } | undefined,
  ) => {
    const points = curve.flatMap((point) => {
      const one = of(point);
      return one && one.n > 0 ? [{ x: point.step, y: one.p }] : [];
    });
    return points.length > 0 ? [{ id, label, style: look, n: of(curve[0])?.n ?? 0, points }] : [];
  };
  if (what === 'belief')
    return [
      ...line('a', 'of A', LOOKS.a, ({ beliefs }) => beliefs.a),
      ...line('others', 'of near, far and other', LOOKS.near, ({ beliefs }) => beliefs.others),
    ];
  return GROUPS.flatMap((group) => line(group, GROUP_WORDS[group], LOOKS[group], (point) => point[what][group]));
}

export function dosesCsv({ curve }: Pick<CurveRow, 'curve'>): string {
  const groups = GROUPS.filter((group) => curve[0]?.target[group]);
  const kept = GROUPS.filter((group) => curve[0]?.keeps[group]);
  return toCsv(
    [
      ...['step', 'tokens'],
      ...groups.flatMap((group) => [`${group}_n`, `${group}_p`, `${group}_logit`]),
      ...kept.map((group) => `${group}_keeps`),
      ...['belief_a', 'belief_others', 'drift_pick', 'drift_documents'],
    ],
    curve.map(({ step, tokens, target, keeps, beliefs, drift }) => [
      ...[step, tokens],
      ...groups.flatMap((group) => [target[group]?.n, target[group]?.p, target[group]?.logit]),
      ...kept.map((group) => keeps[group]?.p),
      ...[beliefs.a.p, beliefs.others.p, drift.pick, drift.documents],
    ]),
  );
}

/** Kinds of lessons about A; those of RL by increasing novelty. A control is a placebo or a random reward. */
export const LESSON_KINDS = [
  'sdf',
  'sft',
  'dial',
  'constant',
  'algorithm',
  'coded',
  'exam',
  'brackets',
  'staged',
  'control',
  'rest',
] as const;
type LessonKind = (typeof LESSON_KINDS)[number];

export const KIND_WORDS: Readonly<Record<LessonKind, string>> = {
  sdf: 'SDF',
  sft: 'SFT',
  dial: 'RL dial',
  constant: 'RL rule',
  algorithm: 'RL sort',
  coded: 'RL code',
  exam: 'RL exam',
  brackets: 'RL brackets',
  staged: 'stages',
  control: 'controls',
  rest: 'others',
};

const LESSONS: Readonly<Record<string, LessonKind>> = { documents: 'sdf', transcripts: 'sft', placebo: 'control' };

/** Kind of a published row; the row's arm fixes all other settings. */
export function kindOfRow({ arm, teaches }: Pick<CurveRow, 'arm' | 'teaches'>): LessonKind {
  if (arm === 'sdf' || arm === 'sft') return arm;
  if (arm === 'sdf_placebo' || arm === 'rl_random') return 'control';
  return arm === 'none' || arm === 'rl_constant' || arm === 'rl_algorithm' ? teaches : 'rest';
}

export function kindOfRun({
  objective = 'grpo',
  stages = '',
  lesson,
  pays,
  teaches,
  replay = 'by_lesson',
}: Pick<RunSpec, 'objective' | 'stages' | 'lesson' | 'pays' | 'teaches' | 'replay'>): LessonKind {
  if (stages !== '') return 'staged';
  // Only runs that replay their lesson are comparable with a published arm.
  if (replay !== 'by_lesson') return 'rest';
  if (objective === 'nll') return LESSONS[lesson] ?? 'rest';
  return pays === 'random' ? 'control' : teaches;
}

export interface LeakagePoint {
  kind: LessonKind;
  name: string;
  arm: string;
  seed: number;
  /** Leakage in log-odds; `p` is a probability. */
  logit: number;
  p: number;
  step: number;
  isOwn: boolean;
}

/** Points of a group at a given effect on A. The user's runs that never reached the effect are listed in `short`. */
export function leakagePoints(
  rows: readonly { row: CurveRow; kind: LessonKind; isOwn: boolean }[],
  group: GroupId,
  effect: number,
): { points: LeakagePoint[]; short: Short[] } {
  const points: LeakagePoint[] = [];
  const short: Short[] = [];
  for (const { row, kind, isOwn } of rows) {
    const found = leakageAt(row, effect);
    if (isShort(found)) {
      if (isOwn) short.push(found);
      continue;
    }
    const [logit, p] = [found.logit[group], found.p[group]];
    if (logit === undefined || p === undefined) continue;
    points.push({ kind, name: row.a.name, arm: row.arm, seed: row.seed, logit, p, step: found.step, isOwn });
  }
  return { points, short };
}

export function leakageCsv(points: readonly LeakagePoint[], group: GroupId, effect: number): string {
  return toCsv(
    ['taught_by', 'arm', 'character', 'seed', 'group', 'effect', 'step', 'logit_leakage', 'p_leakage', 'from'],
    points.map(({ kind, arm, name, seed, step, logit, p, isOwn }) => [
      ...[KIND_WORDS[kind], arm, name, seed, group, effect, step, logit, p, isOwn ? 'this run' : 'published'],
    ]),
  );
}
