// What a relay and a browser that works for it say to each other: four messages of bounded size one way, five answers the other and, now
// and then, what goes on at the queue. Both sides read them by the same schemas; nothing else that comes over the socket is looked at.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import * as z from 'zod/mini';
import { DEVICE_CHOICES, type DeviceChoice, type RunSpec } from '../../config/spec.ts';
import type { RunRecord } from '../../records/events.ts';
import { run as runRecord, runSpec } from '../../records/run-schema.ts';

/** Subprotocol; the token is the second that the client offers, so that it is in no address. */
export const PROTOCOL = 'lab-relay-1';
/** 32 random bytes in base64url. */
export const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Characters of a message, by its type. */
export const MOST = { take: 1000, at: 2000, release: 8000, done: 16_000_000 } as const;

const id = z.string().check(z.regex(/^(check\.\d{1,6}\.)?[0-9a-f]{32}$/));
const text = (most: number) => z.string().check(z.maxLength(most));
const figure = z.nullable(z.number());

const fromWorker = z.discriminatedUnion('type', [
  /** Asks for a run that one of these kinds of device can make. */
  z.strictObject({
    type: z.literal('take'),
    app: text(100),
    devices: z.array(z.enum(['cpu', 'cpu-fused', 'webgpu'])).check(z.minLength(1), z.maxLength(3)),
  }),
  /** Is still at it, and how far. */
  z.strictObject({
    type: z.literal('at'),
    id,
    step: z.int().check(z.minimum(0), z.maximum(10_000_000)),
    reward: z.optional(figure),
    figures: z.optional(z.record(text(60), figure)),
  }),
  /** Gives it back, undone; with what it failed by, it counts against the run. */
  z.strictObject({ type: z.literal('release'), id, error: z.optional(text(4000)) }),
  z.strictObject({ type: z.literal('done'), id, record: runRecord as z.ZodMiniType<RunRecord> }),
]);
export type FromWorker = z.infer<typeof fromWorker>;

/** Of a board: workers and runs that it names. */
export const MOST_SHOWN = { workers: 100, apart: 10 } as const;

const count = z.int().check(z.minimum(0));
const board = z.object({
  workers: z
    .array(
      z.object({
        id,
        key: text(10_000),
        /** Null before it has said a word. */
        worker: z.nullable(text(300)),
        step: count,
        of: count,
        reward: figure,
        /** 1 where it has not failed before. */
        attempt: count,
      }),
    )
    .check(z.maxLength(MOST_SHOWN.workers)),
  atWork: count,
  waiting: count,
  toCheck: count,
  /** Results that count once they are checked. */
  held: count,
  /** Since the relay was started: runs that came in; that were made again to check them; that failed and are tried again; whose worker fell
   *  silent. */
  made: count,
  checks: count,
  retried: count,
  lost: count,
  /** Workers whose results were dropped. */
  liars: count,
  /** The latest first, each with what it failed by. */
  apart: z.array(z.object({ id, message: text(500) })).check(z.maxLength(MOST_SHOWN.apart)),
  /** Of all workers together, in seconds since the relay was started. */
  spent: z.number(),
  /** Runs; null before the first. */
  perHour: figure,
  /** Seconds that the queue will take at that pace. */
  left: figure,
});
export type Board = z.infer<typeof board>;

const fromRelay = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('run'),
    id,
    key: text(10_000),
    spec: runSpec as z.ZodMiniType<RunSpec>,
    device: z.enum(DEVICE_CHOICES),
    /** Of silence, after which it is another's, in seconds. */
    lease: z.number().check(z.minimum(1), z.maximum(86_400)),
  }),
  z.object({ type: z.literal('wait'), seconds: z.number().check(z.minimum(0), z.maximum(3600)) }),
  z.object({ type: z.literal('taken'), id }),
  /** It is another's, or nobody wants it any more. */
  z.object({ type: z.literal('lost'), id }),
  z.object({ type: z.literal('refused'), message: text(4000) }),
  /** Told to all that are connected; nothing is said to it. */
  z.object({ type: z.literal('status'), board }),
]);
export type FromRelay =
  | { type: 'run'; id: string; key: string; spec: RunSpec; device: DeviceChoice; lease: number }
  | { type: 'wait'; seconds: number }
  | { type: 'taken'; id: string }
  | { type: 'lost'; id: string }
  | { type: 'refused'; message: string }
  | { type: 'status'; board: Board };

/** Equal for values that differ in the order of their members alone. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** Null for what is none of the four, or longer than its kind may be. */
export function readFromWorker(data: string): FromWorker | null {
  const most = data.length <= MOST.release ? MOST.release : MOST.done;
  if (data.length > most) return null;
  try {
    const value = parseJsonText(data);
    const parsed = fromWorker.safeParse(value);
    if (!parsed.success || data.length > MOST[parsed.data.type]) return null;
    // The value itself, not zod's copy: a record keeps the order of its members, and its bytes. What the schema does not know is not there.
    return sorted(value) === sorted(parsed.data) ? (value as FromWorker) : null;
  } catch {
    return null;
  }
}

/** Null for what no relay says. The run's spec keeps the order of its options, and its record the bytes. */
export function readFromRelay(data: string): FromRelay | null {
  try {
    const value = parseJsonText(data);
    return fromRelay.safeParse(value).success ? (value as FromRelay) : null;
  } catch {
    return null;
  }
}

// ---- the link with which a page works ------------------------------------------------------------------------------------

export interface WorkLink {
  /** `ws://HOST:PORT/`, or `wss:` */
  relay: string;
  token: string;
}

/** Behind the #, which a browser sends nowhere. */
export const writeWorkLink = ({ relay, token }: WorkLink): string =>
  `#work=${encodeURIComponent(relay)}&token=${token}`;

/** Null for an address without work, or with something that is none. */
export function readWorkLink(hash: string): WorkLink | null {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const [relay, token] = [params.get('work'), params.get('token')];
  if (relay === null || token === null || !TOKEN.test(token)) return null;
  try {
    const { protocol, username, password } = new URL(relay);
    return /^wss?:$/.test(protocol) && username === '' && password === '' ? { relay, token } : null;
  } catch {
    return null;
  }
}
