// JSON in an address: deflate-raw, then base64url. Input is untrusted until it is checked: its length, inflated length and encoding are
// checked here, its meaning by the caller. Numbers of runs and probes are carried in thousandths.

import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import * as z from 'zod/mini';
import { fromBase64Url, toBase64Url } from '../lib/base64url.ts';
import { readUpTo } from '../lib/streams.ts';

/** Unit of the numbers in a link. */
export const QUANTUM = 1e-3;

export const toUnits = (x: number | null): number | null =>
  x === null || !Number.isFinite(x) ? null : Math.round(x / QUANTUM);
export const fromUnits = (x: number | null): number | null => (x === null ? null : x * QUANTUM);
/** Schema of a number in a link. */
export const units = z.nullable(z.int().check(z.minimum(-1e7), z.maximum(1e7)));

/** Most inflated bytes, since a hostile link must not inflate to gigabytes. */
export const MAX_JSON = 262_144;

export async function packJson(value: unknown): Promise<string> {
  return toBase64Url(
    await transform(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream('deflate-raw')),
  );
}

/** Throws the original error; the caller writes the message. */
export async function unpackJson(text: string): Promise<unknown> {
  const bytes = await transform(fromBase64Url(text), new DecompressionStream('deflate-raw'), MAX_JSON);
  return parseJsonText(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

const transform = (
  bytes: Uint8Array<ArrayBuffer>,
  through: CompressionStream | DecompressionStream,
  most?: number,
): Promise<Uint8Array<ArrayBuffer>> => readUpTo(new Blob([bytes]).stream().pipeThrough(through), most);
