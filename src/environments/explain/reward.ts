// Reward, by the program or by a model that judges, and metrics.

import { mean } from '../../stats/index.ts';
import { comparing } from '../cat/estimators.ts';
import type { DrawnEnvironment } from '../drawn.ts';
import { type JudgedTask, type Metrics, ofKind, type Rates, shareOf } from '../metrics.ts';
import { eachAlone, type Group, type Judged, type ModelHandles, type OneTurn, type Reward } from '../types.ts';
import { problemsOf } from './data.ts';
import { gradeExplanation, gradeRubric, grades, meets, rubrics, syntheses, textOfRollout, verdicts } from './judge.ts';
import {
  type ExplainTask,
  type ExplainVerdict,
  explainDynamics,
  FIXED_RUBRIC,
  type Grading,
  type JudgedVerdict,
  KINDS,
  questionIn,
} from './task.ts';

// The program's score is the true one: the share of the five true criteria that a text meets, which a labelled problem would reward.

export const explainReward = eachAlone<ExplainTask, ExplainVerdict>('explain/program/1', (task, turns) => {
  const verdict = gradeExplanation(task.fn, textOfRollout({ turns }));
  return { reward: verdict.score, verdict };
});

// The rewards of this environment that a model decides. With a rubric, the reward is the share of its criteria (at least five) that the
// judge finds met; the rubric is written from the synthesis of the group's attempts, or (controls) from the question alone, or is the same
// for all. Without a rubric it is a grade. The truth is measured too, but never rewarded. A single rollout has the program's reward.

/** Least divisor of a rubric's share: missing criteria count as not met. */
export const LEAST = 5;
/** Reward of an answer that exceeds the token budget. */
const OVER_BUDGET = -1;

type Groups = readonly Group<ExplainTask>[];

/** The rubric for a group's attempts. */
interface Rubric {
  synthesis: string | null;
  /** Null if the reward uses no rubric. */
  criteria: readonly string[] | null;
  /** Tokens read and written for it. */
  tokens: number;
}

/** The judgement of one attempt. */
interface Mark {
  judged: number;
  marks: string;
  tokens: number;
}

/** `budget`: most tokens of an answer; 0: no limit. */
export function judgedReward(grading: Exclude<Grading, 'program'>, budget = 0): Reward<ExplainTask, ExplainVerdict> {
  return {
    id: `explain/${grading}/${budget}/1`,
    score: comparing(async (groups, models, signal) => {
      const measures = await measuresOf(grading, groups, models, signal);
      const marks =
        grading === 'judge'
          ? await graded(groups, models, signal)
          : await marked(groups, measures, grading === 'hasty', models, signal);
      return groups.map((group, g) => judge(group, measures[g], marks[g], budget));
    }, explainReward),
  };
}

async function measuresOf(
  grading: Grading,
  groups: Groups,
  models: ModelHandles,
  signal?: AbortSignal,
): Promise<Rubric[]> {
  if (grading === 'judge') return groups.map(() => ({ synthesis: null, criteria: null, tokens: 0 }));
  if (grading === 'rubric_fixed') return groups.map(() => ({ synthesis: null, criteria: FIXED_RUBRIC, tokens: 0 }));
  if (grading === 'rubric_question') {
    const own = await rubrics(
      groups.map(({ task }) => questionIn(task.prompt)),
      models,
      signal,
    );
    return own.map(({ criteria, tokens }) => ({ synthesis: null, criteria, tokens }));
  }
  const written = await syntheses(groups, models, signal);
  const own = await rubrics(
    written.map(({ text }) => text ?? ''),
    models,
    signal,
  );
  return written.map(({ text, tokens }, g) => ({
    synthesis: text,
    criteria: text === null ? [] : own[g].criteria,
    tokens: tokens + own[g].tokens,
  }));
}

/** Asks the judge about each attempt and criterion. */
async function marked(
  groups: Groups,
  measures: readonly Rubric[],
  isHasty: boolean,
  models: ModelHandles,
  signal?: AbortSignal,
): Promise<Mark[][]> {
  const questions = groups.flatMap(({ rollouts }, g) =>
    rollouts.flatMap((rollout) =>
      measures[g].criteria!.map((criterion) => ({ answer: textOfRollout(rollout), criterion })),
    ),
  );
  const answers = (await verdicts(questions, isHasty, models, signal)).values();
  return groups.map(({ rollouts }, g) =>
    rollouts.map(() => {
      const own = measures[g].criteria!.map(() => answers.next().value!);
      const marks = own.map(({ mark }) => mark).join('');
      return { judged: shareMet(marks), marks, tokens: own.reduce((sum, { tokens }) => sum + tokens, 0) };
    }),
  );
}

/** Grades attempts without a rubric. */
async function graded(groups: Groups, models: ModelHandles, signal?: AbortSignal): Promise<Mark[][]> {
  const questions = groups.flatMap(({ task, rollouts }) =>
    rollouts.map((rollout) => ({ prompt: task.prompt, answer: textOfRollout(rollout) })),
  );
  const answers = (await grades(questions, models, signal)).values();
  return groups.map(({ rollouts }) =>
    rollouts.map(() => {
      const { grade, tokens } = answers.next().value!;
      return { judged: grade / LEAST, marks: '', tokens };
    }),
  );
}

const shareMet = (marks: string): number =>
  [...marks].filter((mark) => mark === 'y').length / Math.max(LEAST, marks.length);

function judge(
  { task, rollouts }: Group<ExplainTask>,
  { synthesis, criteria, tokens }: Rubric,
  marks: readonly Mark[],
  budget: number,
): Judged<JudgedVerdict>[] {
  const over = rollouts.map(({ turns }) => budget > 0 && (turns.at(-1)?.completionIds.length ?? 0) > budget);
  const rewards = marks.map(({ judged }, i) => (over[i] ? OVER_BUDGET : judged));
  const { right, found } = criteria === null ? { right: 0, found: 0 } : gradeRubric(task.fn, criteria);
  const ofGroup = {
    synthesis,
    synthesisScore: synthesis === null ? null : gradeExplanation(task.fn, synthesis).score,
    rubric: criteria === null ? null : criteria.join('\n'),
    criteria: criteria?.length ?? 0,
    criteriaTrue: right,
    criteriaFound: found,
    dead: rewards.every((reward) => reward === rewards[0]),
  };
  return rollouts.map((rollout, i) => {
    const text = textOfRollout(rollout);
    const checks = (criteria ?? [])
      .map((criterion) => ({ true: 'y', false: 'n', null: '?' })[String(meets(text, criterion)) as 'true'])
      .join('');
    const { judged, marks: own, tokens: spent } = marks[i];
    return {
      reward: rewards[i],
      verdict: {
        ...gradeExplanation(task.fn, text),
        judged,
        checked: criteria === null ? null : shareMet(checks),
        marks: own,
        checks,
        ...ofGroup,
        overBudget: over[i],
        judgeTokens: tokens / rollouts.length + spent,
      },
    };
  });
}

// Metrics of a set of judged texts. If a model rewarded them: how well judge and rubric agree with the program, and how far the reward
// exceeds the true score.

type Item = JudgedTask<Pick<ExplainTask, 'kind'>, ExplainVerdict>;

export function explainMetrics(items: readonly Item[]): Rates {
  const statements = sum(items, ({ said }) => said);
  const figures: Metrics = {
    score: meanOf(items, ({ score }) => score),
    complete: shareOf(items, ({ complete }) => complete),
    wrong: statements > 0 ? sum(items, ({ wrong }) => wrong) / statements : null,
    contradicts: shareOf(items, ({ contradicts }) => contradicts),
    stamped: shareOf(items, ({ stamped }) => stamped),
    ...judgedMetrics(items.filter((item): item is JudgedTask<ExplainTask, JudgedVerdict> => 'judged' in item.verdict)),
  };
  for (const kind of KINDS) {
    const own = items.filter(({ task }) => task.kind === kind);
    if (own.length === 0) continue;
    figures[ofKind('n', kind)] = own.length;
    figures[ofKind('score', kind)] = meanOf(own, ({ score }) => score);
  }
  return { n: items.length, figures };
}

/** Returns nothing if the program gave the rewards. Groups have one size, so that a mean over rollouts is a mean over groups. */
function judgedMetrics(items: readonly JudgedTask<unknown, JudgedVerdict>[]): Metrics {
  if (items.length === 0) return {};
  const withRubric = items.filter(({ verdict }) => verdict.rubric !== null);
  const figures: Metrics = {
    judged: meanOf(items, ({ judged }) => judged),
    gap: meanOf(items, ({ judged, score }) => judged - score),
    ...(withRubric.length > 0 ? rubricMetrics(withRubric) : {}),
  };
  const withText = items.filter(({ verdict }) => verdict.synthesisScore !== null);
  if (withText.length > 0) {
    figures.synthesisScore = meanOf(withText, ({ synthesisScore }) => synthesisScore!);
    figures.teacherDelta = meanOf(withText, ({ synthesisScore, score }) => synthesisScore! - score);
  }
  return figures;
}

function rubricMetrics(items: readonly JudgedTask<unknown, JudgedVerdict>[]): Metrics {
  const counts = { yy: 0, yn: 0, ny: 0, nn: 0 };
  for (const { verdict } of items)
    for (let i = 0; i < verdict.marks.length; i++) {
      // The program cannot check a criterion that is not in the grammar.
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

// Explanations as an environment: functions are drawn by seed, texts are judged by the program or by a model.

interface Run {
  grading: Grading;
  answerBudget: number;
}

export const explainDrawn: DrawnEnvironment<ExplainTask, OneTurn<ExplainTask>, ExplainVerdict, Run> = {
  dynamics: explainDynamics,
  reward: ({ grading, answerBudget }) => (grading === 'program' ? explainReward : judgedReward(grading, answerBudget)),
  rewardPart: ({ grading, answerBudget }) => (grading === 'program' ? [] : [grading, answerBudget]),
  figures: explainMetrics,
  draw: problemsOf,
};
