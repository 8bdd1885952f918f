// Tests who may ask `serve` and what, and many clients at once: one that leaves, one that sends garbage, more than may wait.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asked, type Served, served } from '../testing/served.node.ts';

let tiny: Served;
beforeAll(async () => {
  tiny = await served(['--max-queue', '8', '--allow-origin', 'http://page.example']);
});
afterAll(() => tiny.stop());

const MODEL = 'tiny-coder';
const complete = (body: object) => asked(`${tiny.base}/completions`, { model: MODEL, ...body });

/** Status of a request with headers that fetch does not let a caller set. */
function status(path: string, headers: Record<string, string>, method = 'GET'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const own = httpRequest(`${tiny.origin}${path}`, { method, headers }, (response) => {
      response.resume();
      resolve(response);
    });
    own.on('error', reject);
    own.end();
  });
}

describe('allowed clients', () => {
  it('requests under another name of this machine are refused, and so are pages except the named one', async () => {
    const { port } = new URL(tiny.base);
    for (const headers of [
      { host: `evil.example:${port}` },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { host: '127.0.0.1' },
    ])
      expect((await status('/v1/models', headers as never)).statusCode, JSON.stringify(headers)).toBe(403);
    for (const host of [`localhost:${port}`, `[::1]:${port}`])
      expect((await status('/v1/models', { host })).statusCode).toBe(200);
    const twice = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(`GET /v1/models HTTP/1.1\r\nHost: localhost:${port}\r\nHost: evil.example\r\n\r\n`),
      );
      socket.once('data', (data) => {
        resolve(String(data).slice(9, 12));
        socket.destroy();
      });
    });
    expect(['400', '403']).toContain(twice);
  });

  it('the named page by its preflight, whose headers are those that the clients send', async () => {
    const origin = 'http://page.example';
    const preflight = await status('/v1/chat/completions', { origin }, 'OPTIONS');
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe(origin);
    expect(preflight.headers['access-control-allow-headers']).toMatch(/authorization, content-type.*x-stainless-lang/);
    expect((await status('/v1/models', {})).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('only who has the key, where there is one; other addresses need one', async () => {
    const keyed = await served(['--api-key', 'secret']);
    try {
      expect((await asked(`${keyed.base}/models`)).body.error).toMatchObject({ code: 'invalid_api_key' });
      expect((await asked(`${keyed.base}/models`, undefined, { authorization: 'Bearer secre' })).status).toBe(401);
      expect((await asked(`${keyed.base}/models`, undefined, { authorization: 'Bearer secret' })).status).toBe(200);
      expect((await asked(`${keyed.origin}/health`)).status).toBe(200);
    } finally {
      await keyed.stop();
    }
    const open = await served(['--allow-origin', '*']);
    const { headers } = await asked(`${open.base}/models`, undefined, { origin: 'http://any.example' });
    expect(headers.get('access-control-allow-origin')).toBe('http://any.example');
    await open.stop();
    await expect(served(['--host', '0.0.0.0'])).rejects.toThrow(SpecError);
    await expect(served(['--allow-origin', '*', '--api-key', 'k'])).rejects.toThrow(SpecError);
    await expect(served(['--context', '9999'])).rejects.toThrow('512 positions');
  });
});

/** Lists that are longer than allowed. */
const LONG = { texts: Array.from({ length: 200 }, () => 's'), ids: Array.from({ length: 600 }, () => 5) };

describe('what is refused', () => {
  it('other paths, methods and kinds of body, with an object that says why', async () => {
    expect((await asked(`${tiny.base}/embeddings`, {})).status).toBe(404);
    expect((await asked(`${tiny.origin}/__proto__`)).status).toBe(404);
    const wrong = await asked(`${tiny.base}/completions`);
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    const text = await asked(`${tiny.base}/completions`, '{}', { 'content-type': 'text/plain' });
    expect([text.status, text.body.error.type]).toEqual([415, 'invalid_request_error']);
    for (const body of ['{', '[]', 'null', '"x"', '[[[[', `${'['.repeat(9000)}`])
      expect((await asked(`${tiny.base}/completions`, body)).status, body.slice(0, 9)).toBe(400);
    expect((await asked(`${tiny.origin}/tokenize`, 'null')).status).toBe(400);
    expect((await asked(`${tiny.origin}/detokenize`, { tokens: [1, 99999] })).status).toBe(400);
    expect((await asked(`${tiny.base}/completions`, { prompt: 'x'.repeat(9 * 2 ** 20) })).status).toBe(413);
    expect(wrong.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });

  it.each<[object, string]>([
    [{ prompt: [9999] }, 'prompt'],
    [{ prompt: '' }, 'prompt'],
    [{ prompt: [['x']] }, 'prompt'],
    [{ prompt: 'x', max_tokens: 0 }, 'max_tokens'],
    [{ prompt: 'x', n: 300 }, 'n'],
    [{ prompt: LONG.texts, n: 2 }, 'n'],
    [{ prompt: 'x', logprobs: 21 }, 'logprobs'],
    [{ prompt: 'x', stop: LONG.texts }, 'stop'],
    [{ prompt: 'x', seed: -1 }, 'seed'],
    [{ prompt: 'x', echo: true, stream: true }, 'echo'],
    [{ prompt: 'x', best_of: 2 }, 'best_of'],
    [{ prompt: 'x', prompt_logprobs: 1 }, 'prompt_logprobs'],
    [{ prompt: 'x', chat_template_kwargs: { a: 1 } }, 'chat_template_kwargs'],
    [{ prompt: LONG.ids, max_tokens: 1 }, 'prompt'],
  ])('the field at fault is named', async (body, param) => {
    const { status: code, body: answer } = await complete(body);
    expect([code, answer.error.param]).toEqual([400, param]);
  });
});

describe('many at once', () => {
  const ask = { temperature: 1, max_tokens: 24 };

  it('eight clients get what each gets alone, with one that leaves and one that sends garbage', async () => {
    const alone = new Map<number, string>();
    for (let seed = 0; seed < 8; seed++)
      alone.set(seed, (await complete({ ...ask, prompt: `def f${seed}`, seed })).body.choices[0].text);
    const leaving = new AbortController();
    const left = fetch(`${tiny.base}/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, prompt: 'def', max_tokens: 450, stream: true, n: 4 }),
      signal: leaving.signal,
    }).then(async (response) => {
      const reader = response.body!.getReader();
      await reader.read();
      leaving.abort();
      return reader.read().catch(() => null);
    });
    const garbage = Promise.all(
      ['{"model":', '\0\0', '{"model":7}'].map((body) => asked(`${tiny.base}/completions`, body)),
    );
    const all = await Promise.all(
      [...alone.keys()].map((seed) => complete({ ...ask, prompt: `def f${seed}`, seed, max_tokens: 24 })),
    );
    expect(all.map(({ body }) => body.choices[0].text)).toEqual([...alone.values()]);
    expect((await garbage).map((answer) => answer.status)).toEqual([400, 400, 400]);
    await left.catch(() => null);
    // The server goes on, and nothing waits any more.
    expect((await complete({ ...ask, prompt: 'x', max_tokens: 1 })).status).toBe(200);
  });

  it('requests beyond the queue’s limit are rejected with 429, and waiting ones are answered', async () => {
    const all = await Promise.all(
      Array.from({ length: 24 }, (_, seed) =>
        complete({ ...ask, prompt: 'def g', seed, temperature: 0.5 + seed / 100 }),
      ),
    );
    const codes = all.map((answer) => answer.status);
    expect(new Set(codes)).toEqual(new Set([200, 429]));
    const refused = all.find((answer) => answer.status === 429)!;
    expect([refused.headers.get('retry-after'), refused.body.error.type]).toEqual(['1', 'rate_limit_error']);
    expect(codes.filter((code) => code === 200).length).toBeGreaterThanOrEqual(8);
  });

  it('no memory is kept of requests that are over', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const round = async (count: number) => {
      for (let i = 0; i < count; i++)
        await complete({ prompt: `${'x = 1\n'.repeat(30)}${i}`, max_tokens: 2, logprobs: 5, echo: true });
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    await round(10);
    const before = await round(10);
    const after = await round(40);
    // A kept request has 100 kB of tokens and logarithms; 40 of them would be 4 MB.
    expect(after - before).toBeLessThan(2e6);
  });
});

describe('a stop', () => {
  it('ends the answer in hand: a stream by an error, who waits by 503, the command as stopped', async () => {
    const own = await served([]);
    const send = (body: object) =>
      asked(`${own.base}/completions`, { model: MODEL, prompt: 'def f', max_tokens: 490, ...body });
    const streamed = send({ n: 48, stream: true });
    const waiting = send({ temperature: 0.3 });
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await own.stop()).toBeInstanceOf(StoppedError);
    const { text } = await streamed;
    if (text.startsWith('data:')) expect(text).toMatch(/"code":"server_stopping"\}\}\n\ndata: \[DONE\]\n\n$/);
    else expect(JSON.parse(text).error.code).toBe('server_stopping');
    const { status: code, body } = await waiting;
    expect([code, body.error.code, body.error.type]).toEqual([503, 'server_stopping', 'server_error']);
    await expect(fetch(`${own.base}/models`)).rejects.toThrow();
  });
});
