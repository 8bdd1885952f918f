// `generate`: a person's own model (a folder in Hugging Face's layout) answers one prompt: token ids and text. It samples as the page's
// playground does, so that the same model, seed and temperature give the same text there.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { keyFor, STREAMS } from '../../rng/index.ts';
import type { ModelFiles } from '../../storage/model-files.ts';
import { type ModelText, openModelText } from '../../storage/model-text.ts';
import { answerText, cutAtEnd } from '../../text/answer.ts';
import { integer, number, text, toggle, type Values } from '../args.ts';
import { command, EXIT } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import { yieldToEvents } from '../drain.ts';
import { openEngine } from './engine.ts';
import { MODEL_FLAGS, modelFolder, modelLines, openModel } from './folder.ts';
import { noteUnread, PROMPT_FLAGS, promptSettings } from './prompts.ts';
import { STORAGE_FLAG, STORAGE_NOTES } from './storage-choice.ts';

const FALLBACK_MAX_NEW = 128;

const usage = {
  name: 'generate',
  summary: 'Lets a model write: prints the ids and the text of its answer to one prompt.',
  flags: {
    ...MODEL_FLAGS,
    prompt: { ...text('TEXT', 'What it answers to, or goes on from; may be empty.', null), schema: z.string() },
    chat: toggle('Put the prompt into the model’s chat template, as a user’s message.'),
    system: text('TEXT', 'A system message before it (with --chat).', null),
    ...PROMPT_FLAGS,
    greedy: toggle('Always the likeliest token.'),
    temperature: number('Sample at this temperature from the whole distribution; 0 is greedy.', null, 0, 10),
    seed: integer('Of the sampling.', 0),
    'max-new': integer('Most tokens to write.', null, 1),
    ...deviceFlags('What to compute on.'),
    storage: STORAGE_FLAG,
    json: toggle('Print ids, text and settings as JSON.'),
  },
  notes: [
    'Where a flag is absent, the model’s generation_config.json decides: temperature (greedy unless it says do_sample),',
    `max_new_tokens (else ${FALLBACK_MAX_NEW}) and the ids that end an answer. Of its other wishes (top_k, top_p, repetition_penalty, …) none is`,
    'followed: the lab samples as it trains, from the whole distribution; stderr says what was left out.',
    'With --adapter the JSON has `adapter`: folder, r, modules, scale (one number, or least and largest), sha256, base.',
    STORAGE_NOTES,
  ].join('\n'),
} as const;
type Options = Values<typeof usage.flags>;

export const generate = command(usage, async ({ flags }, context) => {
  const { out, progress, signal, root } = context;
  checkFlags(flags);
  const reading = flags.model === null && flags.adapter !== null ? flags.adapter : modelFolder(flags.model, root);
  progress.note(`Reading ${reading} …`);
  const { folder, files, adapter } = await openModel(flags, context);
  const words = await openModelText(files, folder, await promptSettings(flags));
  await noteUnread(words, progress);
  const prompt = promptOf(flags, words);
  const settings = settingsOf(flags, words, files, prompt.length);
  for (const line of aboutModel(files, flags, words)) progress.note(line);

  const size = { prompts: 1, sequences: 1, promptTokens: prompt.length, maxNew: settings.maxNew };
  const work = { rollouts: [size], scores: [], adapter: 'none' } as const;
  const plan = { storage: flags.storage, work, isHostReported: true };
  const { engine, report, storage, free } = await openEngine(files, flags, { progress, signal }, { plan });
  const { maxNew, temperature, endTokens } = settings;
  const [answer] = await engine
    .generate({
      prompts: [prompt],
      sequences: [{ prompt: 0, key: keyFor(flags.seed, STREAMS.evaluation, 0, 0) }],
      maxNew,
      temperature,
      endTokens,
      signal,
      breathe: (tokens) => {
        progress.update('tokens', tokens, maxNew);
        return yieldToEvents();
      },
    })
    .finally(free);
  const cut = cutAtEnd(answer.tokens, endTokens);
  const written = answerText(words.codec, prompt, cut);
  if (flags.json) {
    const { architecture } = files.config;
    const model = { folder, architecture, sha256: files.sha256, parameters: files.parameters };
    const sampling = { ...settings, seed: flags.seed, undone: words.defaults.undone, storage };
    const folded = adapter === null ? {} : { adapter };
    out(
      JSON.stringify({ model, ...folded, device: report, promptIds: prompt, sampling, ...cut, text: written }, null, 2),
    );
  } else out(`ids ${cut.ids.join(' ')}\n${written}`);
  return EXIT.ok;
});

function checkFlags(flags: Options): void {
  const see = 'See: npm run lab -- generate --help';
  if (flags.prompt === null) throw new SpecError('--prompt is missing.', see);
  if (flags.greedy && flags.temperature !== null)
    throw new SpecError('--greedy and --temperature contradict each other.', 'Give one of them.');
  if (flags['chat-template'] !== null && !flags.chat)
    throw new SpecError('--chat-template writes a conversation.', 'Add --chat.');
  if (Object.keys(flags['chat-arg']).length > 0 && !flags.chat)
    throw new SpecError('--chat-arg is for the template of a conversation.', 'Add --chat.');
  if (flags.system !== null && !flags.chat) throw new SpecError('--system is part of a conversation.', 'Add --chat.');
}

function promptOf(flags: Options, { codec, chatIds }: ModelText): number[] {
  const words = flags.prompt ?? '';
  const system = flags.system === null ? [] : [{ role: 'system' as const, content: flags.system }];
  const ids = flags.chat ? chatIds([...system, { role: 'user', content: words }]) : codec.encodePrompt(words);
  if (ids.length > 0) return ids;
  throw new SpecError('The prompt is empty, and this model has no token that begins a text.', 'Give it a --prompt.');
}

function settingsOf(flags: Options, { codec, defaults }: ModelText, { config }: ModelFiles, promptTokens: number) {
  const room = config.maxPositions - promptTokens;
  if (room < 1)
    throw new SpecError(
      `The prompt has ${promptTokens} tokens, the model ${config.maxPositions} positions.`,
      'Shorten the prompt.',
    );
  return {
    temperature: flags.greedy ? 0 : (flags.temperature ?? defaults.temperature),
    // An explicit --max-new that does not fit is refused by the engine; a default is cut to the room.
    maxNew: flags['max-new'] ?? Math.min(room, defaults.maxNew ?? FALLBACK_MAX_NEW),
    endTokens: codec.endTokens,
  };
}

function aboutModel(files: ModelFiles, flags: Options, { defaults }: ModelText): string[] {
  const lines = modelLines(files);
  const isSampled = !flags.greedy && (flags.temperature ?? defaults.temperature) > 0;
  const undone = defaults.undone.filter((what) => isSampled || !/^(top|min|typical)_/.test(what));
  if (undone.length > 0)
    lines.push(`generation_config.json also asks for ${undone.join(', ')}, which is not done here.`);
  return lines;
}
