// `doctor`: a folder's report for people and as JSON, on a good folder and on one that is refused.
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { weightShapes } from '../../engine/weight-names.ts';
import type { Examination } from '../../lab/protocol/examination.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { callCommand } from '../testing/call.ts';
import { doctor } from './doctor.ts';

const OWN = 'public/models/tiny-coder';
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'doctor-'));
});
afterAll(() => rm(folder, { recursive: true }));

const reported = async (argv: readonly string[]) => {
  const { code, text: out } = await callCommand(doctor, argv);
  return { code, out, report: argv.includes('--json') ? (JSON.parse(out) as Examination) : null };
};

describe('lab doctor', () => {
  it('reports the read files, the rendered prompt, the end tokens and the memory', async () => {
    const { code, report } = await reported([OWN, '--json', '--prompt', 'f(x)?']);
    expect(code).toBe(0);
    expect(report).toMatchObject({
      refusals: [],
      notes: [],
      config: { architecture: 'qwen3', layers: 4 },
      weights: { head: 'embedding', dtypes: { F16: expect.any(Number) }, ignored: [] },
      text: {
        begin: [],
        ends: [{ id: 511, text: '<|im_end|>' }, { id: 509 }],
        template: 'tokenizer_config.json',
        knowsThinking: false,
        prompt: { isChat: true, text: '<|im_start|>user\nf(x)?<|im_end|>\n<|im_start|>assistant\n' },
      },
    });
    const { tokens, count, text } = report!.text!.prompt;
    expect([tokens.length, tokens.map((token) => token.text).join('')]).toEqual([count, text]);
    expect(report!.files.filter(({ isRead }) => !isRead)).toEqual([]);
    expect(report!.fields.find(({ name }) => name === 'hidden_act')).toMatchObject({
      effect: 'refused',
      refusal: null,
    });
    for (const { answer, train } of report!.memory) expect(train).toBeGreaterThan(answer);
  });

  it('has the same for people', async () => {
    const { out } = await reported([OWN]);
    for (const line of [
      /rope_theta +10000 +used/,
      /510 "<\|im_start\|>"/,
      /ends at: 511 "<\|im_end\|>"/,
      /can use this model/,
    ])
      expect(out).toMatch(line);
  });

  it('makes a refusal a part of the report, beside all else, and ends with 1', async () => {
    const bad = join(folder, 'bad');
    await cp(OWN, bad, { recursive: true });
    const config = JSON.parse(await readFile(join(bad, 'config.json'), 'utf8'));
    await writeFile(join(bad, 'config.json'), JSON.stringify({ ...config, is_causal: false, mystery: 1 }));
    await writeFile(join(bad, 'adapter_config.json'), '{}');
    await writeFile(join(bad, 'modeling_x.py'), '');
    const { code, report } = await reported([bad, '--json']);
    expect(code).toBe(1);
    expect(report!.refusals).toMatchObject(
      [
        { of: 'weights and config', message: expect.stringContaining('is_causal false is not supported'), remedy: /./ },
      ].map((one) => ({ ...one, remedy: expect.stringMatching(one.remedy) })),
    );
    expect(report!.fields.find(({ name }) => name === 'mystery')).toMatchObject({ effect: 'unknown' });
    const leftOut = report!.files.filter(({ isRead }) => !isRead).map(({ path }) => path);
    expect(leftOut).toEqual(['adapter_config.json', 'modeling_x.py']);
    expect((await reported([bad])).out).toMatch(/is_causal +false +REFUSED[\s\S]*cannot use this model/);

    // A refused tokenizer leaves the weights' part whole.
    await writeFile(join(bad, 'config.json'), JSON.stringify(config));
    const tokenizer = JSON.parse(await readFile(join(bad, 'tokenizer.json'), 'utf8'));
    await writeFile(join(bad, 'tokenizer.json'), JSON.stringify({ ...tokenizer, normalizer: { type: 'Nmt' } }));
    const wordless = await reported([bad, '--json']);
    expect(wordless.report).toMatchObject({
      refusals: [{ of: 'text', message: expect.stringContaining('the normalizer Nmt is not supported') }],
      weights: { head: 'embedding' },
      text: null,
      notes: [expect.stringContaining('adapter')],
    });
    expect(wordless.report!.memory[0].train).toBeNull();
  });

  it('reports for each weight file whether it is read, whatever its name', async () => {
    const shards = join(folder, 'shards');
    await cp(OWN, shards, { recursive: true });
    await rename(join(shards, 'model.safetensors'), join(shards, 'part.safetensors'));
    const { config } = await loadModelFiles(diskSource(OWN));
    const names = [...weightShapes(config).keys()];
    const weight_map = Object.fromEntries(names.map((name) => [name, 'part.safetensors']));
    await writeFile(join(shards, 'model.safetensors.index.json'), JSON.stringify({ weight_map }));
    await writeFile(join(shards, 'model-00001-of-00002.safetensors'), '');
    const { report } = await reported([shards, '--json']);
    expect(report!.refusals).toEqual([]);
    const weights = report!.files.filter(({ path }) => path.endsWith('.safetensors'));
    expect(weights.map(({ path, isRead }) => [path, isRead])).toEqual([
      ['part.safetensors', true],
      ['model-00001-of-00002.safetensors', false],
    ]);
  });

  it.each([
    {
      how: ['--chat-template', 'none'],
      shown: { template: null, knowsThinking: false, prompt: { isChat: false, text: 'Hi' } },
      notes: [],
    },
    {
      how: ['--chat-template', 'FILE', '--chat-arg', 'enable_thinking=false', '--chat-arg', 'tone=dry'],
      shown: {
        template: expect.stringMatching(/own\.jinja$/),
        knowsThinking: true,
        prompt: { isChat: true, text: '<|im_start|>Hi<think></think>' },
      },
      notes: [expect.stringContaining('its chat template never reads tone')],
    },
    {
      how: ['--chat-template', 'chatml', '--chat-arg', 'tone=dry'],
      shown: {
        template: 'ChatML',
        prompt: { isChat: true, text: '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n' },
      },
      notes: [expect.stringContaining('never reads tone')],
    },
  ])('renders the prompt with $how', async ({ how, shown, notes }) => {
    const file = join(folder, 'own.jinja');
    await writeFile(
      file,
      "<|im_start|>{{ messages[0].content }}{% if enable_thinking is false %}{{ '<think></think>' }}{% endif %}",
    );
    const argv = how.map((word) => (word === 'FILE' ? file : word));
    const { code, report } = await reported([OWN, '--json', '--prompt', 'Hi', ...argv]);
    expect(code).toBe(0);
    expect(report).toMatchObject({ refusals: [], notes, text: shown });
    const { tokens, text } = report!.text!.prompt;
    expect(tokens.map((token) => token.text).join('')).toBe(text);
  });

  it('reports for a model without a chat template which uses refuse it, and the remedy', async () => {
    const bare = join(folder, 'bare');
    await cp(OWN, bare, { recursive: true });
    const { chat_template: _, ...config } = JSON.parse(await readFile(join(bare, 'tokenizer_config.json'), 'utf8'));
    await writeFile(join(bare, 'tokenizer_config.json'), JSON.stringify(config));
    const own = await reported([bare, '--json']);
    expect(own).toMatchObject({
      code: 0,
      report: { text: { template: null }, notes: [expect.stringContaining('--chat-template chatml, none or FILE')] },
    });
    expect((await reported([bare, '--json', '--chat-template', 'chatml'])).report).toMatchObject({
      text: { prompt: { isChat: true } },
      notes: [],
    });
    const refused = await reported([bare, '--json', '--chat-arg', 'x=1']);
    expect(refused).toMatchObject({
      code: 1,
      report: { refusals: [{ of: 'prompt', message: expect.stringContaining('no chat template that could read x') }] },
    });
  });

  it('refuses what is no folder', async () => {
    await expect(reported([join(folder, 'nothing')])).rejects.toThrow(SpecError);
  });
});
