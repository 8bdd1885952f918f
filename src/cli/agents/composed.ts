// `are composed`: evaluates a folder's model on composed forms, by split, greedily; writes rows to a file, and prints their shares.

import { SPLITS } from '@projected-grpo-lab/are/generate/template.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import {
  type ComposedMetrics,
  composedMetrics,
  measureComposed,
  type SampledRow,
} from '../../experiments/environments/agents.ts';
import { contentKey } from '../../experiments/records/artifacts.ts';
import { three } from '../../lib/numbers.ts';
import { openModelText } from '../../storage/model-text.ts';
import { integer, number, oneOf, text, toggle, type Values } from '../args.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { remakingFlags } from '../device-flags.ts';
import { RowFile, readRows, rowsOf } from '../files/rows.node.ts';
import { ADAPTER_FLAG } from '../model/adapter.ts';
import { openEngine } from '../model/engine.ts';
import { openModel } from '../model/folder.ts';
import { noteUnread, PROMPT_FLAGS, promptSettings } from '../model/prompts.ts';
import { renderTable } from '../table.ts';

const usage = {
  name: 'are composed',
  summary:
    'Asks a model composed forms of all five splits and prints what share it passes; of rows alone where none is named.',
  flags: {
    model: text('DIR', 'The folder of a model of composed forms.', null),
    adapter: ADAPTER_FLAG,
    ...PROMPT_FLAGS,
    'model-name': text('NAME', 'Its name in rows; the folder’s where absent.', null),
    rows: text(
      'FILE',
      'JSON lines, an episode each; what stands there is not played again. Of a .gz it is read alone.',
      null,
    ),
    part: oneOf(['templates', 'words'], 'Held-out forms, or forms for training in other words.', 'templates'),
    n: integer('Tasks of each split in a draw.', 20, 1, 10_000),
    draws: integer('Draws of tasks: their seeds are 1, 2 …', 5, 1, 100),
    temperature: number('Of sampling; 0 is greedy.', 0, 0, 10),
    json: toggle('Print figures and rows as JSON.'),
    ...remakingFlags('What the model is computed on.'),
  },
} as const;

const schema = z.object({
  model: z.string(),
  part: z.enum(['templates', 'words']),
  seed: z.int(),
  temperature: z.number(),
  split: z.enum(SPLITS),
  form: z.string(),
  task: z.string(),
  success: z.boolean(),
  failure: z.nullable(z.string()),
  turns: z.int(),
  refused: z.int(),
  ended: z.boolean(),
  prompts: z.optional(z.string()),
});
export const COMPOSED_ROWS = rowsOf<SampledRow>('are composed', schema);

export const areComposed = command(usage, async ({ flags }, context) => {
  const { out } = context;
  const { note } = context.progress;
  const { model, rows: path, part, draws, temperature } = flags;
  if (model === null && path === null) throw new SpecError('Nobody is asked.', 'Give --model DIR, or --rows FILE.');
  const isRead = path !== null && (model === null || path.endsWith('.gz'));
  if (model === null && (flags['chat-template'] !== null || Object.keys(flags['chat-arg']).length > 0))
    throw new SpecError('--chat-template and --chat-arg are of a model that is asked.', 'Give --model DIR too.');
  if (isRead && model !== null) throw new SpecError(`${path} is read alone.`, 'Name a file without .gz for new rows.');
  const file = path === null || isRead ? null : await RowFile.open(path, COMPOSED_ROWS, note);
  const rows = isRead ? await readRows(path, COMPOSED_ROWS, note) : [...(file?.rows ?? [])];
  if (model !== null) rows.push(...(await playComposed({ ...flags, model }, rows, file, context)));
  const matching = rows.filter((row) => row.part === part && row.seed <= draws && row.temperature === temperature);
  if (matching.length === 0)
    throw new SpecError('No row is of these settings.', 'Give the --part and --temperature of the rows.');
  const figures = composedMetrics(matching);
  if (flags.json) out(JSON.stringify({ part, temperature, figures, rows: matching }, null, 2));
  else for (const own of figures) out(shownTable(own));
  return EXIT.ok;
});

function shownTable({ model, seeds, solve, mean, sd, tasks }: ComposedMetrics) {
  const draws = seeds.map((seed, i) => [String(seed), ...SPLITS.map((split) => three(solve[split][i] ?? 0))]);
  const spread = SPLITS.map((split) => `${three(mean[split])} ± ${three(sd[split] ?? 0)}`);
  const table = renderTable(['draw', ...SPLITS], [...draws, ['mean', ...spread]]);
  return `${model}: share passed, ${tasks} tasks a split in each draw\n${table}`;
}

async function playComposed(
  flags: Values<typeof usage.flags> & { model: string },
  known: readonly SampledRow[],
  file: RowFile<SampledRow> | null,
  context: CommandContext,
): Promise<SampledRow[]> {
  const { progress, signal } = context;
  const { part, draws, temperature, n } = flags;
  const { folder, files } = await openModel(flags, context);
  const settings = await promptSettings(flags);
  const words = await openModelText(files, folder, settings);
  await noteUnread(words, progress);
  const { codec } = words;
  const name = flags['model-name'] ?? flags.model;
  const prompts = Object.keys(settings).length > 0 ? { prompts: (await contentKey(settings)).slice(0, 16) } : {};
  if (known.some((row) => row.model === name && row.prompts !== prompts.prompts))
    throw new SpecError(
      `${flags.rows} has rows of ${name} with another --chat-template or --chat-arg.`,
      'Give another file with --rows, or another name with --model-name.',
    );
  const { engine: policy, free } = await openEngine(files, { ...flags, isPlain: true }, context);
  const made: SampledRow[] = [];
  try {
    for (let seed = 1; seed <= draws; seed++) {
      const who = { model: name, part, seed, temperature, ...prompts };
      const isSame = (row: SampledRow) =>
        row.model === who.model && row.part === part && row.seed === seed && row.temperature === temperature;
      const there = new Set(known.filter(isSame).map(({ task }) => task));
      await measureComposed(
        { policy, codec, signal },
        { part, count: n, seed, temperature },
        there,
        async (rows, of) => {
          const own = rows.map((row) => ({ ...who, ...row }));
          await file?.append(...own);
          made.push(...own);
          progress.update('episodes', made.length, of * draws);
        },
      );
    }
  } finally {
    free();
  }
  return made;
}
