// The questions of docs/cat.md that rows of references answer, judged by the rules that stand there: C1 (synthesis against selection),
// C3 (the question shown), C4 (more attempts), C5 (held-out templates against unseen parameters), C12 (mutual predictability).
import type { InferenceRow } from './infer.ts';
import { difference, rightness, type Share, unanimous } from './summary.ts';

export interface Verdict {
  question: 'C1' | 'C3' | 'C4' | 'C5' | 'C12';
  verdict: 'holds' | 'in part' | 'fails' | 'open';
  /** What was compared, in words, and by how much. */
  figures: readonly (readonly [name: string, share: Share])[];
}

const SIZE = 8;
/** Bounds of the rules. */
export const WANTED = { selection: 0.2, unanimous: -0.02, question: 0.05, attempts: 0.05, carried: 0.5 } as const;

const low = ({ interval }: Share): number => interval?.low ?? Number.NEGATIVE_INFINITY;
const mean = (share: Share): number => share.mean ?? Number.NEGATIVE_INFINITY;

/** Of a world with the splits `templates` and `params`, where G = 8 and G = 1 were asked; nothing else can be judged. */
export function verdictsOf(rows: readonly InferenceRow[]): Verdict[] {
  const [templates, params] = ['templates', 'params'].map((split) => rows.filter((row) => row.split === split));
  const known = templates.some((row) => [1, SIZE].every((size) => rightness(row, size, 'synthesis') !== null));
  const others = mutual(templates);
  if (!known || params.length === 0) return others;
  return [selection(templates), question(templates), attempts(templates), carried(templates, params), ...others];
}

/** Between the majority and the self-chosen attempt; nothing where one of them was not asked. */
function mutual(rows: readonly InferenceRow[]): Verdict[] {
  const [more, less] = (['majority', 'self_bon'] as const).map((other) =>
    difference(rows, ['mutual', SIZE], [other, SIZE]),
  );
  if (more.problems === 0 || less.problems === 0) return [];
  const isBelow = (less.interval?.high ?? Number.POSITIVE_INFINITY) < 0;
  const synthesis = difference(rows, ['synthesis', SIZE], ['mutual', SIZE]);
  return [
    {
      question: 'C12',
      verdict: low(more) > 0 ? (isBelow ? 'holds' : 'in part') : 'fails',
      figures: [
        ['mutual − majority', more],
        ['mutual − self-chosen', less],
        ['synthesis − mutual', synthesis],
      ],
    },
  ];
}

function selection(rows: readonly InferenceRow[]): Verdict {
  const others = ['majority', 'min_perplexity', 'self_bon', 'single'] as const;
  const figures = others
    .map((other) => [`− ${other}`, difference(rows, ['synthesis', SIZE], [other, SIZE])] as const)
    .filter(([, share]) => share.problems > 0);
  const same = difference(unanimous(rows, SIZE), ['synthesis', SIZE], ['majority', SIZE]);
  const isPositive = figures.every(([, share]) => low(share) > 0);
  const isLarge = figures.every(([, share]) => mean(share) >= WANTED.selection);
  const keeps = same.mean === null || same.mean >= WANTED.unanimous;
  return {
    question: 'C1',
    verdict: isPositive ? (isLarge && keeps ? 'holds' : 'in part') : 'fails',
    figures: [...figures, ['− majority where all agree', same]],
  };
}

function question(rows: readonly InferenceRow[]): Verdict {
  const share = difference(rows, ['synthesis_question', SIZE], ['synthesis', SIZE]);
  const { question: bound } = WANTED;
  const { low = Number.NEGATIVE_INFINITY, high = Number.POSITIVE_INFINITY } = share.interval ?? {};
  const verdict = low >= -bound && high <= bound ? 'holds' : low > bound || high < -bound ? 'fails' : 'open';
  return { question: 'C3', verdict, figures: [['shown − blind', share]] };
}

function attempts(rows: readonly InferenceRow[]): Verdict {
  const of = (own: readonly InferenceRow[]) => difference(own, ['synthesis', SIZE], ['synthesis', 1]);
  const share = of(rows);
  const kinds = [...new Set(rows.map(({ kind }) => kind))].sort();
  return {
    question: 'C4',
    verdict: low(share) <= 0 ? 'fails' : mean(share) >= WANTED.attempts ? 'holds' : 'in part',
    figures: [
      ['G 8 − G 1', share],
      ...kinds.map((kind) => [`G 8 − G 1, ${kind}`, of(rows.filter((row) => row.kind === kind))] as const),
    ],
  };
}

function carried(templates: readonly InferenceRow[], params: readonly InferenceRow[]): Verdict {
  const gain = (rows: readonly InferenceRow[]) => difference(rows, ['synthesis', SIZE], ['majority', SIZE]);
  const [held, seen] = [gain(templates), gain(params)];
  const holds = low(held) > 0 && mean(held) >= WANTED.carried * mean(seen);
  return {
    question: 'C5',
    verdict: holds ? 'holds' : 'fails',
    figures: [
      ['gain, held-out templates', held],
      ['gain, unseen parameters', seen],
    ],
  };
}
