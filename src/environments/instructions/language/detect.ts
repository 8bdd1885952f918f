// Detects the language of a text like the benchmark's reference: langdetect's naive Bayes over n-grams of one to three characters
// (Nakatani 2010, Apache-2.0), written anew with its profiles. Its mistakes are wanted too (it does not take `ok` for English): other
// detectors agree with it on 85 to 89 of 100 texts (docs/instructions.md), and each difference changes a verdict. It draws random n-grams;
// here they are drawn by a fixed key, so that the same text always has the same language.

import { gunzipSync } from 'fflate';
import { CounterRng, STREAMS } from '../../../rng/index.ts';

/** The reference makes 7 trials, so that its result is random for texts that are hardly of any language; more trials give its most
 *  frequent answer. */
const TRIALS = 21;
const ALPHA = 0.5;
const ALPHA_WIDTH = 0.05;
const BASE_FREQUENCY = 10_000;
const MOST_DRAWS = 1000;
/** A trial is checked after this number of draws, and ends when one language has the probability SETTLED. */
const LOOK = 5;
const SETTLED = 0.99999;
/** A language below this probability is not reported. */
const LEAST = 0.1;
/** Only this number of characters is read. */
const MOST_CHARACTERS = 10_000;
const LONGEST_GRAM = 3;

export interface Detector {
  /** Language codes that it can return. */
  languages: readonly string[];
  /** langdetect's code, `unknown` if none is probable; null for a text without features (digits, punctuation, an address). */
  detect(text: string): string | null;
}

export const openDetector = async (): Promise<Detector> => {
  const profiles = await loadProfiles();
  return { languages: profiles.languages, detect: (text) => languageOf(text, profiles) };
};

function languageOf(text: string, profiles: Profiles): string | null {
  const grams = gramsOf(cleaned(text), profiles);
  if (grams.length === 0) return null;
  const rng = CounterRng.of(0, STREAMS.language);
  const size = profiles.languages.length;
  const total = new Float64Array(size);
  for (let trial = 0; trial < TRIALS; trial++) {
    const found = new Float64Array(size).fill(1 / size);
    const weight = (ALPHA + rng.normal() * ALPHA_WIDTH) / BASE_FREQUENCY;
    for (let draw = 0; ; draw++) {
      multiply(found, profiles.grams.get(rng.choice(grams)) ?? [], weight);
      if (draw % LOOK === 0 && (normalised(found) > SETTLED || draw >= MOST_DRAWS)) break;
    }
    for (let i = 0; i < size; i++) total[i] += found[i] / TRIALS;
  }
  let best = 0;
  for (let i = 1; i < size; i++) if (total[i] > total[best]) best = i;
  return total[best] > LEAST ? profiles.languages[best] : 'unknown';
}

function multiply(found: Float64Array, known: readonly (readonly [number, number])[], weight: number): void {
  // Multiplies all by the weight, and those in `known` by weight + probability.
  for (let i = 0; i < found.length; i++) found[i] *= weight;
  for (const [language, probability] of known) found[language] *= (weight + probability) / weight;
}

/** Normalises in place and returns the largest. */
function normalised(found: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < found.length; i++) sum += found[i];
  let largest = 0;
  for (let i = 0; i < found.length; i++) {
    found[i] /= sum;
    largest = Math.max(largest, found[i]);
  }
  return largest;
}

const ADDRESS = /https?:\/\/[-_.?&~;+=/#0-9A-Za-z]{1,2076}/g;
const MAIL = /[-_.0-9A-Za-z]{1,64}@[-_0-9A-Za-z]{1,255}[-_.0-9A-Za-z]{1,255}/g;
/** A Vietnamese letter and a mark after it. */
const MARKED = /[AEIOUYaeiouyÂÊÔâêôĂăƠơƯư][\u0300\u0301\u0303\u0309\u0323]/gu;

/** Removes addresses, repeated blanks and, if they are a minority, Latin letters. Counts code points, as Python does. */
function cleaned(text: string): string[] {
  const plain = [
    ...text
      .replace(ADDRESS, ' ')
      .replace(MAIL, ' ')
      .replace(MARKED, (pair) => pair.normalize('NFC')),
  ].slice(0, MOST_CHARACTERS);
  const chars = plain.filter((char, i) => char !== ' ' || plain[i - 1] !== ' ');
  const isLatin = (char: string) => char >= 'A' && char <= 'z';
  const latin = chars.filter(isLatin).length;
  const other = chars.filter((char) => char >= '\u0300' && !isVietnameseBlock(char)).length;
  return latin * 2 < other ? chars.filter((char) => !isLatin(char)) : chars;
}

const isVietnameseBlock = (char: string): boolean => char >= '\u1e00' && char <= '\u1eff';

function gramsOf(chars: readonly string[], { grams, kanji }: Profiles): string[] {
  const found: string[] = [];
  const known = new Map<string, string>();
  const normalOf = (char: string): string => {
    const found = known.get(char) ?? normal(char, kanji);
    known.set(char, found);
    return found;
  };
  let last: string[] = [' '];
  let isCapital = false;
  for (const raw of chars) {
    const char = normalOf(raw);
    const before = last[last.length - 1];
    if (before === ' ') {
      last = [' '];
      isCapital = false;
    } else if (last.length >= LONGEST_GRAM) last.shift();
    if (before !== ' ' || char !== ' ') {
      last.push(char);
      isCapital = isUpper(char) && (isUpper(before) || isCapital);
    }
    // Words in capitals are ignored.
    if (isCapital) continue;
    for (let length = 1; length <= Math.min(LONGEST_GRAM, last.length); length++) {
      const gram = last.slice(-length).join('');
      if (gram !== ' ' && grams.has(gram)) found.push(gram);
    }
  }
  return found;
}

const isUpper = (char: string): boolean => /^\p{Uppercase}$/u.test(char);

const inRange = (char: string, from: number, to: number): boolean => {
  const code = char.codePointAt(0)!;
  return code >= from && code <= to;
};

/** Maps characters of a block to one character if they do not distinguish languages. */
function normal(char: string, kanji: ReadonlyMap<string, string>): string {
  if (inRange(char, 0, 0x7f)) return /[A-Za-z]/.test(char) ? char : ' ';
  if ('\u00a0\u00ab\u00b0\u00bb'.includes(char)) return ' ';
  // Romanian and Persian letters have two code points each.
  if (char === '\u0219') return '\u015f';
  if (char === '\u021b') return '\u0163';
  if (char === '\u06cc') return '\u064a';
  if (inRange(char, 0x2000, 0x206f)) return ' ';
  if (inRange(char, 0x1ea0, 0x1eff)) return '\u1ec3';
  if (inRange(char, 0x3040, 0x309f)) return '\u3042';
  if (inRange(char, 0x30a0, 0x30ff)) return '\u30a2';
  if (inRange(char, 0x3100, 0x312f) || inRange(char, 0x31a0, 0x31bf)) return '\u3105';
  if (inRange(char, 0x4e00, 0x9fff)) return kanji.get(char) ?? char;
  return inRange(char, 0xac00, 0xd7af) ? '\uac00' : char;
}

// N-gram frequencies of 55 languages: how often each of 87,598 n-grams of one to three characters occurs in each (profiles.json, packed
// by scripts/language-profiles.mjs). They are loaded when a language is first asked for.

export interface Profiles {
  /** langdetect's codes, in alphabetical order. */
  languages: readonly string[];
  /** Pairs [language, probability] by n-gram, only for languages that have it. */
  grams: ReadonlyMap<string, readonly (readonly [language: number, probability: number])[]>;
  /** Representative of each kanji that counts as equal to others. */
  kanji: ReadonlyMap<string, string>;
}

const LEVELS = 255;

let loading: Promise<Profiles> | undefined;

function loadProfiles(): Promise<Profiles> {
  loading ??= import('./profiles.json').then(({ default: file }) => unpacked(file));
  return loading;
}

interface Packed {
  languages: string[];
  /** Number of n-grams. */
  grams: number;
  /** Logarithms of the smallest and the largest probability. */
  low: number;
  high: number;
  /** Groups of characters; each counts as the first of its group. */
  kanji: string[];
  /** Base64 of gzip: the n-grams, one per line, then bytes: number of languages of each n-gram, the languages, and their probability levels. */
  packed: string;
}

function unpacked({ languages, grams: count, low, high, kanji, packed }: Packed): Profiles {
  const bytes = gunzipSync(Uint8Array.from(atob(packed), (char) => char.charCodeAt(0)));
  let at = 0;
  for (let lines = 0; lines < count; at++) if (bytes[at] === 10) lines++;
  const texts = new TextDecoder().decode(bytes.subarray(0, at)).split('\n');
  const counts = bytes.subarray(at, at + count);
  const total = (bytes.length - at - count) / 2;
  const which = bytes.subarray(at + count, at + count + total);
  const levels = bytes.subarray(at + count + total);
  const probabilities = Array.from({ length: LEVELS + 1 }, (_, level) =>
    Math.exp(low + ((high - low) * level) / LEVELS),
  );
  const grams = new Map<string, (readonly [number, number])[]>();
  let entry = 0;
  for (let i = 0; i < count; i++) {
    const known: (readonly [number, number])[] = [];
    for (const end = entry + counts[i]; entry < end; entry++) known.push([which[entry], probabilities[levels[entry]]]);
    grams.set(texts[i], known);
  }
  const representatives = kanji.flatMap((text) => {
    const [first, ...others] = text;
    return [first, ...others].map((char): [string, string] => [char, first]);
  });
  return { languages, grams, kanji: new Map(representatives) };
}
