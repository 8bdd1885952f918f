// `serve` with the clients that people have (openai, @ai-sdk/openai-compatible), with requests as evaluation harnesses send them, and against
// what the lab writes without a server.
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generate } from '../model/generate.ts';
import { callCommand } from '../testing/call.ts';
import { asked, type Served, served } from '../testing/served.node.ts';

const SHARED = resolve('..', 'shared', 'exchange');
const hasShared = existsSync(join(SHARED, 'serve', 'expected.json'));

let folder: string;
let tiny: Served;
let client: OpenAI;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serve-'));
  tiny = await served([]);
  client = new OpenAI({ baseURL: tiny.base, apiKey: 'none', maxRetries: 0 });
});
afterAll(async () => {
  await tiny.stop();
  await rm(folder, { recursive: true, force: true });
});

const MODEL = 'tiny-coder';
const messages = [{ role: 'user' as const, content: 'Write a function.' }];

/** JSON of `generate` for the embedded model. */
async function generated(...argv: string[]) {
  const { text } = await callCommand(generate, [...argv, '--device', 'cpu', '--json']);
  return JSON.parse(text) as { text: string; ids: number[]; promptIds: number[]; ended: boolean };
}

describe('the openai client', () => {
  it('lists the models, and finds one by its name', async () => {
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual([MODEL]);
    expect(await client.models.retrieve(MODEL)).toMatchObject({ id: MODEL, object: 'model' });
    await expect(client.models.retrieve('gpt')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('gets the bytes of `generate` for the same seed and request, whole and streamed', async () => {
    const seeded = ['--temperature', '0.9', '--seed', '7', '--max-new', '40'];
    const prompt = messages[0].content;
    const own = await generated('--prompt', prompt, '--chat', ...seeded);
    const ask = { model: MODEL, messages, temperature: 0.9, seed: 7, max_tokens: 40 };
    const whole = await client.chat.completions.create(ask);
    expect(whole.choices[0].message.content).toBe(own.text);
    expect(whole.choices[0].finish_reason).toBe(own.ended ? 'stop' : 'length');
    expect(whole.usage).toEqual({
      prompt_tokens: own.promptIds.length,
      completion_tokens: own.ids.length,
      total_tokens: own.promptIds.length + own.ids.length,
    });
    const stream = client.chat.completions.stream({ ...ask, stream_options: { include_usage: true } });
    const last = await stream.finalChatCompletion();
    expect(last.choices[0].message.content).toBe(own.text);
    expect(last.usage).toEqual(whole.usage);

    const plain = await generated('--prompt', 'def f', ...seeded);
    const text = { model: MODEL, prompt: 'def f', temperature: 0.9, seed: 7, max_tokens: 40 };
    expect((await client.completions.create(text)).choices[0].text).toBe(plain.text);
    let joined = '';
    for await (const { choices } of await client.completions.create({ ...text, stream: true }))
      joined += choices[0]?.text ?? '';
    expect(joined).toBe(plain.text);
  });

  it('gets n choices, each by its own key, in the order of their indices', async () => {
    const ask = { model: MODEL, prompt: ['def f', 'x ='], n: 3, seed: 3, max_tokens: 12 };
    const { choices, usage } = await client.completions.create(ask);
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(new Set(choices.slice(0, 3).map(({ text }) => text)).size).toBeGreaterThan(1);
    expect((await client.completions.create(ask)).choices.map(({ text }) => text)).toEqual(
      choices.map(({ text }) => text),
    );
    const first = await client.completions.create({ ...ask, prompt: 'def f', n: 1 });
    expect(first.choices[0].text).toBe(choices[0].text);
    expect(usage?.prompt_tokens).toBe(2 + first.usage!.prompt_tokens);
  });

  it('is stopped at a text, which is cut off, in streams too', async () => {
    const ask = { model: MODEL, prompt: 'def f(x):', temperature: 0, max_tokens: 40 };
    const { text } = (await client.completions.create(ask)).choices[0];
    const stop = text.slice(5, 8);
    const cut = text.slice(0, text.indexOf(stop));
    const { choices } = await client.completions.create({ ...ask, stop: ['never here', stop] });
    expect([choices[0].text, choices[0].finish_reason]).toEqual([cut, 'stop']);
    let joined = '';
    const finishes: (string | null)[] = [];
    for await (const chunk of await client.completions.create({ ...ask, stop, stream: true })) {
      joined += chunk.choices[0].text;
      finishes.push(chunk.choices[0].finish_reason);
    }
    expect([joined, finishes.at(-1)]).toEqual([cut, 'stop']);
  });

  it('gets log-probabilities with exact bytes, of the sampled tokens and of the likeliest', async () => {
    const ask = { model: MODEL, messages, temperature: 0, max_tokens: 8, logprobs: true };
    const [bare] = (await client.chat.completions.create(ask)).choices;
    const [full] = (await client.chat.completions.create({ ...ask, top_logprobs: 4 })).choices;
    const entries = full.logprobs!.content!;
    expect(Buffer.concat(entries.map(({ bytes }) => Uint8Array.from(bytes!))).toString()).toBe(full.message.content);
    for (const [i, { logprob, top_logprobs: top }] of entries.entries()) {
      expect(top).toHaveLength(4);
      expect(logprob).toBe(top[0].logprob);
      expect(bare.logprobs!.content![i].logprob).toBeCloseTo(logprob, 5);
    }
    const stream = client.chat.completions.stream({ ...ask, top_logprobs: 4 });
    expect((await stream.finalChatCompletion()).choices[0].logprobs?.content).toEqual(entries);
  });

  it('gets errors as objects, with status, code and field', async () => {
    const ask = { model: MODEL, messages, max_tokens: 4 };
    const refused = async (change: object) => {
      const failed = client.chat.completions.create({ ...ask, ...change } as never);
      return failed.then(
        () => null,
        ({ status, code, param }: InstanceType<typeof OpenAI.APIError>) => [status, code, param],
      );
    };
    expect(await refused({ model: 'gpt' })).toEqual([404, 'model_not_found', 'model']);
    expect(await refused({ top_p: 0.9 })).toEqual([400, 'unsupported_parameter', 'top_p']);
    expect(await refused({ response_format: { type: 'json_object' } })).toEqual([
      400,
      'unsupported_parameter',
      'response_format',
    ]);
    expect(await refused({ max_tokens: 5000 })).toEqual([400, 'context_length_exceeded', 'messages']);
    expect(await refused({ max_completion_tokens: 5 })).toEqual([400, 'invalid_value', 'max_tokens']);
    expect(await refused({ temperature: 3 })).toEqual([400, 'invalid_value', 'temperature']);
    expect(await refused({ messages: [] })).toEqual([400, 'invalid_value', 'messages']);
    expect(
      await refused({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] }),
    ).toEqual([400, 'invalid_value', 'messages.0.content.0']);
    const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }];
    expect(await refused({ tools })).toEqual([400, 'unsupported_parameter', 'tools']);
    // All that changes nothing is taken.
    const neutral = {
      top_p: 1,
      presence_penalty: 0,
      user: 'u',
      logit_bias: {},
      response_format: { type: 'text' },
      tools: null,
    };
    expect(await refused(neutral)).toBeNull();
    expect(await refused({ madeUp: 1 })).toBeNull();
    expect(tiny.notes.join('\n')).toContain('"madeUp"');
  });
});

it('the client of the AI SDK reads whole answers and streams', async () => {
  const provider = createOpenAICompatible({ name: 'lab', baseURL: tiny.base, includeUsage: true });
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: messages[0].content }] }];
  const ask = { prompt, temperature: 0, maxOutputTokens: 20 };
  const own = await generated('--prompt', messages[0].content, '--chat', '--greedy', '--max-new', '20');
  const whole = await provider.chatModel(MODEL).doGenerate(ask);
  expect(whole.content).toEqual([expect.objectContaining({ type: 'text', text: own.text })]);
  const { stream } = await provider.chatModel(MODEL).doStream(ask);
  let text = '';
  const kinds = new Set<string>();
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    kinds.add(value.type);
    if (value.type === 'text-delta') text += value.delta;
    if (value.type === 'finish') expect(value.usage.outputTokens).toMatchObject({ total: own.ids.length });
  }
  expect(text).toBe(own.text);
  expect(kinds).not.toContain('error');
  const completion = await provider.completionModel(MODEL).doGenerate(ask);
  expect(completion.finishReason).toMatchObject({ unified: expect.stringMatching(/stop|length/) });
});

describe.skipIf(!hasShared)('requests of harnesses (skipped where ../shared/exchange is missing)', () => {
  interface Row {
    id: number;
    token: string;
    logprob: number;
    top: { token: string; logprob: number }[];
  }
  const expected = hasShared ? JSON.parse(readFileSync(join(SHARED, 'serve', 'expected.json'), 'utf8')) : {};
  const rows: (Row | null)[] = expected.rows;
  const ids: number[] = expected.prompt_ids;
  let oracle: Served;
  beforeAll(async () => {
    const model = join(folder, 'qwen3-tied');
    await cp(resolve('..', 'shared', 'oracle', 'qwen3-tied'), model, { recursive: true });
    await cp(join(SHARED, 'peft', 'tokenizers', 'qwen3-tied'), model, { recursive: true });
    oracle = await served(['--model', model]);
  });
  afterAll(() => oracle.stop());
  const complete = (body: object) =>
    asked(`${oracle.base}/completions`, { model: 'qwen3-tied', temperature: 0, ...body });

  it('lm-evaluation-harness: loglikelihood, alone and in a batch, within 1e-5', async () => {
    const ask = { prompt: [ids], max_tokens: 1, logprobs: 1, echo: true, seed: 1234 };
    const { body } = await complete(ask);
    const { context, sum, is_greedy: isGreedy } = expected.loglikelihood;
    const { token_logprobs: own, top_logprobs: top, tokens } = body.choices[0].logprobs;
    expect(tokens.slice(0, -1).join('')).toBe(expected.prompt);
    expect([own.length, top.length, own[0], top[0]]).toEqual([ids.length + 1, ids.length + 1, null, null]);
    for (const [i, row] of rows.slice(0, ids.length + 1).entries()) {
      if (row === null) continue;
      expect(Math.abs(own[i] - row.logprob), `token ${i}`).toBeLessThan(1e-5);
      expect(Math.abs(top[i][row.top[0].token] - row.top[0].logprob), `likeliest ${i}`).toBeLessThan(1e-5);
    }
    // The harness reads these tokens.
    const read = own.slice(context, -1);
    expect(Math.abs(read.reduce((total: number, x: number) => total + x, 0) - sum)).toBeLessThan(1e-5);
    expect(
      top
        .slice(context, -1)
        .every((map: Record<string, number>, i: number) => Math.max(...Object.values(map)) === read[i]),
    ).toBe(isGreedy);
    const several = await complete({ ...ask, prompt: [ids.slice(0, 4), ids, ids.slice(0, 1)] });
    expect(several.body.choices.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2]);
    expect(several.body.choices[1].logprobs.token_logprobs).toEqual(own);
    expect(several.body.choices[0].logprobs.token_logprobs.slice(0, 4)).toEqual(own.slice(0, 4));
    expect(several.body.choices[2].logprobs.token_logprobs).toHaveLength(2);
  });

  it('lm-evaluation-harness: generate_until; the sampled tokens’ logarithms within 1e-5', async () => {
    const { body } = await complete({ prompt: [ids], max_tokens: 6, stop: [], seed: 1234, logprobs: 0 });
    const [{ text, logprobs }] = body.choices;
    expect(text).toBe(expected.greedy_text);
    for (const [i, row] of rows.slice(ids.length).entries())
      expect(Math.abs(logprobs.token_logprobs[i] - row!.logprob), `answer ${i}`).toBeLessThan(1e-5);
  });

  it('a prompt alone is scored with max_tokens 0', async () => {
    const { body } = await complete({ prompt: expected.prompt, max_tokens: 0, logprobs: 3, echo: true });
    const [{ text, logprobs, finish_reason: finish }] = body.choices;
    expect([text, logprobs.tokens.length, finish]).toEqual([expected.prompt, ids.length, 'length']);
    expect(body.usage).toEqual({ prompt_tokens: ids.length, completion_tokens: 0, total_tokens: ids.length });
    const names = Object.keys(logprobs.top_logprobs[1]);
    expect(names).toEqual(expect.arrayContaining(rows[1]!.top.map(({ token }) => token)));
  });

  it('verifiers: token ids of prompt and answer, an entry of logprobs for each', async () => {
    const { body } = await complete({ prompt: ids, max_completion_tokens: 3, logprobs: 0, return_token_ids: true });
    const [choice] = body.choices;
    expect(choice.prompt_token_ids).toEqual(ids);
    expect(choice.token_ids).toEqual(expected.greedy_ids.slice(0, 3));
    expect(choice.logprobs.token_logprobs).toHaveLength(3);
  });

  it('Inspect: a chat with its own headers is refused where the model has no template, and says how to give one', async () => {
    const body = { model: 'qwen3-tied', messages, logprobs: true, top_logprobs: 2, num_choices: 1 };
    const answer = await asked(`${oracle.base}/chat/completions`, body, { 'x-irid': 'a', authorization: 'Bearer ' });
    expect([answer.status, answer.body.error.param]).toEqual([400, 'messages']);
    expect(answer.body.error.message).toContain('--chat-template');
  });

  it('a tokenizer for who has none of his own', async () => {
    const { body: info } = await asked(`${oracle.origin}/tokenizer_info`);
    expect(info).toEqual({ eos_token: '<|endoftext|>', bos_token: null, pad_token: null, chat_template: null });
    const { body } = await asked(`${oracle.origin}/tokenize`, { prompt: expected.prompt, add_special_tokens: false });
    expect(body).toEqual({ tokens: ids, count: ids.length, max_model_len: 512 });
    expect((await asked(`${oracle.origin}/detokenize`, { tokens: ids })).body).toEqual({ prompt: expected.prompt });
  });
});
