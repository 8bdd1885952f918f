// Families over a string `s` of consonants (family.ts, LETTERS). Strings hold the letters that the problem is about.
import type { CounterRng } from '../../../rng/counter-rng.ts';
import { between, type Family, familyMaker, LETTERS, one, range, two } from './family.ts';

type S = [string];
type C = [string];
type CD = [string, string];
type CK = [string, number];

/** About `share` of the letters are taken from `marked`. */
function word(rng: CounterRng, length: number, marked: readonly string[] = [], share = 0.4): S {
  let text = '';
  for (let i = 0; i < length; i++)
    text += rng.uniform() < share && marked.length ? rng.choice(marked) : rng.choice(LETTERS);
  return [text];
}
const make = familyMaker<S>(
  's',
  (rng) => word(rng, between(rng, 2, 3)),
  (rng) => word(rng, between(rng, 3, 8)),
);
const LETTER = one(LETTERS);
const withLetter = (rng: CounterRng, c: string): S => word(rng, 3, [c], 0.45);
const withLetterWide = (rng: CounterRng, c: string): S => word(rng, between(rng, 4, 8), [c], 0.45);

export const S_FAMILIES: readonly Family[] = [
  make<C>({
    id: 'suffix',
    space: LETTER,
    describe: (c) => `s followed by the letter ${c}`,
    python: (c) => `s + '${c}'`,
    value: ([s], c) => s + c,
  }),
  make<C>({
    id: 'wrap',
    space: LETTER,
    describe: (c) => `s with the letter ${c} before and after it`,
    python: (c) => `'${c}' + s + '${c}'`,
    value: ([s], c) => c + s + c,
  }),
  make<C>({
    id: 'drop_letter',
    space: LETTER,
    describe: (c) => `s with every letter ${c} removed`,
    python: (c) => `s.replace('${c}', '')`,
    value: ([s], c) => s.replaceAll(c, ''),
    small: withLetter,
    wide: withLetterWide,
  }),
  make<CD>({
    id: 'replace_letter',
    space: two(LETTERS.slice(0, 6), LETTERS.slice(6)),
    describe: (c, d) => `s with each letter ${c} replaced by ${d}`,
    python: (c, d) => `s.replace('${c}', '${d}')`,
    value: ([s], c, d) => s.replaceAll(c, d),
    small: withLetter,
    wide: withLetterWide,
  }),
  make<C>({
    id: 'double_letter',
    space: LETTER,
    describe: (c) => `s with each letter ${c} doubled`,
    python: (c) => `s.replace('${c}', '${c}${c}')`,
    value: ([s], c) => s.replaceAll(c, c + c),
    small: withLetter,
    wide: withLetterWide,
  }),
  make<C>({
    id: 'count_letter',
    space: LETTER,
    describe: (c) => `how many times the letter ${c} is in s`,
    python: (c) => `s.count('${c}')`,
    value: ([s], c) => s.split(c).length - 1,
    small: withLetter,
    wide: withLetterWide,
  }),
  make<C>({
    id: 'find_letter',
    space: LETTER,
    describe: (c) => `the position of the first letter ${c} in s`,
    python: (c) => `s.find('${c}')`,
    value: ([s], c) => s.indexOf(c),
    small: withLetter,
    wide: (rng, c) => word(rng, between(rng, 4, 8), [c], 0.25),
  }),
  make<C>({
    id: 'has_letter',
    space: LETTER,
    describe: (c) => `whether the letter ${c} is in s`,
    python: (c) => `'${c}' in s`,
    value: ([s], c) => s.includes(c),
    small: (rng, c) => word(rng, 3, [c], 0.2),
    wide: (rng, c) => word(rng, between(rng, 3, 7), [c], 0.1),
  }),
  make<C>({
    id: 'join_letters',
    space: LETTER,
    describe: (c) => `the letters of s joined by ${c}`,
    python: (c) => `'${c}'.join(s)`,
    value: ([s], c) => [...s].join(c),
  }),
  make<C>({
    id: 'split_at',
    space: LETTER,
    describe: (c) => `the parts of s split at the letter ${c}`,
    python: (c) => `s.split('${c}')`,
    value: ([s], c) => s.split(c),
    small: (rng, c) => word(rng, between(rng, 2, 3), [c], 0.4),
    wide: (rng, c) => word(rng, between(rng, 4, 8), [c], 0.3),
  }),
  make<C>({
    id: 'new_first',
    space: LETTER,
    describe: (c) => `s with its first letter replaced by ${c}`,
    python: (c) => `'${c}' + s[1:]`,
    value: ([s], c) => c + s.slice(1),
  }),
  make<C>({
    id: 'new_last',
    space: LETTER,
    describe: (c) => `s with its last letter replaced by ${c}`,
    python: (c) => `s[:-1] + '${c}'`,
    value: ([s], c) => s.slice(0, -1) + c,
  }),
  make<CK>({
    id: 'repeat_then',
    space: two(LETTERS, range(2, 3)),
    describe: (c, k) => `s repeated ${k} times and followed by ${c}`,
    python: (c, k) => `s * ${k} + '${c}'`,
    value: ([s], c, k) => s.repeat(k) + c,
    small: (rng) => word(rng, between(rng, 1, 2)),
    wide: (rng) => word(rng, between(rng, 2, 5)),
  }),
  make<CK>({
    id: 'suffix_times',
    space: two(LETTERS, range(2, 4)),
    describe: (c, k) => `s followed by the letter ${c} ${k} times`,
    python: (c, k) => `s + '${c}' * ${k}`,
    value: ([s], c, k) => s + c.repeat(k),
  }),
  make<[number]>({
    id: 'length_times',
    space: one(range(2, 13)),
    describe: (k) => `the length of s times ${k}`,
    python: (k) => `len(s) * ${k}`,
    value: ([s], k) => s.length * k,
    small: (rng) => word(rng, between(rng, 2, 5)),
  }),
];
