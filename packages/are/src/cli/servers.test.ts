// Tests the clients of model servers and MCP servers against servers that are busy, disconnect, send slowly, send too much, or redirect.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { post, ServerError } from '@projected-grpo-lab/base/http.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { EndpointModel, type EndpointOptions } from '../agents/react/endpoint.ts';
import { McpClient } from '../apps/mcp/client.ts';
import { McpError } from '../apps/mcp/server.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;
async function serving(handler: Handler): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    handler(request, response, body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const completion = (usage: string) => `{"choices":[{"message":{"content":"Said."}}],"usage":${usage}}`;
const USAGE = '{"prompt_tokens":3,"completion_tokens":2}';
const TURNS = [{ role: 'user', content: 'x' }] as const;

/** Sends one request; records the waits in milliseconds without waiting. */
async function asking(base: string, options: Partial<EndpointOptions> = {}) {
  const waits: number[] = [];
  const wait = async (ms: number) => void waits.push(ms);
  const model = new EndpointModel({ base, model: 'm', now: () => 0, wait, ...options });
  const answer = () => model.answer(TURNS, { stop: [] });
  return { waits, answer };
}

const dripping: Handler = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const drip = setInterval(() => response.write(' '), 10);
  response.on('close', () => clearInterval(drip));
};

describe('a model’s server', () => {
  it('that is busy is asked again after the time that it states, else after twice the previous wait; so is one whose answer was lost', async () => {
    const turns: Handler[] = [
      (_, response) => response.writeHead(429, { 'retry-after': '7' }).end(),
      (_, response) => response.writeHead(503).end(),
      (_, response) => response.writeHead(500).end(),
      // This answer breaks off midway.
      (_, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"choices"', () => response.destroy());
      },
      (_, response) => response.end(completion(USAGE)),
    ];
    const bodies: string[] = [];
    const { waits, answer } = await asking(
      await serving((request, response, body) => {
        bodies.push(body);
        turns.shift()?.(request, response, body);
      }),
    );
    expect(await answer()).toMatchObject({ text: 'Said.', inputTokens: 3, outputTokens: 2 });
    expect(waits).toEqual([7000, 2000, 4000, 8000]);
    expect(new Set(bodies).size).toBe(1);
  });

  it('is not asked forever, and not again if it states an hour, refuses, or never answered', async () => {
    let count = 0;
    const base = await serving((_, response) => {
      count++;
      response.writeHead(503).end('full');
    });
    const busy = await asking(base, { retries: 3 });
    await expect(busy.answer()).rejects.toThrow(/status 503, 4 times in a row: full/);
    expect([count, busy.waits]).toEqual([4, [1000, 2000, 4000]]);
    const hour = await asking(await serving((_, response) => response.writeHead(429, { 'retry-after': '3600' }).end()));
    await expect(hour.answer()).rejects.toThrow(/asks to wait 3600 s/);
    const refusing = await asking(await serving((_, response) => response.writeHead(401).end('no key')));
    await expect(refusing.answer()).rejects.toThrow(/status 401: no key/);
    const gone = await asking('http://127.0.0.1:1');
    await expect(gone.answer()).rejects.toThrow(/cannot be reached/);
    expect([hour.waits, refusing.waits, gone.waits]).toEqual([[], [], []]);
  });

  it('that sends byte by byte, or reports impossible token counts, is a named error', async () => {
    const slow = await asking(await serving(dripping), { withinMs: 100 });
    const error = await slow.answer().catch((raised: unknown) => raised);
    expect(error).toBeInstanceOf(FormatError);
    expect((error as Error).message).toMatch(/had not answered in full after 0\.1 s/);
    for (const usage of ['{"completion_tokens":1e308}', '{"prompt_tokens":1e999}', '{"prompt_tokens":-1}']) {
      const { answer } = await asking(await serving((_, response) => response.end(completion(usage))));
      await expect(answer(), usage).rejects.toThrow(/no chat completion/);
    }
  });

  it('that sends too much is cut off', async () => {
    const base = await serving((_, response) => {
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', pour);
      pour();
    });
    const asked = post(base, { headers: {}, body: '', withinMs: 60_000, maxBytes: 1e6 });
    await expect(asked).rejects.toThrow(ServerError);
    await expect(asked).rejects.toThrow(/more than 1000000 bytes/);
  });
});

describe('an MCP server', () => {
  it('that redirects to another origin is not followed: neither session nor body go there', async () => {
    const elsewhere: string[] = [];
    const other = await serving(({ headers }, response, body) => {
      elsewhere.push(`${headers['mcp-session-id']} ${body}`);
      response.end();
    });
    const base = await serving((_, response, body) => {
      const { id, method } = JSON.parse(body);
      if (method === 'tools/list') return response.writeHead(307, { location: `${other}/mcp` }).end();
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'secret' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    });
    const client = new McpClient(base);
    await client.connect();
    const error = await client.tools().catch((raised: unknown) => raised);
    expect(elsewhere).toEqual([]);
    expect(error).toBeInstanceOf(McpError);
    expect((error as Error).message).toContain(`sends requests on to ${other}/mcp (status 307)`);
    const { answer } = await asking(await serving((_, response) => response.writeHead(307, { location: other }).end()));
    await expect(answer()).rejects.toThrow(/sends requests on/);
    expect(elsewhere).toEqual([]);
  });

  it('that sends byte by byte is a named error', async () => {
    const client = new McpClient(await serving(dripping), undefined, 100);
    const error = await client.connect().catch((raised: unknown) => raised);
    expect(error).toBeInstanceOf(McpError);
    expect((error as Error).message).toMatch(/had not answered in full after 0\.1 s/);
  });
});
