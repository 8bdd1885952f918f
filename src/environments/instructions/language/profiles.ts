// What the detector knows of 55 languages: how often each of 87,598 runs of one to three characters is met in each (profiles.json, packed by
// scripts/language-profiles.mjs). Loaded when a language is first asked for.
import { gunzipSync } from 'fflate';

export interface Profiles {
  /** langdetect's codes, in alphabetical order. */
  languages: readonly string[];
  /** Of each gram, [language, probability] of those that have it. */
  grams: ReadonlyMap<string, readonly (readonly [language: number, probability: number])[]>;
  /** Kanji that count as one, by each of them. */
  kanji: ReadonlyMap<string, string>;
}

const LEVELS = 255;

let loading: Promise<Profiles> | undefined;

export function loadProfiles(): Promise<Profiles> {
  loading ??= import('./profiles.json').then(({ default: file }) => unpacked(file));
  return loading;
}

interface Packed {
  languages: string[];
  /** How many. */
  grams: number;
  /** Logarithms of the smallest and the largest probability. */
  low: number;
  high: number;
  /** Characters that count as the first of them. */
  kanji: string[];
  /** base64 of gzip: the grams, a line each, then bytes: languages of each gram, which, and at what level. */
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
