// `synthesise`: one reference answer from several attempts, by every estimator, as a table; inference alone, nothing is trained.

import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { EngineLanguageModel } from '../../engine/language-model.ts';
import type { Policy } from '../../engine/types.ts';
import { SPLITS } from '../../environments/arithmetic/data.ts';
import { ESTIMATORS, type EstimatorId } from '../../environments/cat/types.ts';
import type { HandledModel } from '../../environments/types.ts';
import { type InferenceRow, infer, type PosedProblem } from '../../experiments/cat/infer.ts';
import { joinedRows } from '../../experiments/cat/summary.ts';
import { contentKey } from '../../experiments/records/artifacts.ts';
import { NUMBER_RULES } from '../../lib/exact/read-number.ts';
import { openModelText } from '../../storage/model-text.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { Thinking } from '../../text/thinking.ts';
import { integer, integers, list, number, oneOf, text, toggle, type Values } from '../args.ts';
import { madeBy } from '../code-commit.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import { yieldToEvents } from '../drain.ts';
import { jsonLines, RowFile, type RowKind, readRows } from '../files/rows.node.ts';
import { readLines } from '../grade/lines.ts';
import { ADAPTER_FLAG } from '../model/adapter.ts';
import { openEngine } from '../model/engine.ts';
import { modelLines, openModel } from '../model/folder.ts';
import {
  JUDGED_WORDS,
  noteUnread,
  PROMPT_FLAGS,
  promptIdentity,
  promptSettings,
  ROWS_ALONE,
  refuseUnused,
  THINKING_FLAG,
  thinkingWith,
} from '../model/prompts.ts';
import { STORAGE_FLAG } from '../model/storage-choice.ts';
import { loadEmbeddedModel } from '../ports.node.ts';
import { environmentProblems, fileProblems } from './synthesise-problems.ts';
import { inferenceTables } from './synthesise-tables.ts';

const usage = {
  name: 'synthesise',
  summary:
    'Makes one reference answer of several attempts at each problem, by vote, likelihood and synthesis (Compute as Teacher), and says how often each is right.',
  flags: {
    model: text('DIR', 'Folder in Hugging Face’s layout; the environment’s own embedded model where absent.', null),
    adapter: ADAPTER_FLAG,
    ...PROMPT_FLAGS,
    environment: oneOf(['arithmetic'], 'Whose held-out problems are asked.', null),
    split: oneOf(SPLITS, 'Of an environment, this split’s problems alone; both where absent.', null),
    problems: text('FILE', 'Problems of your own: JSON lines with `question` and, where it is known, `answer`.', null),
    rows: text(
      'FILE',
      'Print the table of rows that were written before; nothing is computed. Of several files, separated by commas, rows of the same attempts are joined.',
      null,
    ),
    group: integers('Attempts that a reference is made of; 1,2,4,8 where absent.'),
    estimators: list(ESTIMATORS, 'Whose references; all but oracle and self_choice where absent.'),
    seeds: integer('Sampling seeds, one after the other.', 1, 1, 100),
    'first-seed': integer('The first of them; rows of several calls may stand in one file.', 1, 0),
    count: integer('Problems of each split, or the first of the file; 240 of a split where absent.', null, 1, 4096),
    thinking: THINKING_FLAG,
    temperature: number('Of the attempts; references are written greedily.', 1, 0, 10),
    'max-new': integer(
      'Most tokens of an attempt or a synthesis; 64 of an environment, 256 of a file where absent.',
      null,
      1,
    ),
    out: text('FILE', 'Write the rows there, a JSON line each; those that are there already are not made again.', null),
    ...deviceFlags('What to compute on.'),
    storage: STORAGE_FLAG,
    json: toggle('Print the rows as JSON lines instead of tables.'),
  },
  notes: [
    'Attempts of a smaller group are the first of the largest. Answers agree where their exact values do: 1/2, 0.5 and \\frac{2}{4} are one;',
    'what is no number counts as no answer. Of an answer to a file’s problem the last \\boxed{} is read, or the last number where there is no',
    'box. The answer that a file states is one number as a whole, or refused with its line: docs/tutorials/your-problems.md, Numbers.',
  ].join('\n'),
} as const;
type Options = Values<typeof usage.flags>;

/** Rows in a file name the settings that made them. */
type RowWithSettings = InferenceRow & { readonly made?: string };

const DEFAULT_ESTIMATORS: readonly EstimatorId[] = ESTIMATORS.filter((id) => id !== 'oracle' && id !== 'self_choice');

export const synthesise = command(usage, async ({ flags }, context) => {
  if (flags.rows !== null) refuseUnused(flags, ROWS_ALONE);
  const rows =
    flags.rows === null ? await compute(flags, context) : await readInferenceRows(flags.rows, context.progress.note);
  if (flags.rows !== null && flags.out !== null)
    await (await RowFile.create(flags.out, context.progress.note)).append(...rows);
  context.out(flags.json ? jsonLines(rows).trimEnd() : inferenceTables(rows));
  return EXIT.ok;
});

async function compute(flags: Options, context: CommandContext): Promise<InferenceRow[]> {
  const { progress, signal, root } = context;
  if ((flags.environment === null) === (flags.problems === null))
    throw new SpecError('Either --environment or --problems says what is asked.', 'Give one of them.');
  if (flags.split !== null && flags.environment === null)
    throw new SpecError('--split is of an environment: a file has none.', 'Leave it out, or give --environment.');
  const groups = [...new Set(flags.group ?? [1, 2, 4, 8])].sort((a, b) => a - b);
  if (groups[0] < 1 || groups[groups.length - 1] > 64)
    throw new SpecError(`--group ${groups.join(',')}: from 1 to 64 attempts.`, 'Give such as 1,2,4,8.');
  const isOwn = flags.model !== null || flags.adapter !== null;
  if (!isOwn && flags.problems !== null)
    throw new SpecError('--problems needs a model that talks.', 'Name its folder with --model.');
  const embedded = 'tiny-arithmetic';
  const { folder, files } = isOwn
    ? await openModel(flags, context)
    : { folder: embedded, files: await loadEmbeddedModel(root, embedded) };
  for (const line of modelLines(files)) progress.note(line);
  const prompts = await promptSettings(flags);
  const words = await openModelText(files, folder, prompts);
  // A file's questions are rendered already; an environment's are in the lab's notation.
  const codec = flags.problems === null ? words.codec : words.chatCodec;
  await noteUnread(words, progress);
  const thinking = thinkingWith(flags.thinking, words);
  if (thinking === 'strip' || flags.thinking !== null) progress.note(JUDGED_WORDS[thinking]);
  const problems: PosedProblem[] =
    flags.problems === null
      ? environmentProblems(flags.count ?? 240, flags.split)
      : fileProblems(await readLines(flags.problems), words, flags.count);
  if (problems.length === 0)
    throw new FormatError(`${flags.problems} holds no problems.`, 'Write {"question": "…"} a line.');
  const maxNew = flags['max-new'] ?? (flags.problems === null ? 64 : 256);
  const { temperature } = flags;
  const estimators = flags.estimators ?? DEFAULT_ESTIMATORS;
  const rules = flags.problems === null ? [] : [NUMBER_RULES];
  const made = await contentKey([
    ...[files.sha256, groups, estimators, maxNew, temperature, problems.map(rowIdentity), ...rules],
    ...promptIdentity(prompts, thinking),
  ]);
  const file = flags.out === null ? null : await RowFile.open<RowWithSettings>(flags.out, ROWS, progress.note);
  file?.checkMade(made, 'other problems, or made with other options');
  if (file?.rows.length)
    progress.note(`${flags.out} has ${file.rows.length} rows of this already: the rest is computed.`);
  const longest = Math.max(...problems.map(({ prompt }) => codec.encodeChat(prompt).length));
  const size = { prompts: 16, sequences: 16 * groups[groups.length - 1], promptTokens: longest, maxNew };
  const work = { rollouts: [size], scores: [], adapter: 'none' } as const;
  const plan = { storage: flags.storage, work };
  const { device, engine, free } = await openEngine(files, flags, { progress, signal }, { plan });
  const rows = (file?.rows ?? []).map(withoutSettings);
  const known = new Set(rows.map(({ seed, id }) => `${seed} ${id}`));
  try {
    if (file) file.by = await madeBy(root, device.name);
    const model = engineHandle(engine, codec, thinking);
    const seeds = Array.from({ length: flags.seeds }, (_, i) => flags['first-seed'] + i);
    for (const [i, firstSeed] of seeds.entries()) {
      const left = problems.filter(({ id }) => !known.has(`${firstSeed} ${id}`));
      const settings = { firstSeed, seeds: 1, groups, estimators, maxNew, temperature, signal, breathe: yieldToEvents };
      let done = problems.length - left.length;
      for await (const part of infer(model, left, settings)) {
        rows.push(...part);
        await file?.append(...part.map((row) => ({ ...row, made })));
        done += part.length;
        progress.update('problems', i * problems.length + done, seeds.length * problems.length);
        await yieldToEvents();
        signal.throwIfAborted();
      }
    }
  } finally {
    free();
  }
  return rows;
}

/** Fields of a problem that determine its row. */
const rowIdentity = ({ id, prompt, truth }: PosedProblem) => [id, prompt, truth()];
const withoutSettings = ({ made: _, ...row }: RowWithSettings): InferenceRow => row;

const ROWS: RowKind<RowWithSettings> = {
  command: 'synthesise',
  read(value) {
    const row = value as Partial<RowWithSettings>;
    const isRow = typeof row.id === 'string' && Array.isArray(row.answers) && typeof row.references === 'object';
    return isRow ? (row as RowWithSettings) : null;
  },
};

export async function readInferenceRows(paths: string, note: (line: string) => void): Promise<InferenceRow[]> {
  const files: InferenceRow[][] = [];
  for (const path of paths.split(',')) files.push((await readRows(path, ROWS, note)).map(withoutSettings));
  return joinedRows(files);
}

/** A loaded model, untrained, behind the interface for asking models: it writes, and gives the likelihood of a text. */
export function engineHandle(policy: Policy, codec: PromptCodec, thinking: Thinking = 'keep'): HandledModel {
  const writer = new EngineLanguageModel({ id: 'anchor', policy, adapterParams: null, codec });
  return {
    id: writer.id,
    codec,
    endTokens: writer.endTokens,
    thinking,
    room: policy.config.maxPositions,
    generateTokens: (request) => writer.generateTokens(request),
    generate: (prompts, options) => writer.generate(prompts, options),
    async logprobs(sequences, signal) {
      const batch = await policy.score(
        sequences.map((sequence) => ({ ...sequence, segment: 0 })),
        1,
        signal,
      );
      batch.free();
      return batch.logprobs.map((row) => row.slice());
    },
  };
}
