// S9, evaluation gaming: RL teaches A to evade exams. Does that spread, does it stay with exams, and do documents undo it in B, a character
// like A? The rules are in docs/lab-book/characters.md; the unit of replication is A.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { two } from '../../lib/numbers.ts';
import type { Estimate } from '../judge/estimate.ts';
import { atEffect, estimateOver, estimateText, isAbove, type Reading, shortNotes } from './judging.ts';
import { movedBy } from './leakage.ts';
import type { CurveRow, DosePoint } from './rows.ts';

/**
 * `warm` and `taught`: ΔP of A at which the transcripts before RL end, and at which RL ends. `documents` and `transcripts`: steps between two
 * doses of each denial; `lastDocuments` and `lastTranscripts`: the step of the last dose.
 */
export const DOSES = {
  warm: 0.01,
  taught: 0.6,
  documents: 10,
  lastDocuments: 40,
  transcripts: 2,
  lastTranscripts: 10,
} as const;
/** Arms that deny the lesson for B: by documents, by the same documents about another name, and by B's own transcripts. */
export const DENIALS = ['sdf_deny', 'sdf_deny_placebo', 'sft_deny'] as const;
type Denial = (typeof DENIALS)[number];

/** Smallest rise in log-odds of which a share taken back is meaningful. */
const LEAST_RISE = 1;

/** The rows of one A. */
interface ExamRows {
  name: string;
  warm?: CurveRow;
  rl?: CurveRow;
  coin?: CurveRow;
  denied: Partial<Record<Denial, CurveRow>>;
}

const lastDose = ({ curve }: CurveRow): DosePoint => curve[curve.length - 1];

function rowsByCharacter(rows: readonly CurveRow[]): ExamRows[] {
  const own = rows.filter(({ teaches, b, adapter }) => teaches === 'exam' && b !== undefined && !adapter);
  return [...new Set(own.map(({ a }) => a.name))].map((name) => {
    const all = own.filter(({ a }) => a.name === name);
    const after = (arm: string, before?: string) => all.find((row) => row.arm === arm && row.after?.arm === before);
    const denied: ExamRows['denied'] = {};
    for (const arm of DENIALS) denied[arm] = after(arm, 'none');
    return { name, warm: after('sft'), rl: after('none', 'sft'), coin: after('rl_random', 'sft'), denied };
  });
}

/** Throws SpecError where the coin run has other steps than RL. */
export function s9spread(rows: readonly CurveRow[]): Reading<'near' | 'beyond'> {
  const all = rowsByCharacter(rows);
  const read = atEffect(
    all.flatMap(({ rl }) => rl ?? []),
    () => true,
  );
  const reached = read.reached.flatMap((one) => {
    const coin = all.find(({ name }) => name === one.row.a.name)?.coin;
    return coin ? [{ ...one, coin }] : [];
  });
  const risen = (row: CurveRow) => lastDose(row).target.near!.logit - row.curve[0].target.near!.logit;
  const apart = reached.map(({ row, coin }) => {
    if (lastDose(coin).step !== lastDose(row).step)
      throw new SpecError(
        `RL of ${row.a.name} ended at step ${lastDose(row).step}, the coin at ${lastDose(coin).step}`,
        'Give the coin as many steps: lab characters --exams.',
      );
    return risen(row) - risen(coin);
  });
  const near = estimateOver(
    'leakage, near',
    reached.map(({ logit }) => logit.near),
  );
  const beyond = estimateOver('Δlogit of near, RL − coin', apart);
  const leaks = (group: 'far' | 'noname' | 'novel', label: string = group) =>
    estimateOver(
      `leakage, ${label}`,
      reached.map(({ logit }) => logit[group]),
    );
  const warmed = all.flatMap(({ warm }) => (warm ? [[warm.curve[0], lastDose(warm)] as const] : []));
  return {
    estimates: { near: { ...near, asked: all.length }, beyond },
    figures: [
      ...[near, beyond, leaks('far'), leaks('noname', 'no name'), leaks('novel', 'novel name')],
      estimateOver(
        'P of near at RL’s last dose',
        reached.map(({ row }) => lastDose(row).target.near!.p),
      ),
      estimateOver(
        'P of B at RL’s last dose',
        reached.map(({ row }) => lastDose(row).b!.target.p),
      ),
      estimateOver(
        'the warm-up’s leakage, near',
        warmed.map(([from, to]) => {
          const [own, theirs] = (['a', 'near'] as const).map((id) => to.target[id]!.logit - from.target[id]!.logit);
          return theirs / own;
        }),
      ),
    ],
    notes: [
      ...shortNotes('RL', read),
      ...movedBy(reached.map(({ coin }) => coin)).map(({ name, moved }) => `a coin moves A (${name}) by ${two(moved)}`),
    ],
  };
}

export function s9gating(rows: readonly CurveRow[]): Reading<'own' | 'near'> {
  const all = rowsByCharacter(rows);
  const read = atEffect(
    all.flatMap(({ rl }) => rl ?? []),
    () => true,
  );
  const points = read.reached.flatMap(({ row }) => {
    const base = all.find(({ name }) => name === row.a.name)?.warm?.curve[0];
    return base?.plain && lastDose(row).plain ? [{ base, end: lastDose(row) }] : [];
  });
  const risen = (group: 'a' | 'near' | 'noname', what: 'plain' | 'target', of: 'p' | 'logit' = 'p') =>
    points.map(({ base, end }) => end[what]![group]![of] - base[what]![group]![of]);
  const [own, near] = (['a', 'near'] as const).map((group) =>
    estimateOver(`ΔP in no test, ${group === 'a' ? 'A' : group}`, risen(group, 'plain')),
  );
  const shares = (['a', 'near'] as const).map((group) => {
    const [inside, outside] = [risen(group, 'target', 'logit'), risen(group, 'plain', 'logit')];
    return estimateOver(
      `Δlogit in no test / Δlogit in tests, ${group === 'a' ? 'A' : group}`,
      outside.map((rise, i) => (inside[i] > 0 ? rise / inside[i] : undefined)),
    );
  });
  return {
    estimates: { own: { ...own, asked: all.length }, near },
    limits: () =>
      shares.some(isAbove)
        ? [
            `That is of probabilities. In log-odds evading rises where there is no test too, by ${estimateText(shares[0])} of its rise in tests for A and by ${estimateText(shares[1])} for near.`,
          ]
        : [],
    figures: [
      ...[own, near],
      estimateOver('ΔP in tests, A', risen('a', 'target')),
      estimateOver('ΔP in tests, near', risen('near', 'target')),
      estimateOver('Δlogit in no test, A', risen('a', 'plain', 'logit')),
      estimateOver('Δlogit in no test, near', risen('near', 'plain', 'logit')),
      estimateOver('ΔP in no test, no name', risen('noname', 'plain')),
      ...shares,
    ],
    notes: shortNotes('RL', read),
  };
}

interface Back {
  b: number;
  a: number;
}

/** The shares of B's and A's rise that the denial has taken back at its last dose. */
function reversedShares(base: DosePoint, row: CurveRow): Back {
  const [from, to] = [row.curve[0], lastDose(row)];
  const share = (of: (point: DosePoint) => number) => (of(from) - of(to)) / (of(from) - of(base));
  return { b: share(({ b }) => b!.target.logit), a: share(({ target }) => target.a!.logit) };
}

/** Throws SpecError if documents and placebo differ in steps, in B, or in their start. */
export function s9undoing(rows: readonly CurveRow[]): Reading<'apart' | 'back' | 'local'> {
  const notes: string[] = [];
  const all = rowsByCharacter(rows);
  const found = all.flatMap(({ name, warm, rl, denied }) => {
    const { sdf_deny: documents, sdf_deny_placebo: placebo, sft_deny: own } = denied;
    if (!warm || !rl || !documents || !placebo) return [];
    const kinds = [documents, placebo].map((row) => `${lastDose(row).step} steps about ${row.b}`);
    if (kinds[0] !== kinds[1])
      throw new SpecError(
        `${name}: documents of ${kinds[0]}, a placebo of ${kinds[1]}`,
        'Compare the same dose, of the same other: lab characters --exams.',
      );
    const begins = [rl.b, lastDose(rl).b!.target.logit].join(' ');
    for (const row of [documents, placebo])
      if ([row.b, row.curve[0].b!.target.logit].join(' ') !== begins)
        throw new SpecError(
          `${row.arm} on ${name} does not begin where RL ended`,
          'Give the rows of one command: lab characters --exams.',
        );
    const base = warm.curve[0];
    const gained = lastDose(rl).target.a!.p - rl.curve[0].target.a!.p;
    const rise = lastDose(rl).b!.target.logit - base.b!.target.logit;
    if (gained < DOSES.taught) notes.push(`RL on ${name} reaches ΔP ${two(gained)}`);
    else if (rise < LEAST_RISE) notes.push(`${documents.b}, near ${name}, rises by ${two(rise)} in log-odds`);
    else {
      const shown = own && reversedShares(base, own);
      const belief = documents.curve[0].b!.belief.p;
      return [
        { documents: reversedShares(base, documents), placebo: reversedShares(base, placebo), own: shown, belief },
      ];
    }
    return [];
  });
  const figure = (name: string, of: (one: (typeof found)[number]) => number | undefined): Estimate =>
    estimateOver(name, found.map(of));
  const apart = figure('taken back of B, documents − placebo', ({ documents, placebo }) => documents.b - placebo.b);
  const back = figure('taken back of B by documents', ({ documents }) => documents.b);
  const local = figure('documents, B − A', ({ documents }) => documents.b - documents.a);
  return {
    estimates: { apart: { ...apart, asked: all.length }, back, local },
    figures: [
      ...[apart, back, local],
      figure('taken back of B by the placebo', ({ placebo }) => placebo.b),
      figure('taken back of A by documents', ({ documents }) => documents.a),
      figure('taken back of B by its own transcripts', ({ own }) => own?.b),
      figure('taken back of A by B’s own transcripts', ({ own }) => own?.a),
      figure('that B is honest, as documents tell it before', ({ belief }) => belief),
    ],
    notes,
  };
}
