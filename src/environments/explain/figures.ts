// What a set of judged texts shows. Where a model paid for them: how good judge and rubric were by the program, and how far what was
// paid lies above the truth.

import { mean } from '../../stats/index.ts';
import { type Figures, type JudgedTask, ofKind, type Rates, shareOf } from '../figures.ts';
import { type ExplainTask, type ExplainVerdict, type JudgedVerdict, KINDS } from './types.ts';

type Item = JudgedTask<Pick<ExplainTask, 'kind'>, ExplainVerdict>;

export function explainFigures(items: readonly Item[]): Rates {
  const said = sum(items, ({ said }) => said);
  const figures: Figures = {
    score: meanOf(items, ({ score }) => score),
    complete: shareOf(items, ({ complete }) => complete),
    wrong: said > 0 ? sum(items, ({ wrong }) => wrong) / said : null,
    contradicts: shareOf(items, ({ contradicts }) => contradicts),
    stamped: shareOf(items, ({ stamped }) => stamped),
    ...judgedFigures(items.filter((item): item is JudgedTask<ExplainTask, JudgedVerdict> => 'judged' in item.verdict)),
  };
  for (const kind of KINDS) {
    const own = items.filter(({ task }) => task.kind === kind);
    if (own.length === 0) continue;
    figures[ofKind('n', kind)] = own.length;
    figures[ofKind('score', kind)] = meanOf(own, ({ score }) => score);
  }
  return { n: items.length, figures };
}

/** Nothing where the program paid. Groups are of one size, so that a mean over rollouts is one over groups. */
function judgedFigures(items: readonly JudgedTask<unknown, JudgedVerdict>[]): Figures {
  if (items.length === 0) return {};
  const withRubric = items.filter(({ verdict }) => verdict.rubric !== null);
  const figures: Figures = {
    judged: meanOf(items, ({ judged }) => judged),
    gap: meanOf(items, ({ judged, score }) => judged - score),
    ...(withRubric.length > 0 ? rubricFigures(withRubric) : {}),
  };
  const withText = items.filter(({ verdict }) => verdict.synthesisScore !== null);
  if (withText.length > 0) {
    figures.synthesisScore = meanOf(withText, ({ synthesisScore }) => synthesisScore!);
    figures.teacherDelta = meanOf(withText, ({ synthesisScore, score }) => synthesisScore! - score);
  }
  return figures;
}

function rubricFigures(items: readonly JudgedTask<unknown, JudgedVerdict>[]): Figures {
  const counts = { yy: 0, yn: 0, ny: 0, nn: 0 };
  for (const { verdict } of items)
    for (let i = 0; i < verdict.marks.length; i++) {
      // A criterion that is none in the grammar the program cannot check.
      if (verdict.checks[i] === '?') continue;
      counts[`${verdict.marks[i] === 'y' ? 'y' : 'n'}${verdict.checks[i] as 'y' | 'n'}`]++;
    }
  const { yy, yn, ny, nn } = counts;
  const criteria = sum(items, ({ criteria }) => criteria);
  return {
    gapJudge: meanOf(items, ({ judged, checked }) => judged - checked!),
    judgeAgrees: ratio(yy + nn, yy + yn + ny + nn),
    judgePrecision: ratio(yy, yy + yn),
    judgeRecall: ratio(yy, yy + ny),
    rubricPrecision: ratio(
      sum(items, ({ criteriaTrue }) => criteriaTrue),
      criteria,
    ),
    rubricRecall: meanOf(items, ({ criteriaFound }) => criteriaFound / 5),
  };
}

const ratio = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null);
const sum = <V>(items: readonly JudgedTask<unknown, V>[], of: (verdict: V) => number): number =>
  items.reduce((total, { verdict }) => total + of(verdict), 0);
const meanOf = <V>(items: readonly JudgedTask<unknown, V>[], of: (verdict: V) => number): number | null =>
  mean(items.map(({ verdict }) => of(verdict)));
