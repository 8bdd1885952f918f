// The questions of docs/lab-book/cat.md that rows of references answer, judged by the rules that stand there: C1 (synthesis against selection),
// C3 (the question shown), C4 (more attempts), C5 (held-out templates against unseen parameters), C12 (mutual predictability).

import type { Share } from '../judge/estimates.ts';
import { judge } from '../judge/rule.ts';
import type { Status } from '../judge/types.ts';
import type { InferenceRow } from './infer.ts';
import { BOUNDS, C1, C3, C4, C5, C12 } from './questions.ts';
import { difference, rightness, unanimous } from './summary.ts';

export interface Verdict {
  question: 'C1' | 'C3' | 'C4' | 'C5' | 'C12';
  verdict: Status;
  /** What was compared, in words, and by how much. */
  figures: readonly (readonly [name: string, share: Share])[];
}

const SIZE = 8;

/** Over problems, as a rule reads it; nothing where it was not asked of any. */
const ofShare = ({ problems, mean, interval }: Share) =>
  mean === null ? undefined : { n: problems, mean, interval, each: [] };

/** Of an environment with the splits `templates` and `params`, where G = 8 and G = 1 were asked; nothing else can be judged. */
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
  const synthesis = difference(rows, ['synthesis', SIZE], ['mutual', SIZE]);
  return [
    {
      question: 'C12',
      verdict: judge(C12.rule, { more: ofShare(more), less: ofShare(less) }).status,
      figures: [
        ['mutual − majority', more],
        ['mutual − self-chosen', less],
        ['synthesis − mutual', synthesis],
      ],
    },
  ];
}

function selection(rows: readonly InferenceRow[]): Verdict {
  const others = (['majority', 'min_perplexity', 'self_bon', 'single'] as const).map(
    (other) => [other, difference(rows, ['synthesis', SIZE], [other, SIZE])] as const,
  );
  const same = difference(unanimous(rows, SIZE), ['synthesis', SIZE], ['majority', SIZE]);
  const estimates = Object.fromEntries(others.map(([other, share]) => [other, ofShare(share)]));
  return {
    question: 'C1',
    verdict: judge(C1.rule, { ...estimates, unanimous: ofShare(same) }).status,
    figures: [
      ...others.filter(([, share]) => share.problems > 0).map(([other, share]) => [`− ${other}`, share] as const),
      ['− majority where all agree', same],
    ],
  };
}

function question(rows: readonly InferenceRow[]): Verdict {
  const share = difference(rows, ['synthesis_question', SIZE], ['synthesis', SIZE]);
  const verdict = judge(C3.rule, { shown: ofShare(share) }).status;
  return { question: 'C3', verdict, figures: [[C3.names.shown, share]] };
}

function attempts(rows: readonly InferenceRow[]): Verdict {
  const of = (own: readonly InferenceRow[]) => difference(own, ['synthesis', SIZE], ['synthesis', 1]);
  const share = of(rows);
  const kinds = [...new Set(rows.map(({ kind }) => kind))].sort();
  return {
    question: 'C4',
    verdict: judge(C4.rule, { more: ofShare(share) }).status,
    figures: [
      [C4.names.more, share],
      ...kinds.map((kind) => [`${C4.names.more}, ${kind}`, of(rows.filter((row) => row.kind === kind))] as const),
    ],
  };
}

function carried(templates: readonly InferenceRow[], params: readonly InferenceRow[]): Verdict {
  const gain = (rows: readonly InferenceRow[]) => difference(rows, ['synthesis', SIZE], ['majority', SIZE]);
  const [held, seen] = [gain(templates), gain(params)];
  // Of two sets of problems: there is no interval of what one gain is of the other.
  const half =
    held.mean === null || seen.mean === null
      ? undefined
      : { n: held.problems, mean: held.mean - BOUNDS.carried * seen.mean, interval: null, each: [] };
  return {
    question: 'C5',
    verdict: judge(C5.rule, { held: ofShare(held), half }).status,
    figures: [
      [C5.names.held, held],
      ['gain, unseen parameters', seen],
    ],
  };
}
