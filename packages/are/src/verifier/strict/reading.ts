// Parses a text for the strict judge: its facts (names, numbers, times, dates, addresses) and its words, in order, each with its clause and
// whether the clause negates it.
import {
  COURTESY,
  DENIALS,
  DENYING_PHRASES,
  EMPTY_WORDS,
  HARMLESS_PHRASES,
  IMPERATIVES,
  MONTHS,
  meaningOf,
  NUMBER_WORDS,
  WEEKDAYS,
} from './lexicon.ts';

type FactKind = 'name' | 'number' | 'time' | 'date' | 'weekday' | 'address';
export interface Token {
  readonly kind: FactKind | 'word';
  /** Equal for tokens with the same meaning. */
  readonly key: string;
  readonly clause: number;
  /** Parts of a name. */
  readonly parts: readonly string[];
  /** Whether it follows another of its kind after only a comma or an "and": a list, whose order is free. */
  readonly goesOn: boolean;
}

type Person = 1 | 2;

export interface Reading {
  readonly tokens: readonly Token[];
  /** Number of negations, and the words of those clauses near the negation. */
  readonly denials: number;
  readonly denied: ReadonlySet<string>;
  /** The acting person: 1 for I or we, 2 for you, if one of them comes first in its clause. */
  readonly person: Person | null;
  /** Persons later in their clauses, to whom something is done. */
  readonly objects: ReadonlySet<Person>;
  /** Whether all its sentences are questions. */
  readonly asks: boolean;
  /** Number of words, and how many of them are in EMPTY_WORDS. */
  readonly words: number;
  readonly empty: number;
  /** Whether it contains the bare word "one", which may be a number. */
  readonly hasOne: boolean;
}

interface ReadingContext {
  /** The day of the message as `YYYY-MM-DD …`. */
  readonly today: string;
  /** Words that are names wherever they occur. */
  readonly names: ReadonlySet<string>;
}

const plain = (text: string): string => text.normalize('NFD').replace(/\p{Mn}/gu, '');

/** Removes greeting and closing of a letter. */
function body(text: string): string {
  return plain(text.replace(/[’‘]/g, "'"))
    .replace(/^\s*(?:hi|hello|hey|dear)\b[^,.!:\n]{0,40}[,.!:\n]/i, ' ')
    .replace(COURTESY, ' ')
    .replace(/\b(?:regards|sincerely|cheers|best|thanks|thank you|yours)\b[\s,.!]*[\p{L} .]{0,30}$/iu, ' ')
    .replace(HARMLESS_PHRASES, ' ')
    .replace(DENYING_PHRASES, ' not ')
    .replace(
      /\b(ca|wo|sha)n't\b/gi,
      (_, verb: string) => `${{ ca: 'can', wo: 'will', sha: 'shall' }[verb.toLowerCase()]} not`,
    )
    .replace(/n't\b/gi, ' not')
    .replace(/\bcannot\b/gi, 'can not')
    .replace(/'(?:ll|re|ve|m|d)\b/gi, ' ')
    .replace(/'s\b/gi, ' ');
}

const MONTH = `(${MONTHS.map((name) => `${name}|${name.slice(0, 3)}`).join('|')})`;
const PIECE = new RegExp(
  [
    '(?<address>[\\w.+-]+@[\\w-]+\\.[\\w.]+\\w|https?://\\S+)',
    '(?<iso>\\d{4}-\\d{2}-\\d{2})',
    `(?<month>\\b${MONTH}\\b\\.? \\d{1,2}(?:st|nd|rd|th)?\\b(?:,? \\d{4}\\b)?|\\b\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}\\b(?:,? \\d{4}\\b)?)`,
    '(?<time>\\b\\d{1,2}(?:[:.]\\d{2}(?!\\d))? ?(?:[ap]m\\b|[ap]\\.m\\.)|\\b\\d{1,2}:\\d{2}(?!\\d))',
    '(?<phone>\\+?\\d[\\d ()-]{6,}\\d)',
    '(?<number>\\d+(?:,\\d{3})*(?:\\.\\d+)?)',
    '(?<word>[\\p{L}](?:[\\p{L}\\p{N}_-]*[\\p{L}\\p{N}])?)',
    '(?<stop>[.!?;:\\n]+|,)',
  ].join('|'),
  'giu',
);

const two = (number: number): string => String(number).padStart(2, '0');

function timeKey(text: string): string {
  const [, hours = '0', minutes = '00', half] = /(\d{1,2})(?:[:.](\d{2}))? ?([ap])?/i.exec(text) ?? [];
  const hour = (Number(hours) % (half ? 12 : 24)) + (half?.toLowerCase() === 'p' ? 12 : 0);
  return `${two(hour)}:${minutes}`;
}

/** Returns `MM-DD`, and the year if it is given. */
function dateKeys(text: string): { day: string; year: string | null } {
  const [, year, month, day] = /(\d{4})-(\d{2})-(\d{2})/.exec(text) ?? [];
  if (year && month && day) return { day: `${month}-${day}`, year };
  const name = new RegExp(MONTH, 'i').exec(text)?.[0].slice(0, 3).toLowerCase() ?? '';
  const number = MONTHS.findIndex((one) => one.startsWith(name)) + 1;
  const [date = '1'] = /\b\d{1,2}(?!\d)/.exec(text) ?? [];
  return { day: `${two(number)}-${two(Number(date))}`, year: /\b\d{4}\b/.exec(text)?.[0] ?? null };
}

/** The date a number of days later. */
export function dayAfter(today: string, days: number): string {
  const date = new Date(`${today.slice(0, 10)}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}

export const weekdayOf = (date: string): string => WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? '';

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one pass over the words, in which each kind of fact has its case.
export function read(text: string, { today, names }: ReadingContext): Reading {
  const tokens: Token[] = [];
  const denialPlaces: number[] = [];
  let [clause, words, empty] = [0, 0, 0];
  let person: Reading['person'] = null;
  const objects = new Set<Person>();
  let hasOne = false;
  /** Whether only a comma or an "and" has occurred since the last token. */
  let isList = false;
  const put = (kind: Token['kind'], key: string, parts: readonly string[] = [key]) => {
    const last = tokens.at(-1);
    tokens.push({ kind, key, parts, clause, goesOn: isList && last?.kind === kind });
    isList = true;
  };
  const clean = body(text);
  let end = 0;
  for (const match of clean.matchAll(PIECE)) {
    const { address, iso, month, time, phone, number, word, stop } = match.groups ?? {};
    const isAdjacent = clean.slice(end, match.index).trim() === '';
    end = match.index + match[0].length;
    if (stop !== undefined) {
      clause++;
      isList &&= stop === ',';
      continue;
    }
    words++;
    if (address !== undefined) put('address', address.toLowerCase());
    else if (iso !== undefined || month !== undefined) {
      const { day, year } = dateKeys(match[0]);
      put('date', day);
      if (year !== null) put('date', year);
    } else if (time !== undefined) put('time', timeKey(time));
    else if (phone !== undefined) put('number', phone.replace(/\D/g, ''));
    else if (number !== undefined) put('number', String(Number(number.replaceAll(',', ''))));
    else if (word !== undefined) {
      const lower = word.toLowerCase();
      const named = /^(?:i|we|me|us)$/.test(lower) ? 1 : lower === 'you' ? 2 : null;
      if (named !== null && tokens.at(-1)?.clause === clause) objects.add(named);
      else if (named !== null) person ??= named;
      hasOne ||= lower === 'one';
      const last = tokens.at(-1);
      const days = lower === 'today' ? 0 : lower === 'tomorrow' ? 1 : null;
      if (names.has(lower)) {
        const isSame = last?.kind === 'name' && last.clause === clause && isAdjacent && isList;
        if (isSame) tokens[tokens.length - 1] = { ...last, key: `${last.key} ${lower}`, parts: [...last.parts, lower] };
        else put('name', lower);
      } else if (DENIALS.has(lower)) {
        denialPlaces.push(tokens.length);
        isList = false;
      } else if (days !== null) put('date', dayAfter(today, days).slice(5));
      else if (lower === 'noon' || lower === 'midnight') put('time', lower === 'noon' ? '12:00' : '00:00');
      else if (WEEKDAYS.includes(lower)) put('weekday', lower);
      else if (lower !== 'one' && Object.hasOwn(NUMBER_WORDS, lower)) put('number', String(NUMBER_WORDS[lower]));
      else if (EMPTY_WORDS.has(lower)) {
        empty++;
        isList &&= lower === 'and' || lower === 'or';
      } else put('word', meaningOf(lower));
    }
  }
  const denied = new Set<string>();
  for (const place of denialPlaces) {
    const at = tokens[place]?.clause === undefined ? tokens[place - 1]?.clause : tokens[place]?.clause;
    const after = tokens.slice(place, place + REACH).filter((token) => token.clause === at);
    const before = tokens.slice(Math.max(0, place - REACH), place).filter((token) => token.clause === at);
    for (const { key } of [...before, ...after]) denied.add(key);
  }
  const sentences = text.split(/(?<=[.!?])\s+/).filter((sentence) => /\p{L}{2}/u.test(sentence));
  const asks = sentences.length > 0 && sentences.every((sentence) => sentence.trim().endsWith('?'));
  return { tokens, denials: denialPlaces.length, denied, person, objects, asks, words, empty, hasOne };
}

/** Tokens before and after a negation that it may refer to. */
const REACH = 3;

/** Words capitalised within a sentence, or before another such word, that are nowhere written in lower case. */
export function namesIn(texts: readonly string[]): ReadonlySet<string> {
  const [capital, small] = [new Set<string>(), new Set<string>()];
  for (const text of texts) {
    const clean = plain(text.replace(/[’‘]/g, "'")).replace(/'s\b/g, '');
    const found = [...clean.matchAll(/\p{L}[\p{L}\p{N}_-]*/gu)];
    for (const [place, match] of found.entries()) {
      const [word] = match;
      if (!/^\p{Lu}/u.test(word)) small.add(word.toLowerCase());
      else {
        const before = clean.slice(0, match.index).trimEnd();
        const next = found[place + 1];
        const isBeforeName =
          next !== undefined &&
          /^\p{Lu}\p{Ll}/u.test(next[0]) &&
          clean.slice(match.index + word.length, next.index) === ' ';
        const beginsSentence = before === '' || /[.!?:\n"]$/.test(before);
        if (!beginsSentence || isBeforeName) capital.add(word.toLowerCase());
      }
    }
  }
  const known = (word: string) =>
    small.has(word) ||
    IMPERATIVES.has(word) ||
    EMPTY_WORDS.has(word) ||
    DENIALS.has(word) ||
    WEEKDAYS.includes(word) ||
    MONTHS.includes(word);
  return new Set([...capital].filter((word) => !known(word)));
}
