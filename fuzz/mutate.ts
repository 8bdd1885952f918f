// How a good input becomes a bad one. Three levels: bytes, text, and the value that a JSON text stands for; each change is one that a
// damaged disk, a careless tool or a hostile hand would make.
import { MAX_JSON_DEPTH } from '@projected-grpo-lab/base/json.ts';
import type { Random } from './random.ts';

const utf8 = new TextEncoder();
export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => utf8.encode(text);
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The longest that one change adds, in bytes: an input stays below a megabyte. */
const MOST = 300_000;
/** Numbers that a length, a count or an offset is wrong by. */
const WORDS = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

export function mutateBytes(given: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  let bytes = new Uint8Array(given);
  for (let round = random.size(4); round > 0; round--) bytes = oneByteChange(bytes, random);
  return bytes;
}

function oneByteChange(bytes: Uint8Array<ArrayBuffer>, random: Random): Uint8Array<ArrayBuffer> {
  const at = random.int(bytes.length + 1);
  const to = Math.min(bytes.length, at + random.size(64));
  switch (random.int(8)) {
    case 0: {
      const flipped = bytes.slice();
      if (flipped.length > 0) flipped[at % flipped.length] ^= 1 << random.int(8);
      return flipped;
    }
    case 1: {
      const over = bytes.slice();
      const view = new DataView(over.buffer);
      if (over.length >= 4) view.setUint32(random.int(over.length - 3), random.of(WORDS), random.oneIn(2));
      return over;
    }
    case 2:
      return bytes.slice(0, at);
    case 3:
      return join(bytes.subarray(0, at), bytes.subarray(to));
    case 4:
      return join(bytes.subarray(0, to), bytes.subarray(at));
    case 5:
      return join(bytes.subarray(0, at), noise(random), bytes.subarray(at));
    case 6: {
      const part = bytes.subarray(at, to);
      const times = part.length === 0 ? 0 : random.size(Math.max(1, Math.floor(MOST / part.length / 4)));
      return join(bytes.subarray(0, at), ...Array.from({ length: times }, () => part), bytes.subarray(at));
    }
    default:
      return random.oneIn(4) ? noise(random) : bytes;
  }
}

const noise = (random: Random) => Uint8Array.from({ length: random.size(200) }, () => random.int(256));

function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(
    Math.min(
      2 * MOST,
      parts.reduce((sum, { length }) => sum + length, 0),
    ),
  );
  let at = 0;
  for (const part of parts) {
    const fits = part.subarray(0, whole.length - at);
    whole.set(fits, at);
    at += fits.length;
  }
  return whole;
}

/** `words`: what means something to the reader; a run of one of them is what a pattern that looks twice is slow on. */
export function mutateText(given: string, words: readonly string[], random: Random): string {
  let text = given;
  for (let round = random.size(3); round > 0; round--) {
    const at = random.int(text.length + 1);
    const to = Math.min(text.length, at + random.size(200));
    const word = random.oneIn(3) ? text.slice(at, at + random.size(12)) : random.of(words);
    switch (random.int(5)) {
      case 0:
        text = text.slice(0, at) + text.slice(to);
        break;
      case 1:
        text = text.slice(0, at) + word + text.slice(at);
        break;
      case 2: {
        const times = random.size(Math.max(1, Math.floor(MOST / Math.max(1, word.length))));
        text = text.slice(0, at) + word.repeat(times) + text.slice(random.oneIn(2) ? at : to);
        break;
      }
      case 3:
        text = text.slice(0, at) + text.slice(random.int(text.length + 1));
        break;
      default:
        text = text.slice(0, at) + random.of(words) + text.slice(to);
    }
    text = text.slice(0, 2 * MOST);
  }
  return text;
}

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  'length',
  '0',
  'x'.repeat(5000),
];
/** JSON texts, some of them not to be made by JSON.stringify. */
const VALUES: readonly ((random: Random) => string)[] = [
  () => 'null',
  () => 'true',
  (random) =>
    random.of(['0', '-1', '-0', '0.5', '1e308', '1e999', '4000000000', '9007199254740993', '1e6', '65', '-1e-320']),
  (random) => JSON.stringify(random.of([...NAMES, '\u0000', '\ud800', '../../etc', 'NaN', '\u0000#NaN', '<b>'])),
  (random) => JSON.stringify('ab '.repeat(random.size(MOST / 3))),
  (random) => {
    const depth = random.of([MAX_JSON_DEPTH, 500, 50_000]);
    return random.oneIn(2) ? '['.repeat(depth) + ']'.repeat(depth) : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  },
  (random) => `[${Array(random.size(60_000)).fill(random.of(['""', '0', 'null', '{}', '[]', '1e300']))}]`,
  (random) => `{${Array.from({ length: random.size(20_000) }, (_, i) => `"${i}":${random.of(['""', '0'])}`)}}`,
  () => '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}',
  () => '[]',
  () => '{}',
];

/** A JSON text with one to three places of its value changed. A text that is no JSON is changed as text. */
export function mutateJson(given: string, random: Random, words: readonly string[] = []): string {
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch {
    return mutateText(given, ['{', '}', '[', ']', ',', ':', '"', '\\', ...words], random);
  }
  const raw = new Map<string, string>();
  const mark = (text: string): string => {
    const name = `\u0001${raw.size}\u0001`;
    raw.set(JSON.stringify(name), text);
    return name;
  };
  for (let round = random.size(3); round > 0; round--) value = changeOne(value, random, mark, words);
  let text = JSON.stringify(value);
  for (const [name, own] of raw) text = text.replace(name, () => own);
  return random.oneIn(12) ? mutateText(text, ['"', ',', '[', '{', '\\u0000#', ...words], random) : text;
}

function changeOne(whole: unknown, random: Random, mark: (text: string) => string, words: readonly string[]): unknown {
  const made = () =>
    mark(random.oneIn(4) && words.length > 0 ? JSON.stringify(random.of(words)) : random.of(VALUES)(random));
  // A walk from the top, which ends more often the deeper it is.
  let at = whole;
  for (;;) {
    if (typeof at !== 'object' || at === null) return made();
    const holder = at as Record<string, unknown>;
    const keys = Object.keys(holder);
    const key = keys.length > 0 ? random.of(keys) : 'x';
    const inner = holder[key];
    if (typeof inner === 'object' && inner !== null && !random.oneIn(4)) {
      at = inner;
      continue;
    }
    const isList = Array.isArray(at);
    const kind = random.int(6);
    if (kind === 0 && isList) (at as unknown[]).splice(Number(key) || 0, 1);
    else if (kind === 0) delete holder[key];
    else if (kind === 1 && isList) (at as unknown[]).push(...Array(random.size(50)).fill(inner ?? null));
    else if (kind === 1 || kind === 2) {
      const name = random.of(random.oneIn(3) && words.length > 0 ? words : NAMES);
      Object.defineProperty(holder, isList ? String(keys.length) : name, {
        value: random.oneIn(2) ? inner : made(),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    } else Object.defineProperty(holder, key, { value: made(), enumerable: true, configurable: true, writable: true });
    return whole;
  }
}
