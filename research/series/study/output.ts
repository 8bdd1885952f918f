// Output of `study`: the questions' tables and verdicts as text, or everything as one JSON value.

import type { FinishedRuns } from '../../../src/experiments/runs/finished.ts';
import type { StudyPlan } from './plan.ts';
import { h1Of, questionMarkdown, resultsOf } from './report.ts';

export function studyText(plan: StudyPlan, runs: FinishedRuns): string {
  const { steps } = plan.scope;
  const short =
    steps === undefined
      ? []
      : [`A short check of ${steps} steps on few problems: its figures are not the study’s.`, ''];
  return [...short, ...resultsOf(plan.questions, runs, plan.scope).flatMap(questionMarkdown)].join('\n');
}

export function studyJson(plan: StudyPlan, runs: FinishedRuns) {
  const results = resultsOf(plan.questions, runs, plan.scope);
  return {
    scope: plan.scope,
    h1: h1Of(results),
    questions: results.map(({ question, figures, verdict, addition, done, planned, notes }) => ({
      id: question.id,
      title: question.title,
      hypothesis: question.hypothesis,
      reference: question.reference,
      standing: verdict.standing,
      n: verdict.n ?? null,
      answer: verdict.answer,
      verdict: verdict.sentences,
      done,
      planned,
      addition: addition && { hypothesis: question.addition?.hypothesis, ...addition },
      notes: [...question.notes, ...notes],
      cells: [...figures.values()].map(({ cell, statistics, hack, solve, structural, byMode, comparison }) => ({
        id: cell.id,
        label: cell.label,
        arm: cell.arm,
        model: cell.model,
        overrides: cell.overrides,
        against: cell.against,
        seeds: statistics.seeds,
        hack,
        solve,
        structural,
        byMode,
        statistics,
        comparison,
      })),
    })),
  };
}
