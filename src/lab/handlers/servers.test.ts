// Tests questions to a server that the user names, as the worker sends them: the request, the answer, a stop, and the errors for the user.

import { gzipSync } from 'node:zlib';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, it } from 'vitest';
import { HubServer, lfs } from '../../storage/models/testing/hub-server.ts';
import type { ServerAsk } from '../protocol/servers.ts';
import { Stoppables } from '../work/stoppables.ts';
import { createServerHandlers } from './servers.ts';

const ASK: ServerAsk = {
  id: 'a',
  base: 'http://localhost:8000/v1/',
  model: 'm',
  key: 'k',
  seed: 7,
  temperature: 0,
  maxTokens: 9,
  turns: [{ role: 'user', content: 'x' }],
  stop: ['<end>'],
};
const handlers = (fetch: typeof globalThis.fetch, tasks = new Stoppables()) =>
  createServerHandlers({ tasks }, { origin: 'http://lab.test', now: () => 0, fetch });

it('sends the conversation only to that address, and returns the answer', async () => {
  const sent: { url: unknown; init: RequestInit }[] = [];
  const { askServer } = handlers(async (url, init) => {
    sent.push({ url, init: init as RequestInit });
    const usage = { prompt_tokens: 3, completion_tokens: 2 };
    return Response.json({ choices: [{ message: { content: 'Said.<end> and more' } }], usage });
  });
  expect(await askServer(ASK)).toEqual({ answer: { text: 'Said.', inputTokens: 3, outputTokens: 2, seconds: 0 } });
  const [{ url, init }] = sent;
  expect(url).toBe('http://localhost:8000/v1/chat/completions');
  // A server that redirects elsewhere must not pass the key on.
  expect(init).toMatchObject({ redirect: 'manual', credentials: 'omit', headers: { authorization: 'Bearer k' } });
  expect(JSON.parse(init.body as string)).toMatchObject({ model: 'm', seed: 7, max_tokens: 9, messages: ASK.turns });
});

it('advises the user if the server is unreachable, and reports a conversation that is too long', async () => {
  const unreachable = handlers(() => Promise.reject(new TypeError('Failed to fetch')));
  const error = await unreachable.askServer(ASK).catch((raised: unknown) => raised);
  expect(error).toBeInstanceOf(FormatError);
  expect((error as FormatError).message).toContain('localhost:8000');
  expect((error as FormatError).remedy).toMatch(/requests from http:\/\/lab\.test \(CORS\).*--endpoint/s);
  const small = handlers(async () => new Response('maximum context length is 8 tokens', { status: 400 }));
  expect(await small.askServer(ASK)).toEqual({ tooLong: expect.stringContaining('8 tokens') });
});

it('can be stopped while it waits', async () => {
  const tasks = new Stoppables();
  const { askServer } = handlers(
    (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      }),
    tasks,
  );
  const asking = askServer(ASK);
  expect(tasks.stop('another')).toBe(false);
  expect(tasks.stop('a')).toBe(true);
  await expect(asking).rejects.toThrow(/abort/i);
});

/** A page as several members of gzip, which Parquet allows. */
const twoMembers = (page: Uint8Array) => {
  const half = page.length >> 1;
  return new Uint8Array(
    Buffer.concat([gzipSync(page.subarray(0, half), { level: 0 }), gzipSync(page.subarray(half), { level: 0 })]),
  );
};

it.each(['UNCOMPRESSED', 'GZIP'] as const)(
  'fetches a row of a data set: only the part of the file with it (%s)',
  async (codec) => {
    const hub = await new HubServer().start();
    try {
      const columnData = ['scenario_id', 'data'].map((name) => ({
        name,
        type: 'STRING' as const,
        data: Array.from({ length: 40 }, (_, at) =>
          name === 'data' ? `row ${at} ${'x'.repeat(50_000 + at)}` : `s${at}`,
        ),
      }));
      const how = { columnData, rowGroupSize: 4, codec, compressors: { GZIP: twoMembers } };
      const bytes = new Uint8Array(parquetWriteBuffer(how));
      hub.commit('agents/set', { 'time/validation-00000-of-00001.parquet': lfs(bytes) });
      const { fetchRow } = createServerHandlers(
        { tasks: new Stoppables() },
        { origin: '', now: () => 0, hub: hub.endpoint },
      );
      const found = await fetchRow({
        id: 'r',
        dataset: 'agents/set',
        split: 'validation',
        revision: null,
        config: 'time',
        scenarioId: 's30',
      });
      expect(found.data).toMatch(/^row 30 x+$/);
      expect(found.bytes).toBeLessThan(bytes.length / 2);
    } finally {
      await hub.stop();
    }
  },
);
