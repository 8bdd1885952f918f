// Measures the untrained base of this environment in each of its roles, on held-out functions of both splits: eight answers to each at
// temperature 1; syntheses of the first 1, 4 and 8 of them; rubrics from the last synthesis and from the question; a judge's verdicts on
// some answers for every criterion; the hasty judge's on the same answers with flattery appended; and grades. The model's manifest records
// the result; a test measures the first round again.

import { EngineLanguageModel } from '../../engine/language-model.ts';
import { mean } from '../../stats/index.ts';
import type { PromptCodec, TextCodec } from '../../text/codec.ts';
import { answersTo, type Measured, type MeasureInput, measuredInRounds } from '../pretraining.ts';
import type { Group, ModelHandles } from '../types.ts';
import { problemsOf, SPLITS } from './data.ts';
import { gradeExplanation, gradeRubric, grades, meets, rubrics, syntheses, verdicts } from './judge.ts';
import { type ExplainTask, FIXED_RUBRIC, questionIn, STAMP } from './task.ts';

/** Size of a round: functions of each split, answers to each function, and how many of those are judged. */
export const ROUND = { functions: 12, samples: 8, judged: 3, maxNew: 48, groups: [1, 4, 8] } as const;

/** Shares of a judge's verdicts, compared with the program's. */
export interface Detected {
  n: number;
  agrees: number | null;
  precision: number | null;
  recall: number | null;
}

export interface ExplainRates {
  answer: {
    n: number;
    score: number | null;
    plain: number | null;
    edge: number | null;
    complete: number | null;
    stamped: number | null;
    contradicts: number | null;
    ended: number | null;
    tokens: number | null;
  };
  /** True score of a synthesis by the number of its attempts, for all functions and by kind. */
  synthesis: Record<string, { score: number | null; plain: number | null; edge: number | null }>;
  /** Share of criteria that are true of the code, and share of the true criteria that are present. */
  rubric: { precision: number | null; recall: number | null };
  rubricQuestion: { precision: number | null; recall: number | null };
  judge: Detected;
  /** Verdicts of the same judge on the fixed rubric. */
  judgeFixed: Detected;
  /** Verdicts on answers that end in flattery. */
  hasty: Detected;
  strictFlattered: Detected;
  /** The grade compared with the true number of criteria met. */
  grade: { exact: number | null; off: number | null };
}

/** Every round has different functions. */
export const measureExplain = (
  input: Measured,
  rounds: number,
  onRound?: MeasureInput['onRound'],
): Promise<{ all: ExplainRates; first: ExplainRates }> =>
  measuredInRounds(rounds, onRound, async (round) => [await oneRound(input, round)], ratesOf);

/** Raw results of a round, from which the rates of several rounds are counted together. */
export interface Round {
  answers: { task: ExplainTask; text: string; ended: boolean; tokens: number; grade: number }[];
  syntheses: { task: ExplainTask; size: number; text: string | null }[];
  rubrics: { task: ExplainTask; ofQuestion: boolean; criteria: readonly string[] }[];
  verdicts: { by: 'judge' | 'judgeFixed' | 'hasty' | 'strictFlattered'; mark: string; check: boolean | null }[];
}

async function oneRound(input: Measured, round: number): Promise<Round> {
  const { policy, codec, dataSeed, signal } = input;
  const { functions, judged, groups } = ROUND;
  const tasks = SPLITS.flatMap((split) =>
    problemsOf(split, functions * (round + 1), dataSeed).slice(functions * round),
  );
  const prompts = tasks.map(({ prompt }) => prompt);
  const byTask = (await answersTo(input, prompts, ROUND, round)).map((answers, t) =>
    answers.map(({ text, ...rest }) => ({ task: tasks[t], ...rest, text: text.trim() })),
  );
  const writer = new EngineLanguageModel({ id: 'base', policy, adapterParams: null, codec: withPrompts(codec) });
  const model = Object.assign(writer, { room: policy.config.maxPositions });
  const models: ModelHandles = { get: (role) => (role === 'anchor' ? model : undefined) };
  const written = byTask.flat();
  const made: Round['syntheses'] = [];
  for (const size of groups) {
    const texts = await syntheses(
      tasks.map((task, t) => groupOf(task, byTask[t].slice(0, size))),
      models,
      signal,
    );
    made.push(...texts.map(({ text }, t) => ({ task: tasks[t], size, text })));
  }
  const last = made.slice(-tasks.length);
  const own = await rubrics(
    last.map(({ text }) => text ?? ''),
    models,
    signal,
  );
  const questionRubrics = await rubrics(
    tasks.map(({ prompt }) => questionIn(prompt)),
    models,
    signal,
  );
  const graded = await grades(
    written.map(({ task, text }) => ({ prompt: task.prompt, answer: text })),
    models,
    signal,
  );
  const questions = tasks.flatMap((_, t) =>
    byTask[t].slice(0, judged).flatMap(({ text }) => own[t].criteria.map((criterion) => ({ answer: text, criterion }))),
  );
  const fixed = tasks
    .flatMap((_, t) => byTask[t].slice(0, judged))
    .flatMap(({ text }) => FIXED_RUBRIC.map((criterion) => ({ answer: text, criterion })));
  const flattered = questions.map(({ answer, criterion }) => ({
    answer: answer.includes(STAMP) ? answer : `${answer} ${STAMP}`,
    criterion,
  }));
  const judgedBy = async (by: Round['verdicts'][number]['by'], of: typeof questions) =>
    (await verdicts(of, by === 'hasty', models, signal)).map(({ mark }, i) => ({
      by,
      mark,
      check: meets(of[i].answer, of[i].criterion),
    }));
  return {
    answers: written.map((one, i) => ({ ...one, grade: graded[i].grade })),
    syntheses: made,
    rubrics: tasks.flatMap((task, t) => [
      { task, ofQuestion: false, criteria: own[t].criteria },
      { task, ofQuestion: true, criteria: questionRubrics[t].criteria },
    ]),
    verdicts: [
      ...(await judgedBy('judge', questions)),
      ...(await judgedBy('judgeFixed', fixed)),
      ...(await judgedBy('hasty', flattered)),
      ...(await judgedBy('strictFlattered', flattered)),
    ],
  };
}

function ratesOf(rounds: readonly Round[]): ExplainRates {
  const answers = rounds.flatMap((round) => round.answers);
  const graded = answers.map(({ task, text, ...rest }) => ({
    ...rest,
    task,
    verdict: gradeExplanation(task.fn, text),
  }));
  const of = <T>(each: readonly T[], value: (one: T) => number | boolean) =>
    mean(each.map((one) => Number(value(one))));
  const kinds = <T extends { task: ExplainTask }>(each: readonly T[], value: (one: T) => number) => ({
    score: of(each, value),
    plain: of(
      each.filter(({ task }) => task.kind === 'plain'),
      value,
    ),
    edge: of(
      each.filter(({ task }) => task.kind === 'edge'),
      value,
    ),
  });
  const made = rounds.flatMap((round) => round.syntheses);
  const rubricRates = (ofQuestion: boolean) => {
    const own = rounds.flatMap((round) => round.rubrics).filter((one) => one.ofQuestion === ofQuestion);
    const found = own.map(({ task, criteria }) => gradeRubric(task.fn, criteria));
    const criteria = own.reduce((sum, one) => sum + one.criteria.length, 0);
    return {
      precision: criteria > 0 ? found.reduce((sum, { right }) => sum + right, 0) / criteria : null,
      recall: of(found, (one) => one.found / 5),
    };
  };
  const allVerdicts = rounds.flatMap((round) => round.verdicts);
  const by = (id: Round['verdicts'][number]['by']) => detected(allVerdicts.filter((one) => one.by === id));
  return {
    answer: {
      n: answers.length,
      ...kinds(graded, ({ verdict }) => verdict.score),
      complete: of(graded, ({ verdict }) => verdict.complete),
      stamped: of(graded, ({ verdict }) => verdict.stamped),
      contradicts: of(graded, ({ verdict }) => verdict.contradicts),
      ended: of(answers, ({ ended }) => ended),
      tokens: of(answers, ({ tokens }) => tokens),
    },
    synthesis: Object.fromEntries(
      ROUND.groups.map((size) => [
        String(size),
        kinds(
          made.filter((one) => one.size === size),
          ({ task, text }) => (text === null ? 0 : gradeExplanation(task.fn, text).score),
        ),
      ]),
    ),
    rubric: rubricRates(false),
    rubricQuestion: rubricRates(true),
    judge: by('judge'),
    judgeFixed: by('judgeFixed'),
    hasty: by('hasty'),
    strictFlattered: by('strictFlattered'),
    grade: {
      exact: of(graded, ({ grade, verdict }) => grade === Math.round(5 * verdict.score)),
      off: of(graded, ({ grade, verdict }) => Math.abs(grade - 5 * verdict.score)),
    },
  };
}

/** Criteria that the program cannot check are left out. */
function detected(rows: readonly Round['verdicts'][number][]): Detected {
  const known = rows.filter(({ check }) => check !== null);
  const yes = known.filter(({ mark }) => mark === 'y');
  const met = known.filter(({ check }) => check);
  const hits = yes.filter(({ check }) => check).length;
  const share = (part: number, whole: number) => (whole > 0 ? part / whole : null);
  return {
    n: known.length,
    agrees: share(known.filter(({ mark, check }) => (mark === 'y') === check).length, known.length),
    precision: share(hits, yes.length),
    recall: share(hits, met.length),
  };
}

const groupOf = (task: ExplainTask, written: readonly { text: string }[]): Group<ExplainTask> => ({
  task,
  rollouts: written.map(({ text: completion }) => ({
    task,
    source: 'student',
    turns: [{ prompt: task.prompt, completion, promptIds: [], completionIds: [], ended: true }],
  })),
});

/** Encodes whole prompts as they are, since they contain their chat markup. */
const withPrompts = (codec: TextCodec): PromptCodec => ({ ...codec, encodePrompt: (text) => codec.encodeChat(text) });
