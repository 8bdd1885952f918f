// `extract`: a hack basis of a person's own model from a file of labelled pairs, as a safetensors file that the lab and the Python
// reference read. The directions are those before the noise floor, as a run keeps them.

import { resolve } from 'node:path';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { refuseFile, writeNew } from '@projected-grpo-lab/base/files/new-file.node.ts';
import { completionsAtOnce } from '../../algorithms/at-once.ts';
import {
  extractBasis,
  type PairGradients,
  type PairTokens,
  pairGradients,
  type RawBasis,
  selectPairs,
} from '../../algorithms/extraction.ts';
import { heldOutAgreement } from '../../algorithms/held-out.ts';
import { Engine } from '../../engine/decoder/engine.ts';
import type { AdapterLayout, Policy } from '../../engine/types.ts';
import type { ContrastivePair } from '../../environments/pair-sets.ts';
import { contentKey } from '../../experiments/records/artifacts.ts';
import { refuseEmptyBasis, writeBasisFile } from '../../storage/basis-file.ts';
import { type ModelText, openModelText } from '../../storage/model-text.ts';
import { conversationIn } from '../../text/chatml.ts';
import { completionIds, givenIds } from '../../text/codec.ts';
import { integer, number, oneOf, text, toggle, type Values } from '../args.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import { yieldToEvents } from '../drain.ts';
import { readPairFile } from '../files/given.node.ts';
import { openDevice } from '../ports.node.ts';
import { renderTable } from '../table.ts';
import { CACHE_FLAG, factorInto, MODEL_FLAGS, readModel } from './folder.ts';
import { noteUnread, PROMPT_FLAGS, promptSettings } from './prompts.ts';

const usage = {
  name: 'extract',
  summary: 'Extracts a hack basis (V and S of every Linear) from labelled pairs on a model’s singular directions.',
  flags: {
    ...MODEL_FLAGS,
    pairs: text('FILE', 'JSON array of {"prompt", "hack", "clean"}.', null),
    out: text('FILE', 'Where the basis goes (.safetensors): a new file.', null),
    chat: toggle(
      'Put each prompt into the model’s chat template, as a user’s message; else it is all that the model reads, or a conversation in ChatML, which the template writes.',
    ),
    ...PROMPT_FLAGS,
    k: integer('Axes to keep per Linear.', 5, 1),
    'tau-axis': number('Axes with S_i / S_0 below this become zero rows.', 0, 0, 1),
    'n-heldout': integer('Pairs at the end of the file that only validate.', 0),
    kind: oneOf(['svd', 'mean_diff'], 'Top singular directions of the differences, or their mean alone.', 'svd'),
    cache: CACHE_FLAG,
    ...deviceFlags('What to compute on.'),
    json: toggle('Print the file’s facts and each Linear’s S and votes as JSON.'),
  },
  notes: 'Votes: on how many of the pairs (of the held-out ones) the difference of gradients points along the axis.',
} as const;
type Options = Values<typeof usage.flags>;

export const extract = command(usage, async ({ flags }, context) => {
  const { out, progress } = context;
  if (flags.pairs === null) throw new SpecError('--pairs is missing.', 'Name a JSON file of labelled pairs.');
  if (flags.out === null)
    throw new SpecError('--out is missing.', 'Name the file to write, such as basis.safetensors.');
  const path = resolve(flags.out);
  await refuseFile(path, '--out');
  const { pairs } = await readPairFile(resolve(flags.pairs), '--pairs');
  const hasConversations = flags.chat || pairs.some(({ prompt }) => conversationIn(prompt));
  const hasPromptFlags = flags['chat-template'] !== null || Object.keys(flags['chat-arg']).length > 0;
  if (hasPromptFlags && !hasConversations)
    throw new SpecError('--chat-template and --chat-arg are for conversations, and no pair has one.', 'Add --chat.');
  const mine = pairs.length - flags['n-heldout'];
  if (mine < 2)
    throw new SpecError(
      `${pairs.length} pairs with --n-heldout ${flags['n-heldout']} leave ${mine}.`,
      'Keep at least 2 pairs.',
    );
  if (flags.kind === 'svd' && flags.k > mine)
    throw new SpecError(`--k ${flags.k} axes from ${mine} pairs.`, `Set --k to at most ${mine}.`);

  const { folder, files } = await readModel(flags, context);
  const words = await openModelText(files, folder, await promptSettings(flags));
  await noteUnread(words, progress);
  const tokens = tokensOf(pairs, words, flags.chat);
  const { device, report } = await openDevice(flags, progress);
  let result: { raw: RawBasis; votes: Votes };
  try {
    const { factors } = await factorInto(flags.cache, device, files, context);
    const { config, weights } = files;
    const policy = await Engine.create({ device, config, weights, adapter: factors });
    result = basisOf(await gradientsOf(policy, tokens, context), policy.adapterLayout, mine, flags);
  } finally {
    progress.end();
    device.destroy();
  }
  const { raw, votes } = result;
  refuseEmptyBasis(flags.pairs, raw);
  const facts = {
    k: flags.kind === 'mean_diff' ? 1 : flags.k,
    nPairs: mine,
    tauAxis: flags['tau-axis'],
    nHeldout: flags['n-heldout'],
    modelSha256: files.sha256,
    pairsSha256: await contentKey(pairs.slice(0, mine)),
    promptsSha256: hasConversations ? await words.promptsSha256() : null,
  };
  await writeNew(path, '--out', writeBasisFile(raw, facts));
  const modules = [...raw].map(([module, { S }]) => ({ module, S: [...S], ...votes(module) }));
  if (flags.json) out(JSON.stringify({ out: flags.out, model: folder, ...facts, device: report, modules }, null, 2));
  else print(out, modules, facts, flags.out);
  return EXIT.ok;
});

function tokensOf(pairs: readonly ContrastivePair[], { codec, chatIds }: ModelText, wrap: boolean): PairTokens[] {
  return pairs.map(({ prompt, hack, clean }, i) => {
    const ids = wrap ? chatIds([{ role: 'user', content: prompt }]) : givenIds(codec, prompt);
    if (ids.length === 0)
      throw new SpecError(`the prompt of pair ${i} has no tokens`, 'Write it out, or leave the pair out.');
    return { prompt: ids, hack: completionIds(codec, hack), clean: completionIds(codec, clean) };
  });
}

/** Sequences do not mix, so splitting them only changes how often a Ctrl-C is heard. */
async function gradientsOf(
  policy: Policy,
  tokens: readonly PairTokens[],
  { progress, signal }: CommandContext,
): Promise<PairGradients> {
  const hack: Float32Array[] = [];
  const clean: Float32Array[] = [];
  const part = Math.max(1, Math.min(8, Math.floor(completionsAtOnce(policy.adapterLayout.total) / 2)));
  for (let from = 0; from < tokens.length; from += part) {
    progress.update('gradients of pairs', from, tokens.length);
    await yieldToEvents();
    if (signal.aborted) throw new StoppedError('stopped', 'Start it again: the singular vectors are kept.');
    const some = await pairGradients(policy, tokens.slice(from, from + part), signal);
    hack.push(...some.hack);
    clean.push(...some.clean);
  }
  progress.update('gradients of pairs', tokens.length, tokens.length);
  return { hack, clean };
}

type Votes = (module: string) => { used: (number | null)[]; heldout: (number | null)[] };

function basisOf(
  gradients: PairGradients,
  layout: AdapterLayout,
  mine: number,
  flags: Options,
): { raw: RawBasis; votes: Votes } {
  const all = gradients.hack.map((_, i) => i);
  const [own, rest] = [all.slice(0, mine), all.slice(mine)].map((some) => selectPairs(gradients, some));
  const raw = extractBasis(own, layout, { k: flags.k, tauAxis: flags['tau-axis'], basisKind: flags.kind });
  const [used, heldout] = [own, rest].map((some) => heldOutAgreement(raw, some, layout).hackward);
  return { raw, votes: (module) => ({ used: used[module], heldout: heldout[module] }) };
}

function print(
  out: (text: string) => void,
  modules: readonly ({ module: string; S: number[] } & ReturnType<Votes>)[],
  { nPairs, nHeldout }: { nPairs: number; nHeldout: number },
  file: string,
): void {
  const count = (votes: (number | null)[]) => votes.map((n) => n ?? '–').join(' ');
  out(
    renderTable(
      [...['Linear', 'S', `votes of ${nPairs}`], ...(nHeldout > 0 ? [`of ${nHeldout} held out`] : [])],
      modules.map(({ module, S, used, heldout }) => [
        module,
        S.map((s) => s.toPrecision(3)).join(' '),
        count(used),
        ...(nHeldout > 0 ? [count(heldout)] : []),
      ]),
    ),
  );
  out(`${file}: ${modules.length} Linears from ${nPairs} pairs`);
}
