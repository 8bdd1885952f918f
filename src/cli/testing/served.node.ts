// Starts `serve` in a test's own process, on a free port.
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { serve } from '../serve/serve.ts';

export interface Served {
  /** `http://127.0.0.1:PORT/v1` */
  base: string;
  /** `http://127.0.0.1:PORT` */
  origin: string;
  models: string[];
  notes: string[];
  /** Stops the command like Ctrl-C. Resolves with its result. */
  stop(): Promise<unknown>;
}

/** Resolves when it listens. Throws what the command throws before. */
export async function served(argv: readonly string[]): Promise<Served> {
  const stop = new AbortController();
  const notes: string[] = [];
  const progress = { note: (line: string) => void notes.push(line), update: () => {}, line: () => {}, end: () => {} };
  let hear: (line: string) => void = () => {};
  const heard = new Promise<string>((resolve) => {
    hear = resolve;
  });
  const device = argv.includes('--device') ? [] : ['--device', 'cpu'];
  const ended = serve
    .run(['--port', '0', '--json', ...device, ...argv], {
      out: hear,
      progress,
      signal: stop.signal,
      root: process.cwd(),
    })
    .catch((error: unknown) => error);
  const first = await Promise.race([heard, ended]);
  if (typeof first !== 'string') throw first;
  const { base, models } = JSON.parse(first) as { base: string; models: string[] };
  return {
    base,
    origin: base.replace(/\/v1$/, ''),
    models,
    notes,
    async stop() {
      stop.abort(new StoppedError());
      return ended;
    },
  };
}

/** A recorded request: status, headers and the body, parsed where it is JSON. */
export async function asked(
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
  // biome-ignore lint/suspicious/noExplicitAny: an answer's body, whose form the test states.
): Promise<{ status: number; headers: Headers; body: any; text: string }> {
  const isPost = body !== undefined;
  const response = await fetch(url, {
    method: isPost ? 'POST' : 'GET',
    headers: { ...(isPost && { 'content-type': 'application/json' }), ...headers },
    ...(isPost && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') ? JSON.parse(text) : null,
    text,
  };
}
