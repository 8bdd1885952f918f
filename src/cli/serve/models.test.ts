// The names that `serve` answers to: adapters beside their base, a kept run's three models; and the lab's own clients, which get from the
// server what they get inside.
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { EndpointModel } from '@projected-grpo-lab/are/agents/react/endpoint.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { type TensorToWrite, writeSafetensors } from '../../storage/safetensors-write.ts';
import { openLocalModel } from '../agents/writer.ts';
import { instructions } from '../instructions.ts';
import { exportModel } from '../model/export.ts';
import { generate } from '../model/generate.ts';
import { run } from '../run/run.ts';
import { callCommand } from '../testing/call.ts';
import { asked, served } from '../testing/served.node.ts';

const SHARED = resolve('..', 'shared');
const STORIES = join(SHARED, 'models', 'stories260K');
const PEFT = join(SHARED, 'exchange', 'peft');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serve-models-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Text of `generate`, with a flag for the device. */
async function generated(...argv: string[]): Promise<string> {
  const { text } = await callCommand(generate, [...argv, '--device', 'cpu', '--json']);
  return (JSON.parse(text) as { text: string }).text;
}
interface Ask {
  model: string;
  prompt: string;
  temperature: number;
  seed?: number;
  max_tokens: number;
}

/** A completion's text by openai's client, whole and streamed; the AI SDK's asks beside it. */
async function completion(base: string, ask: Ask): Promise<string> {
  const client = new OpenAI({ baseURL: base, apiKey: 'none', maxRetries: 0 });
  const provider = createOpenAICompatible({ name: 'lab', baseURL: base });
  const { model, prompt, temperature, seed, max_tokens: maxOutputTokens } = ask;
  const content = [{ type: 'text' as const, text: prompt }];
  const [{ choices }, other] = await Promise.all([
    client.completions.create(ask),
    // A provider writes a conversation as plain text, so that only its form is compared here.
    provider
      .completionModel(model)
      .doGenerate({ prompt: [{ role: 'user', content }], temperature, seed, maxOutputTokens }),
  ]);
  let streamed = '';
  const stream = await client.completions.create(Object.assign({ stream: true as const }, ask));
  for await (const { choices: pieces } of stream) streamed += pieces[0]?.text ?? '';
  expect(streamed).toBe(choices[0].text);
  expect(other.content[0]).toMatchObject({ type: 'text' });
  expect(other.usage.outputTokens.total).toBeGreaterThan(0);
  return choices[0].text;
}

/** A LoRA adapter of rank 2 on two projections of every layer of stories260K. */
async function writeStoriesAdapter(path: string): Promise<void> {
  await mkdir(path);
  const rng = new CounterRng(keyFor(5, STREAMS.test));
  const tensors = Array.from({ length: 5 }, (_, layer) => layer).flatMap((layer): [string, TensorToWrite][] =>
    ['q_proj', 'o_proj'].flatMap((name): [string, TensorToWrite][] => {
      const at = `base_model.model.model.layers.${layer}.self_attn.${name}`;
      const values = (length: number) => Float32Array.from({ length }, () => 0.4 * rng.normal());
      return [
        [`${at}.lora_A.weight`, { dtype: 'F32', shape: [2, 64], data: values(128) }],
        [`${at}.lora_B.weight`, { dtype: 'F32', shape: [64, 2], data: values(128) }],
      ];
    }),
  );
  await writeFile(join(path, 'adapter_model.safetensors'), writeSafetensors(new Map(tensors)));
  const config = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    r: 2,
    lora_alpha: 4,
    target_modules: ['q_proj', 'o_proj'],
  };
  await writeFile(join(path, 'adapter_config.json'), JSON.stringify(config));
}

describe('adapters', () => {
  it.skipIf(!existsSync(STORIES))(
    'are served beside their base: stories260K (skipped where ../shared is missing)',
    async () => {
      const adapter = join(folder, 'storyteller');
      await writeStoriesAdapter(adapter);
      const server = await served(['--model', STORIES, '--adapter', adapter, '--adapter', `again=${adapter}`]);
      try {
        expect(server.models).toEqual(['stories260K', 'storyteller', 'again']);
        const ask = { prompt: 'Once', temperature: 0.7, seed: 4, max_tokens: 24 };
        const flags = [
          '--model',
          STORIES,
          '--prompt',
          'Once',
          '--temperature',
          '0.7',
          '--seed',
          '4',
          '--max-new',
          '24',
        ];
        const [base, own] = [await generated(...flags), await generated(...flags, '--adapter', adapter)];
        expect(own).not.toBe(base);
        const texts = await Promise.all(server.models.map((model) => completion(server.base, { model, ...ask })));
        expect(texts).toEqual([base, own, own]);
      } finally {
        await server.stop();
      }
    },
  );

  it.skipIf(!existsSync(PEFT))(
    'of PEFT’s fixtures, and names that are there twice (skipped where ../shared is missing)',
    async () => {
      const model = join(folder, 'qwen3-tied');
      await cp(join(SHARED, 'oracle', 'qwen3-tied'), model, { recursive: true });
      await cp(join(PEFT, 'tokenizers', 'qwen3-tied'), model, { recursive: true });
      const plain = join(PEFT, 'plain');
      const server = await served(['--model', model, '--adapter', plain, '--adapter', join(PEFT, 'rslora')]);
      try {
        expect(server.models).toEqual(['qwen3-tied', 'plain', 'rslora']);
        const ask = { model: 'plain', prompt: 'Write7FgQ2z', temperature: 0, max_tokens: 12 };
        const flags = ['--model', model, '--adapter', plain, '--prompt', ask.prompt, '--greedy', '--max-new', '12'];
        expect(await completion(server.base, ask)).toBe(await generated(...flags));
      } finally {
        await server.stop();
      }
      await expect(served(['--model', model, '--adapter', plain, '--adapter', plain])).rejects.toThrow(
        'two models plain',
      );
      await expect(served(['--model', model, '--adapter', 'x=nowhere'])).rejects.toThrow(SpecError);
    },
  );
});

describe('a kept run', () => {
  it('is served as trained, deployed and base, each as its export writes', async () => {
    const out = join(folder, 'run');
    const cache = ['--cache', join(folder, 'svd'), '--device', 'cpu'];
    const small = [
      '--preset',
      'smoke',
      '--arms',
      'route',
      '--steps',
      '2',
      '--set',
      'problems=8',
      '--set',
      'evalEvery=0',
    ];
    const more = ['--set', 'finalEvalProblems=4', '--set', 'pairs=8', '--set', 'k=2', '--set', 'lr=0.05'];
    await callCommand(run, [...small, ...more, '--out', out, '--device', 'cpu']);
    const server = await served(['--run', out, ...cache]);
    try {
      expect(server.models).toEqual(['trained', 'deployed', 'base']);
      const ask = { prompt: 'def f(x):', temperature: 0.8, seed: 2, max_tokens: 48 };
      // The models are asked in turns, so that the folded adapter changes.
      const names = ['base', 'trained', 'deployed', 'trained', 'base'];
      const texts = await Promise.all(names.map((model) => completion(server.base, { model, ...ask })));
      const flags = ['--prompt', ask.prompt, '--temperature', '0.8', '--seed', '2', '--max-new', '48'];
      const expected = new Map([['base', await generated(...flags)]]);
      for (const weights of ['trained', 'deployed']) {
        const to = join(folder, weights);
        await callCommand(exportModel, ['--run', out, '--weights', weights, '--format', 'hf', '--out', to, ...cache]);
        expected.set(weights, await generated(...flags, '--model', to));
      }
      expect(texts).toEqual(names.map((name) => expected.get(name)));
      expect(new Set(expected.values()).size).toBeGreaterThan(1);
    } finally {
      await server.stop();
    }
    await expect(served(['--arm-seed', 'route-41'])).rejects.toThrow('--run');
    await expect(served(['--run', out, '--adapter', 'a', '--adapter', 'b'])).rejects.toThrow('2 adapters');
    await expect(served(['--run', out, '--arm-seed', 'none-1'])).rejects.toThrow(SpecError);
  }, 120_000);
});

describe('the lab’s own clients get what they get inside', () => {
  it('an agent’s conversation, with stops', async () => {
    const server = await served([]);
    const context = { root: process.cwd(), signal: new AbortController().signal, progress: SILENT };
    const settings = { 'model-name': 'm', temperature: 0, 'max-tokens': 60, 'max-calls': 9, thinking: null };
    const local = await openLocalModel(
      { ...settings, model: resolve('public/models/tiny-coder'), adapter: null, device: 'cpu' },
      context,
    );
    try {
      const remote = new EndpointModel({
        base: server.base,
        model: 'tiny-coder',
        temperature: 0,
        maxTokens: 60,
        seed: 3,
        retries: 0,
        now: () => 0,
      });
      const turns = [
        { role: 'system' as const, content: 'You write functions.' },
        { role: 'user' as const, content: 'Write one.' },
      ];
      const whole = await local.seeded(3).answer(turns, { stop: [] });
      for (const stop of [[], [whole.text.slice(4, 7)], ['<end_action>', 'Observation:']]) {
        const { text, inputTokens, outputTokens } = await remote.answer(turns, { stop });
        const inside = await local.seeded(3).answer(turns, { stop });
        expect([text, inputTokens]).toEqual([inside.text, inside.inputTokens]);
        if (stop.length !== 1) expect(outputTokens).toBe(inside.outputTokens);
      }
    } finally {
      local.free();
      await server.stop();
    }
  });

  it('the instruction checks: each answer is the completion of its prompt, batch or not', async () => {
    const problems = join(folder, 'problems.jsonl');
    const lines = ['Write a poem.', 'List three things.', 'Say hello.'].map((prompt, i) =>
      JSON.stringify({ key: i, prompt, instruction_id_list: ['punctuation:no_comma'], kwargs: [{}] }),
    );
    await writeFile(problems, lines.join('\n'));
    const out = ['--out', join(folder, 'answers.jsonl')];
    const argv = [
      '--problems',
      problems,
      ...out,
      '--temperature',
      '0.8',
      '--seed',
      '6',
      '--max-new',
      '20',
      '--device',
      'cpu',
    ];
    const { text } = await callCommand(instructions, [...argv, '--json']);
    const inside = text.split('\n').map((line) => (JSON.parse(line) as { response: string }).response);
    const server = await served([]);
    try {
      const prompts = lines.map((line) => (JSON.parse(line) as { prompt: string }).prompt);
      const chat = (content: string) => `<|im_start|>user\n${content}<|im_end|>\n<|im_start|>assistant\n`;
      const body = { model: 'tiny-coder', prompt: prompts.map(chat), temperature: 0.8, seed: 6, max_tokens: 20 };
      const { body: answer } = await asked(`${server.base}/completions`, body);
      expect(answer.choices.map((choice: { text: string }) => choice.text)).toEqual(inside);
    } finally {
      await server.stop();
    }
  });
});

const SILENT = { note: () => {}, update: () => {}, line: () => {}, end: () => {} };
