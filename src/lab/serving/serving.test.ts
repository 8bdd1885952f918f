// Tests the core of the server with a scripted model: tool calls, whole and streamed, batches and their members, clients that disconnect, a
// lost device.
import { readFileSync } from 'node:fs';
import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Generated, GenerateRequest } from '../../engine/types.ts';
import { type ModelText, openModelText } from '../../storage/model-text.ts';
import { chatBody, chatChunks } from './answer.ts';
import { Batches, type JobRequest, type Writer } from './batches.ts';
import { prepare, type ServedModel } from './prepared.ts';
import { readChat } from './request.ts';

const read = (name: string) => JSON.parse(readFileSync(`public/models/tiny-coder/${name}`, 'utf8'));
/** Renders tools, calls and their answers in short. */
const TEMPLATE = [
  '{% if tools %}tools:{% for tool in tools %}{{ tool | tojson }}{% endfor %} as <tool_call>{% endif %}',
  '{% for m in messages %}[{{ m.role }}]{{ m.content }}{% for c in m.tool_calls or [] %}({{ c.function.name }} {{ c.function.arguments | tojson }}){% endfor %}{% endfor %}',
].join('');

let words: ModelText;
beforeAll(async () => {
  const config = { ...read('tokenizer_config.json'), chat_template: TEMPLATE };
  const files = {
    tokenizerJson: read('tokenizer.json'),
    tokenizerConfig: config,
    rawConfig: {},
    generationConfig: null,
  };
  const none = { specialTokensMap: null, chatTemplate: null };
  words = await openModelText({ ...files, ...none, config: { vocab: 512 } as never }, 'model');
});

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** A model that answers `text` token by token, and records its prompts. */
class Scripted implements Writer {
  readonly requests: GenerateRequest[] = [];
  readonly prepared: string[] = [];
  constructor(
    private readonly text: string,
    private readonly name = 'm',
  ) {}
  prepare(): void {
    this.prepared.push(this.name);
  }
  async generate(request: GenerateRequest): Promise<Generated[]> {
    this.requests.push(request);
    const all = [...words.codec.encode(this.text), words.codec.answerEnd];
    const of = (length: number, most: number): Generated => {
      const tokens = all.slice(0, Math.min(length, most));
      return { tokens, logprobs: Float32Array.from(tokens, () => -1), ended: tokens.length === all.length };
    };
    const lengths = request.sequences.map(() => 0);
    for (let length = 1; length <= all.length; length++) {
      await request.breathe?.(length);
      if (request.signal?.aborted) throw request.signal.reason;
      for (const [i, { maxNew = request.maxNew }] of request.sequences.entries()) {
        if (lengths[i] < length - 1) continue;
        if (!request.isOver?.(i, of(length, maxNew))) lengths[i] = length;
      }
    }
    return request.sequences.map(({ maxNew = request.maxNew }, i) => of(Math.max(1, lengths[i]), maxNew));
  }
  async ranked(): Promise<never> {
    throw new Error('nobody asks for ranks here');
  }
}

const modelOf = (writer: Writer): ServedModel => ({ name: 'm', about: '', words, writer, vocab: 512, context: 400 });
const LIMITS = { sequences: 4, cacheRows: 2000, passRows: 1000 };
const batchesOf = (most = 16) => new Batches(LIMITS, most, turn, (error) => error instanceof DeviceError);
const HEAD = { id: 'chatcmpl-1', created: 1 };
const jobOf = (writer: Writer, change: Partial<JobRequest> = {}): JobRequest => ({
  writer,
  codec: words.codec,
  prompts: [[5, 6, 7]],
  sequences: [{ prompt: 0, key: [0, 0], maxNew: 50 }],
  temperature: 1,
  stops: [],
  ranks: null,
  signal: new AbortController().signal,
  ...change,
});

describe('tools', () => {
  const tools = [{ type: 'function', function: { name: 'find', parameters: { type: 'object' }, strict: true } }];
  const said = 'Let me see.\n<tool_call>\n{"name": "find", "arguments": {"q": "x"}}\n</tool_call>';
  const messages = [
    { role: 'user', content: 'Find x.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"q":"y"}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'nothing' },
  ];

  it('are rendered by the template, with calls and answers, and calls in the answer are parsed', async () => {
    const writer = new Scripted(said);
    const prepared = prepare(readChat({ model: 'm', messages, tools, tool_choice: 'auto' }), modelOf(writer), 1);
    expect(words.codec.decode(prepared.prompts[0])).toBe(
      'tools:{"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}} as <tool_call>[user]Find x.[assistant](find {"q": "y"})[tool]nothing',
    );
    const { sequences, prompts } = prepared;
    const written = await batchesOf().ask(jobOf(writer, { sequences, prompts }));
    const [{ message, finish_reason: finish }] = chatBody(HEAD, prepared, written).choices;
    expect(finish).toBe('tool_calls');
    const call = { id: 'call_1_0_0', type: 'function', function: { name: 'find', arguments: '{"q":"x"}' } };
    expect(message).toEqual({ role: 'assistant', content: 'Let me see.', refusal: null, tool_calls: [call] });

    const chunks = chatChunks(HEAD, prepared);
    const sent: { choices: { delta: Record<string, unknown>; finish_reason: string | null }[] }[] = [];
    const onText: JobRequest['onText'] = (at, piece, soFar) =>
      void sent.push(...(chunks.piece(at, piece, soFar) as never[]));
    sent.push(...(chunks.end(await batchesOf().ask(jobOf(writer, { sequences, prompts, onText }))) as never[]));
    const deltas = sent.map(({ choices: [{ delta }] }) => delta);
    expect(deltas[0]).toEqual({ role: 'assistant', content: '' });
    expect(deltas.map(({ content }) => content ?? '').join('')).toBe('Let me see.');
    expect(deltas.flatMap(({ tool_calls: calls }) => calls ?? [])).toEqual([
      { index: 0, id: call.id, type: 'function', function: { name: 'find', arguments: '' } },
      { index: 0, function: { arguments: '{"q":"x"}' } },
    ]);
    expect(sent.at(-1)!.choices[0]).toMatchObject({ delta: {}, finish_reason: 'tool_calls' });
  });

  it('are left out with tool_choice none, and cannot be forced', () => {
    const model = modelOf(new Scripted(''));
    const none = prepare(
      readChat({ model: 'm', messages: messages.slice(0, 1), tools, tool_choice: 'none' }),
      model,
      1,
    );
    expect(words.codec.decode(none.prompts[0])).toBe('[user]Find x.');
    expect(none.readsCalls).toBe(false);
    for (const choice of ['required', { type: 'function', function: { name: 'find' } }])
      expect(() => readChat({ model: 'm', messages, tools, tool_choice: choice })).toThrow('tool_choice');
    expect(() => readChat({ model: 'm', messages, tools, parallel_tool_calls: false })).toThrow('parallel_tool_calls');
  });
});

describe('batches', () => {
  it('contain waiting requests with the same model and temperature, within the limit, in order', async () => {
    const [writer, other] = [new Scripted('abc'), new Scripted('xyz', 'other')];
    const batches = batchesOf();
    const temperatures = [1, 1, 0.5, 1];
    await Promise.all([
      ...temperatures.map((temperature) => batches.ask(jobOf(writer, { temperature }))),
      batches.ask(jobOf(other)),
      batches.ask(jobOf(writer, { sequences: [0, 1, 2].map((i) => ({ prompt: 0, key: [0, i] as const, maxNew: 2 })) })),
    ]);
    // The last job's third sequence had no room in the first batch.
    expect(writer.requests.map(({ temperature, sequences }) => [temperature, sequences.length])).toEqual([
      [1, 4],
      [0.5, 1],
      [1, 2],
    ]);
    expect(other.requests).toHaveLength(1);
    expect(writer.requests[0].prompts).toHaveLength(4);
  });

  it('respect the limit of cache rows: long answers are decoded with fewer at a time', async () => {
    const writer = new Scripted('abc');
    const batches = batchesOf();
    const long = { sequences: [{ prompt: 0, key: [0, 0] as const, maxNew: 900 }] };
    await Promise.all([1, 2, 3].map(() => batches.ask(jobOf(writer, long))));
    expect(writer.requests.map(({ sequences }) => sequences.length)).toEqual([2, 1]);
  });

  it('continue without clients that left before or during their turn', async () => {
    const writer = new Scripted('a long answer that goes on and on');
    const batches = batchesOf();
    const [early, late] = [new AbortController(), new AbortController()];
    let pieces = 0;
    const onText = () => {
      if (++pieces === 3) late.abort(new Error('left'));
    };
    const gone = batches.ask(jobOf(writer, { signal: early.signal }));
    const going = batches.ask(jobOf(writer, { signal: late.signal, onText }));
    const staying = batches.ask(jobOf(writer));
    early.abort(new Error('left'));
    await expect(gone).rejects.toThrow('left');
    expect((await staying)[0].stream.shown).toBe('a long answer that goes on and on');
    await going;
    expect(pieces).toBe(3);
    expect(writer.requests[0].sequences).toHaveLength(2);
  });

  it('end with a lost device, which all waiting requests and the server report; any other error ends only its batch', async () => {
    const failing = new Scripted('');
    failing.generate = () => Promise.reject(new TypeError('a bug'));
    const batches = batchesOf();
    await expect(batches.ask(jobOf(failing))).rejects.toThrow('a bug');
    expect((await batches.ask(jobOf(new Scripted('ab'))))[0].stream.shown).toBe('ab');
    const lost = new DeviceError('the device is lost', 'Start again.');
    failing.generate = () => Promise.reject(lost);
    const all = [batches.ask(jobOf(failing)), batches.ask(jobOf(new Scripted('ab')))];
    await expect(batches.lost).rejects.toBe(lost);
    for (const { reason } of (await Promise.allSettled(all)) as PromiseRejectedResult[]) expect(reason).toBe(lost);
  });

  it('refuse requests beyond the limit, and all after a stop', async () => {
    const batches = batchesOf(2);
    const writer = new Scripted('ab');
    const waiting = [batches.ask(jobOf(writer)), batches.ask(jobOf(writer))];
    expect(() => batches.ask(jobOf(writer))).toThrow('2 requests are waiting');
    batches.stop();
    for (const one of waiting) await expect(one).rejects.toMatchObject({ status: 503 });
    expect(() => batches.ask(jobOf(writer))).toThrow('stopping');
  });
});
