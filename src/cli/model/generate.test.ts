// `generate`: reference models give the reference's answers, seeds count, impossible flags and folders are refused.

import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FormatError, ShapeError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { helpText } from '../args.ts';
import { generate } from './generate.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const TINY = join(root, 'public', 'models', 'tiny-coder');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'generate-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The printed text, and the lines on stderr. */
async function call(argv: string[], signal = new AbortController().signal, onProgress = () => {}) {
  const printed: string[] = [];
  const notes: string[] = [];
  const device = argv.includes('--device') ? [] : ['--device', 'cpu'];
  const code = await generate.run([...argv, ...device], {
    out: (text) => void printed.push(text),
    progress: { update: onProgress, line: () => {}, note: (line) => void notes.push(line), end: () => {} },
    signal,
    root,
  });
  expect(code).toBe(0);
  return { printed: printed.join('\n'), notes: notes.join('\n') };
}
const asJson = async (...argv: string[]) => JSON.parse((await call([...argv, '--json'])).printed);

/** The embedded model with one of its JSON files changed, as a folder without a manifest may be. */
async function variant(
  name: string,
  file: string,
  change: (json: Record<string, unknown>) => unknown,
): Promise<string> {
  const to = join(folder, name);
  await cp(TINY, to, { recursive: true });
  await rm(join(to, 'manifest.json'));
  const text = existsSync(join(to, file)) ? await readFile(join(to, file), 'utf8') : '{}';
  await writeFile(join(to, file), JSON.stringify(change(JSON.parse(text))));
  return to;
}

describe.each([
  { name: 'stories260K', ask: ['--prompt', ''], ended: false },
  { name: 'minimind2-small', ask: ['--prompt', 'What is the capital of France?', '--chat'], ended: true },
])('generate with $name', ({ name, ask, ended }) => {
  const model = resolve('..', 'shared', 'models', name);
  it.skipIf(!existsSync(model))(
    'prints the reference’s ids, and their text (skipped where ../shared is missing)',
    async () => {
      const golden = JSON.parse(await readFile(join(model, 'golden.json'), 'utf8'));
      const count = golden.greedy_ids.length;
      const length = ['--max-new', String(ended ? count + 5 : count)];
      const said = await asJson('--model', model, ...ask, '--greedy', ...length);
      expect(said.promptIds).toEqual(golden.prompt_ids);
      expect(said.ids).toEqual(ended ? [...golden.greedy_ids, 2] : golden.greedy_ids);
      expect(said.ended).toBe(ended);
      expect(said.text).toMatch(
        ended ? /^The capital of France is Paris\.$/ : /^ Once upon a time, there was a little girl/,
      );
      const { printed, notes } = await call(['--model', model, ...ask, '--max-new', '3']);
      expect(printed).toMatch(new RegExp(`^ids ${golden.greedy_ids.slice(0, 3).join(' ')}\n`));
      expect(notes).toMatch(/M parameters/);
    },
    120_000,
  );
});

describe('generate', () => {
  const chat = ['--prompt', 'def f(x):', '--chat', '--max-new', '12'];

  it('is greedy by default, and samples with a seed if the model’s config or a flag requires it', async () => {
    const greedy = await asJson(...chat);
    expect(greedy.sampling).toMatchObject({ temperature: 0, maxNew: 12 });
    expect(await asJson(...chat, '--greedy')).toEqual(greedy);
    const [one, again, two] = [
      await asJson(...chat, '--temperature', '1.5', '--seed', '1'),
      await asJson(...chat, '--temperature', '1.5', '--seed', '1'),
      await asJson(...chat, '--temperature', '1.5', '--seed', '2'),
    ];
    expect(again).toEqual(one);
    expect(two.ids).not.toEqual(one.ids);

    const wants = { do_sample: true, temperature: 1.5, top_k: 20, max_new_tokens: 12 };
    const model = await variant('sampled', 'generation_config.json', () => wants);
    const { printed, notes } = await call(['--model', model, ...chat.slice(0, 3), '--seed', '1', '--json']);
    expect(JSON.parse(printed)).toMatchObject({ ids: one.ids, sampling: { temperature: 1.5, maxNew: 12 } });
    expect(notes).toContain('generation_config.json also asks for top_k 20, which is not done here');
    const flagged = await call(['--model', model, ...chat, '--greedy', '--json']);
    expect(JSON.parse(flagged.printed).ids).toEqual(greedy.ids);
    expect(flagged.notes).not.toContain('top_k');
  });

  it('ends at any of the ids that the model names', async () => {
    const { ids } = await asJson(...chat);
    const third = ids.findIndex((id: number, i: number) => i >= 2 && ids.indexOf(id) === i);
    const model = await variant('ends', 'generation_config.json', () => ({ eos_token_id: [510, 509, ids[third]] }));
    const said = await asJson('--model', model, ...chat);
    expect(said.ids).toEqual(ids.slice(0, third + 1));
    expect(said.ended).toBe(true);
  });

  it('stores weights as requested, and reports it', async () => {
    // tiny-coder's file is in F16, so that in half precision it is the same model, to the last probability.
    const { notes } = await call([...chat]);
    expect(notes).toMatch(/Memory: f32: [\d.]+ MB of 4\.29 GB/);
    const plain = await asJson(...chat);
    expect(plain.sampling.storage).toBe('f32');
    const halves = await asJson(...chat, '--storage', 'f16');
    expect(halves).toEqual({ ...plain, sampling: { ...plain.sampling, storage: 'f16' } });
    const bytes = await call([...chat, '--storage', 'q8', '--json']);
    expect(JSON.parse(bytes.printed).sampling.storage).toBe('q8');
    expect(bytes.notes).toMatch(/Memory: q8, [\d.]+ MB planned/);
    await expect(call([...chat, '--storage', 'q4'])).rejects.toThrow(SpecError);
  });

  it('gives the same answer on WebGPU as on the CPU', async ({ skip }) => {
    const onGpu = await call([...chat, '--json', '--device', 'webgpu']).catch((error: unknown) => String(error));
    if (typeof onGpu === 'string') return skip(onGpu);
    const [gpu, cpu] = [JSON.parse(onGpu.printed), await asJson(...chat)];
    expect(gpu.device.kind).toBe('webgpu');
    expect(gpu.ids).toEqual(cpu.ids);
  }, 120_000);

  it('refuses what cannot be, with the reason', async () => {
    const refused = async (argv: string[], says: RegExp, kind: new (...args: never[]) => Error = SpecError) => {
      const error: unknown = await call(argv).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(kind);
      expect(String(error)).toMatch(says);
    };
    await refused([], /--prompt is missing/);
    await refused(['--prompt', ''], /no token that begins a text/);
    await refused([...chat, '--greedy', '--temperature', '1'], /contradict/);
    await refused(['--prompt', 'x', '--system', 'y'], /part of a conversation/);
    await refused([...chat, '--model', join(folder, 'nowhere')], /nowhere has no config\.json/, FormatError);
    await refused(['--prompt', 'x', '--max-new', '9999'], /exceed the model's 512 positions/, ShapeError);
    await refused(['--prompt', 'x '.repeat(900)], /tokens, the model 512 positions/);
    const bare = await variant('bare', 'tokenizer_config.json', ({ chat_template: _, ...rest }) => rest);
    await refused([...chat, '--model', bare], /has no chat template/, FormatError);
  });

  it('hears while it writes that it is to stop', async () => {
    const stop = new AbortController();
    // The abort comes as a system signal does: between two turns of the event loop.
    const later = () => void setTimeout(() => stop.abort(), 0);
    const work = call(['--prompt', 'x', '--max-new', '500', '--temperature', '4'], stop.signal, later);
    await expect(work).rejects.toThrow(StoppedError);
  });

  it('says in its help where defaults come from', () => {
    expect(helpText(generate.usage)).toMatch(/generation_config\.json decides: temperature \(greedy unless/);
  });
});
