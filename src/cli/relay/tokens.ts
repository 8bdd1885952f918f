// Who may work for a relay: a token a worker, which expires and can be taken back. The server keeps each token's sha-256 alone.
import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import * as z from 'zod/mini';
import { TOKEN } from '../../experiments/sweep/relay/messages.ts';
import { LIARS, PREFIX } from '../sweep/queue/redis.ts';

const TOKENS = `${PREFIX}:tokens`;

const Entry = z.object({
  /** How it is called in results and messages. */
  worker: z.string().check(z.regex(/^[\w-]{1,64}$/)),
  /** Milliseconds since the epoch, by the relay's own clock. */
  expires: z.number(),
  isRevoked: z.boolean(),
});

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Why a token opens nothing; null with the worker where it does. */
export type Looked = { worker: string; why: null } | { worker: string | null; why: string };

export class Tokens {
  readonly #client: Redis;
  readonly #now: () => number;

  constructor(client: Redis, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  /** The token itself, which is kept nowhere. */
  async invite(worker: string, seconds: number): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const entry = { worker, expires: this.#now() + seconds * 1000, isRevoked: false };
    await this.#client.hset(TOKENS, hashOf(token), JSON.stringify(entry));
    return token;
  }

  /** How many tokens of that worker were taken back. */
  async revoke(worker: string): Promise<number> {
    let revoked = 0;
    for (const [hash, text] of Object.entries(await this.#client.hgetall(TOKENS))) {
      const entry = Entry.parse(JSON.parse(text));
      if (entry.worker !== worker || entry.isRevoked) continue;
      await this.#client.hset(TOKENS, hash, JSON.stringify({ ...entry, isRevoked: true }));
      revoked++;
    }
    return revoked;
  }

  async look(token: string): Promise<Looked> {
    const text = TOKEN.test(token) ? await this.#client.hget(TOKENS, hashOf(token)) : null;
    if (text === null) return { worker: null, why: 'The token is not known.' };
    const { worker, expires, isRevoked } = Entry.parse(JSON.parse(text));
    if (isRevoked) return { worker, why: 'The token was revoked.' };
    if (this.#now() >= expires) return { worker, why: 'The token has expired.' };
    const lie = await this.#client.hget(LIARS, worker);
    return lie === null ? { worker, why: null } : { worker, why: `Its results are dropped: ${lie}.` };
  }
}
