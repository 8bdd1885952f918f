// A run's spec in the address: `#1.<base64url of deflate-raw of JSON>`. The JSON is the spec's difference from its
// preset, so that a link of the default experiment stays short; whatever comes in passes the one schema (parseExperimentSpec).

import { type ExperimentSpec, PRESETS, parseExperimentSpec } from '../experiments/spec.ts';
import { SpecError } from '../lib/errors.ts';

const VERSION = '1';
/** A hostile link cannot make the page inflate gigabytes. */
const MAX_ENCODED = 16_384;
const MAX_JSON = 262_144;
const REMEDY = 'Ask for the link again, or choose the experiment in the form.';

/** The fragment without `#`. */
export async function encodeSpec(spec: ExperimentSpec): Promise<string> {
  const preset = PRESETS[spec.preset];
  const difference = {
    p: spec.preset,
    ...(same(spec.arms, preset.arms) ? {} : { a: spec.arms }),
    ...(same(spec.seeds, preset.seeds) ? {} : { s: spec.seeds }),
    ...(Object.keys(spec.overrides).length === 0 ? {} : { o: spec.overrides }),
    ...(spec.device === 'auto' ? {} : { d: spec.device }),
  };
  const packed = await transform(
    new TextEncoder().encode(JSON.stringify(difference)),
    new CompressionStream('deflate-raw'),
  );
  return `${VERSION}.${toBase64Url(packed)}`;
}

/** With or without the leading `#`. Throws SpecError for anything that is not a whole link of this version. */
export async function decodeSpec(fragment: string): Promise<ExperimentSpec> {
  const text = fragment.replace(/^#/, '');
  const dot = text.indexOf('.');
  const version = dot < 0 ? '' : text.slice(0, dot);
  if (version !== VERSION) {
    const what = /^\d+$/.test(version)
      ? `is of version ${version}, this lab reads version ${VERSION}`
      : 'is not a link of this lab';
    throw new SpecError(`The address's part after # ${what}.`, REMEDY);
  }
  if (text.length > MAX_ENCODED)
    throw new SpecError(`The link has ${text.length} characters, ${MAX_ENCODED} are allowed.`, REMEDY);
  let difference: unknown;
  try {
    const bytes = await transform(fromBase64Url(text.slice(dot + 1)), new DecompressionStream('deflate-raw'), MAX_JSON);
    difference = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new SpecError('The link is damaged or was cut off.', REMEDY, { cause: error });
  }
  if (typeof difference !== 'object' || difference === null || Array.isArray(difference)) {
    throw new SpecError('The link holds no experiment.', REMEDY);
  }
  const { p, a, s, o, d, ...rest } = difference as Record<string, unknown>;
  const unknown = Object.keys(rest);
  if (unknown.length)
    throw new SpecError(`The link holds the unknown field ${JSON.stringify(unknown[0].slice(0, 40))}.`, REMEDY);
  return parseExperimentSpec({ schema: 1, preset: p, arms: a, seeds: s, overrides: o, device: d });
}

/** Whether the address asks for the default (or the linked) experiment to start by itself: `?start`. */
export function asksToStart(url: URL): boolean {
  return url.searchParams.has('start');
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

async function transform(
  bytes: Uint8Array<ArrayBuffer>,
  through: CompressionStream | DecompressionStream,
  limit = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(through).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > limit) {
      await reader.cancel();
      throw new RangeError(`more than ${limit} bytes`);
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]+$/.test(text)) throw new RangeError('not base64url');
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
}
