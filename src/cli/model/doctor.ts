// `doctor`: the contents of a model's folder and the lab's use of them, before anything is computed: which files are read, the effect of
// each field of config.json, where a text begins and ends, the first tokens of a rendered prompt, memory, and refusals.
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isNamed, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { shown } from '../../engine/rope.ts';
import { PRESET_NAMES } from '../../experiments/config/run-spec.ts';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import { examineModel } from '../../lab/models/examination.ts';
import {
  EXAMINED_PROMPT,
  type Examination,
  type ExaminedText,
  type ExaminedToken,
} from '../../lab/protocol/examination.ts';
import { bytesText } from '../../lib/numbers.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { adapterLine, type PeftAdapter, readPeftAdapter } from '../../storage/peft/adapter.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { oneOf, text, toggle } from '../args.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { renderTable } from '../table.ts';
import { adapterSource } from './adapter.ts';
import { PROMPT_FLAGS, promptSettings } from './prompts.ts';

const usage = {
  name: 'doctor',
  summary: 'Tells what is in a model’s folder, what of it is used, left out or refused, and what the model is shown.',
  positional: ['MODEL'],
  flags: {
    adapter: text('DIR|REPO', 'A LoRA adapter of PEFT, as it is folded into MODEL.', null),
    prompt: text('TEXT', 'What a user says: it is rendered by the model’s chat template.', EXAMINED_PROMPT),
    ...PROMPT_FLAGS,
    preset: oneOf(PRESET_NAMES, 'Whose training the memory is counted for.', 'demo'),
    json: toggle('Print the report as JSON.'),
  },
  notes:
    'MODEL is a folder in Hugging Face’s layout. Exit code 1 where something is refused: the report says what and why.',
} as const;

export const doctor = command(usage, async ({ flags, positional }, context) => {
  const folder = resolve(positional[0]);
  const spec = parseExperimentSpec({ preset: flags.preset });
  const prompts = await promptSettings(flags);
  const report = await examineModel(diskSource(folder), await filesIn(folder), { prompt: flags.prompt, spec, prompts });
  const adapter = await adapterOf(folder, flags.adapter, report, context);
  const whole = adapter ? Object.assign({ adapter: adapter.facts }, report) : report;
  const lines = () => [...(adapter ? [adapterLine(adapter)] : []), ...examinationLines(report)].join('\n');
  context.out(flags.json ? JSON.stringify(whole, null, 2) : lines());
  return report.refusals.length === 0 ? EXIT.ok : EXIT.failed;
});

/** The adapter as it is read; null where none is named or something is refused, which the report then says. */
async function adapterOf(
  folder: string,
  given: string | null,
  { refusals }: Examination,
  context: CommandContext,
): Promise<PeftAdapter | null> {
  if (given === null || refusals.length > 0) return null;
  try {
    const adapter = await readPeftAdapter(
      await adapterSource(given, context),
      await loadModelFiles(diskSource(folder)),
    );
    context.progress.end();
    return adapter;
  } catch (error) {
    if (!isNamed(error)) throw error;
    refusals.push({ of: 'adapter', message: error.message, remedy: error.remedy });
    return null;
  }
}

async function filesIn(folder: string): Promise<{ path: string; bytes: number }[]> {
  const names = await readdir(folder, { withFileTypes: true }).catch((error) => {
    throw new SpecError(
      `${folder} is no folder that can be read (${error.code}).`,
      'Name a folder with config.json, model.safetensors and tokenizer.json.',
    );
  });
  const files: { path: string; bytes: number }[] = [];
  for (const entry of names) {
    // A cache of the Hub holds links to its files.
    const info = await stat(join(folder, entry.name)).catch(() => null);
    if (info?.isFile()) files.push({ path: entry.name, bytes: info.size });
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function examinationLines(report: Examination): string[] {
  const { label, files, config, fields, weights, text: words, memory, notes, refusals } = report;
  const lines = [label, ''];
  const section = (title: string, found: readonly string[]) => {
    if (found.length > 0) lines.push(title, ...found.map((line) => `  ${line}`), '');
  };
  section(
    'Refused',
    refusals.flatMap(({ of, message, remedy }) => [`${of}: ${message}`, `  ${remedy}`]),
  );
  section('Warnings', notes);
  section(
    'Files',
    table(
      ['File', 'Bytes', '', 'What it is'],
      files.map(({ path, bytes, isRead, why }) => [path, bytesText(bytes), isRead ? 'read' : 'left out', why]),
    ),
  );
  const groups = ['used', 'refused', 'without effect', 'unknown'] as const;
  section(
    'config.json',
    table(
      ['Field', 'Value', 'In the lab', 'Why'],
      groups.flatMap((group) =>
        fields
          .filter(({ effect }) => effect === group)
          .map(({ name, value, effect, why, refusal }) => [
            name.slice(0, 40),
            shown(value).slice(0, 40),
            refusal !== null ? 'REFUSED' : effect === 'refused' ? 'changes nothing' : effect,
            why,
          ]),
      ),
    ),
  );
  if (config && weights) {
    const dtypes = Object.entries(weights.dtypes).map(([dtype, count]) => `${dtype} ${(count / 1e6).toFixed(1)} M`);
    section('Weights', [
      `${config.architecture}, ${config.layers} layers of width ${config.hiddenSize}, ${(weights.parameters / 1e6).toFixed(1)} M parameters, ${bytesText(weights.bytes)} of files (${dtypes.join(', ')})`,
      weights.head === 'embedding' ? 'The head is the embedding (tied).' : 'The head has weights of its own.',
      ...(weights.ignored.length > 0 ? [`Without effect and left out: ${weights.ignored.join(', ')}`] : []),
    ]);
  }
  if (words) section('Text', textLines(words));
  if (words)
    section(
      `Prompt: the first ${words.prompt.tokens.length} of ${words.prompt.count} tokens, ${words.prompt.isChat ? 'by the chat template' : 'as plain text'}`,
      words.prompt.tokens.map(tokenText),
    );
  section(
    'Memory on a CPU device',
    table(
      ['Weights as', 'To answer', 'To train'],
      memory.map(({ storage, answer, train }) => [storage, bytesText(answer), train === null ? '–' : bytesText(train)]),
    ),
  );
  lines.push(refusals.length === 0 ? 'The lab can use this model.' : 'The lab cannot use this model as it is.');
  return lines;
}

const table = (head: readonly string[], rows: readonly string[][]): string[] =>
  rows.length === 0
    ? []
    : renderTable(head, rows, (column) => head[column] === 'Bytes' || head[column].startsWith('To ')).split('\n');

const tokenText = ({ id, text: words }: ExaminedToken): string => `${String(id).padStart(7)} ${JSON.stringify(words)}`;

function textLines({
  vocabSize,
  begin,
  beginsInChat,
  ends,
  pad,
  template,
  knowsThinking,
  ...sampling
}: ExaminedText): string[] {
  const all = (tokens: readonly ExaminedToken[]) =>
    tokens.map(({ id, text: words }) => `${id} ${JSON.stringify(words)}`).join(', ');
  const { temperature, maxNew, undone } = sampling;
  return [
    `Vocabulary: ${vocabSize} tokens`,
    `A plain text begins with: ${begin.length > 0 ? all(begin) : 'nothing'}`,
    ...(beginsInChat === null ? [] : [`A chat begins with it ${beginsInChat} time${beginsInChat === 1 ? '' : 's'}`]),
    `An answer ends at: ${all(ends)}`,
    `Padding: ${all([pad])}`,
    `Chat template: ${template ?? 'none'}${template && knowsThinking ? '; it knows thinking' : ''}`,
    `Sampling by default: temperature ${temperature}${maxNew === null ? '' : `, at most ${maxNew} tokens`}${undone.length > 0 ? `; not done here: ${undone.join(', ')}` : ''}`,
  ];
}
