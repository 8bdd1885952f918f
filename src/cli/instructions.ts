// `instructions`: a model's four scores on prompts whose instructions are checked by rules, by default the benchmark's own. Each answer is
// a row of a file as soon as it is written; the same command goes on where it was stopped.
import { join } from 'node:path';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { openCheckers, Problem, readRow, scoresOf, type Verdicts } from '../environments/instructions/check.ts';
import { contentKey } from '../experiments/records/artifacts.ts';
import { keyFor, STREAMS } from '../rng/index.ts';
import type { ModelFiles } from '../storage/model-files.ts';
import { type ModelText, openModelText } from '../storage/model-text.ts';
import { answerText, cutAtEnd } from '../text/answer.ts';
import { judgedText, opensThoughtIn, type Thinking } from '../text/thinking.ts';
import { integer, number, text, toggle, type Values } from './args.ts';
import { type CommandContext, command, EXIT } from './command.ts';
import { deviceFlags } from './device-flags.ts';
import { yieldToEvents } from './drain.ts';
import { RowFile, type RowKind } from './files/rows.node.ts';
import { scoreTable } from './grade/instructions.ts';
import { readLines } from './grade/lines.ts';
import { openEngine } from './model/engine.ts';
import { MODEL_FLAGS, readModel } from './model/folder.ts';
import {
  JUDGED_WORDS,
  noteUnread,
  PROMPT_FLAGS,
  promptIdentity,
  promptSettings,
  THINKING_FLAG,
  thinkingWith,
} from './model/prompts.ts';
import { STORAGE_FLAG } from './model/storage-choice.ts';

const usage = {
  name: 'instructions',
  summary: 'Lets a model answer prompts whose instructions are checked by rules (IFEval), and prints its four scores.',
  flags: {
    ...MODEL_FLAGS,
    problems: text('FILE', 'Prompts in IFEval’s format (.gz too); the benchmark’s 541 where absent.', null),
    first: integer('Only the first N of them.', null, 1),
    out: text('FILE', 'Where answers are kept, a row each; below .cache/instructions where absent.', null),
    system: text('TEXT', 'A system message before each prompt.', null),
    ...PROMPT_FLAGS,
    thinking: THINKING_FLAG,
    temperature: number('0 is greedy.', 0, 0, 10),
    seed: integer('Of the sampling.', 0),
    'max-new': integer('Most tokens of an answer.', 512, 1),
    batch: integer('Answers at a time.', 8, 1, 256),
    ...deviceFlags('What to compute on.'),
    storage: STORAGE_FLAG,
    json: toggle('Print the rows as JSON, a line each, in the order of the prompts.'),
  },
  notes: [
    'A row: key, prompt, instruction_id_list, kwargs, response, ended (by itself), strict, loose; `grade --instructions` reads it too.',
    'Where not all of a response is judged, `judged` is what was: nothing where a thought never ends.',
    'Stopped or killed, the same command goes on; other settings, another model: another file.',
  ].join('\n'),
} as const;
type Options = Values<typeof usage.flags>;

interface Row extends Problem, Verdicts {
  response: string;
  /** Part of the response that was judged; absent: all. */
  judged?: string;
  ended: boolean;
  /** sha-256 of the model and of everything else that decides an answer. */
  made: string;
}

const ROWS: RowKind<Row> = {
  command: 'instructions',
  read(value) {
    const row = value as Partial<Row>;
    const isRow = typeof row.response === 'string' && typeof row.made === 'string' && Array.isArray(row.strict);
    return isRow && Problem.safeParse(value).success ? (row as Row) : null;
  },
};

export const instructions = command(usage, async ({ flags }, context) => {
  const { out, progress, root } = context;
  const path = flags.problems ?? join(root, 'public', 'instructions', 'ifeval.jsonl.gz');
  const problems = await readProblems(path, flags.first);
  const { folder, files } = await readModel(flags, context);
  const prompts = await promptSettings(flags);
  const words = await openModelText(files, folder, prompts);
  await noteUnread(words, progress);
  const thinking = thinkingWith(flags.thinking, words);
  progress.note(JUDGED_WORDS[thinking]);
  const encoded = await promptsOf(problems, words, flags, files);
  const { system, temperature, seed } = flags;
  const made = await contentKey([
    ...[files.sha256, system, temperature, seed, flags['max-new']],
    ...promptIdentity(prompts, thinking),
  ]);
  const kept = flags.out ?? join(root, '.cache', 'instructions', `${made.slice(0, 16)}.jsonl`);
  const file = await RowFile.open(kept, ROWS, progress.note);
  file.checkMade(
    made,
    'or of another --system, --chat-template, --chat-arg, --thinking, --temperature, --seed or --max-new',
  );
  const known = new Map(file.rows.map((row) => [textOf(row), row]));
  const left = encoded.filter(({ problem }) => !known.has(textOf(problem)));
  progress.note(`${encoded.length - left.length} of ${encoded.length} answers are in ${kept}.`);
  if (left.length > 0) {
    const answers = answersOf(left, files, words, { ...flags, thinking }, context);
    let done = encoded.length - left.length;
    progress.update('answers', done, encoded.length);
    for await (const answered of answers) {
      const rows = answered.map((row) => ({ ...row, made }));
      await file.append(...rows);
      for (const row of rows) known.set(textOf(row), row);
      done += rows.length;
      progress.update('answers', done, encoded.length);
    }
    progress.end();
  }
  const rows = problems.map(({ problem }) => known.get(textOf(problem))!);
  if (flags.json) for (const row of rows) out(JSON.stringify(row));
  else out(scoreTable(scoresOf(rows)));
  const unclosed = rows.filter(({ judged }) => judged === '').length;
  if (unclosed > 0) progress.note(`${unclosed} of ${rows.length} responses are a thought and no answer.`);
  return EXIT.ok;
});

/** The text of a problem and its checks. */
const textOf = ({ key, prompt, instruction_id_list, kwargs }: Problem): string =>
  JSON.stringify([key, prompt, instruction_id_list, kwargs]);

interface Placed {
  problem: Problem;
  /** Index among all prompts, from 0, which selects its random numbers. */
  index: number;
  where: string;
}

async function readProblems(path: string, first: number | null): Promise<Placed[]> {
  const lines = await readLines(path);
  const problems = lines.map(({ value, where }, index) => ({ problem: readRow(Problem, value, where), index, where }));
  if (problems.length === 0) throw new FormatError(`${path} holds no prompts.`, 'Give a prompt a line.');
  return problems.slice(0, first ?? problems.length);
}

interface EncodedProblem extends Placed {
  ids: number[];
  judge(response: string): Verdicts;
}

/** Every prompt is checked and encoded before the first is answered. */
async function promptsOf(
  problems: readonly Placed[],
  { chatIds }: ModelText,
  { system, 'max-new': maxNew }: Options,
  { config }: ModelFiles,
): Promise<EncodedProblem[]> {
  const checkers = await openCheckers(problems.map(({ problem: asked, where }) => ({ asked, where })));
  const encoded: EncodedProblem[] = [];
  for (const [i, placed] of problems.entries()) {
    const { prompt } = placed.problem;
    const before = system === null ? [] : [{ role: 'system' as const, content: system }];
    const ids = chatIds([...before, { role: 'user', content: prompt }]);
    if (ids.length + maxNew > config.maxPositions)
      throw new SpecError(
        `${placed.where}: prompt has ${ids.length} tokens, and with --max-new ${maxNew} the model has ${config.maxPositions} positions.`,
        'Leave the line out, or give a smaller --max-new.',
      );
    if (ids.length === 0) throw new SpecError(`${placed.where}: prompt has no tokens.`, 'Leave the line out.');
    encoded.push({ ...placed, ids, judge: checkers[i].judge });
  }
  return encoded;
}

type AnsweredRow = Omit<Row, 'made'>;

async function* answersOf(
  encoded: readonly EncodedProblem[],
  files: ModelFiles,
  words: ModelText,
  flags: Options & { thinking: Thinking },
  context: CommandContext,
): AsyncGenerator<AnsweredRow[]> {
  const { batch, thinking, temperature, seed, 'max-new': maxNew } = flags;
  const { endTokens } = words.codec;
  const longest = Math.max(...encoded.map(({ ids }) => ids.length));
  const size = { prompts: batch, sequences: batch, promptTokens: longest, maxNew };
  const work = { rollouts: [size], scores: [], adapter: 'none' } as const;
  const plan = { storage: flags.storage, work, isHostReported: true };
  const { engine, free } = await openEngine(files, flags, context, { plan });
  try {
    for (let from = 0; from < encoded.length; from += batch) {
      const group = encoded.slice(from, from + batch);
      const answers = await engine.generate({
        prompts: group.map(({ ids }) => ids),
        sequences: group.map(({ index }, prompt) => ({ prompt, key: keyFor(seed, STREAMS.evaluation, 0, index) })),
        maxNew,
        temperature,
        signal: context.signal,
        endTokens,
        breathe: yieldToEvents,
      });
      yield group.map(({ problem, ids, judge }, i) => {
        const cut = cutAtEnd(answers[i].tokens, endTokens);
        const response = answerText(words.codec, ids, cut);
        const judged = judgedText(response, thinking, opensThoughtIn(words.codec, ids));
        const part = judged === response ? {} : { judged };
        return { ...problem, response, ...part, ended: cut.ended, ...judge(judged) };
      });
    }
  } finally {
    free();
  }
}
