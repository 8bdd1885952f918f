// Families over a string `s` of consonants (family.ts, LETTERS). Inputs contain the letters that the problem is about.
import type { CounterRng } from '../../../rng/counter-rng.ts';
import { between, type Family, familyMaker, LETTERS, one, range, two } from './family.ts';

type S = [string];
type C = [string];
type CD = [string, string];
type CK = [string, number];

/** About `share` of the letters come from `marked`. */
function word(rng: CounterRng, length: number, marked: readonly string[] = [], share = 0.4): S {
  let text = '';
  for (let i = 0; i < length; i++)
    text += rng.uniform() < share && marked.length ? rng.choice(marked) : rng.choice(LETTERS);
  return [text];
}
const make = familyMaker<S>('s', {
  small: (rng) => word(rng, between(rng, 2, 3)),
  wide: (rng) => word(rng, between(rng, 3, 8)),
});
const LETTER = one(LETTERS);
const withLetter = (rng: CounterRng, c: string) => word(rng, 3, [c], 0.45);
const MARKED = { small: withLetter, wide: (rng: CounterRng, c: string) => word(rng, between(rng, 4, 8), [c], 0.45) };

export const S_FAMILIES: readonly Family[] = [
  make<C>('suffix', LETTER, 's followed by the letter {0}', "s + '{0}'", ([s], c) => s + c),
  make<C>('wrap', LETTER, 's with the letter {0} before and after it', "'{0}' + s + '{0}'", ([s], c) => c + s + c),
  make<C>(
    'drop_letter',
    LETTER,
    's with every letter {0} removed',
    "s.replace('{0}', '')",
    ([s], c) => s.replaceAll(c, ''),
    MARKED,
  ),
  make<CD>(
    'replace_letter',
    two(LETTERS.slice(0, 6), LETTERS.slice(6)),
    's with each letter {0} replaced by {1}',
    "s.replace('{0}', '{1}')",
    ([s], c, d) => s.replaceAll(c, d),
    MARKED,
  ),
  make<C>(
    'double_letter',
    LETTER,
    's with each letter {0} doubled',
    "s.replace('{0}', '{0}{0}')",
    ([s], c) => s.replaceAll(c, c + c),
    MARKED,
  ),
  make<C>(
    'count_letter',
    LETTER,
    'how many times the letter {0} is in s',
    "s.count('{0}')",
    ([s], c) => s.split(c).length - 1,
    MARKED,
  ),
  make<C>(
    'find_letter',
    LETTER,
    'the position of the first letter {0} in s',
    "s.find('{0}')",
    ([s], c) => s.indexOf(c),
    { small: withLetter, wide: (rng, c) => word(rng, between(rng, 4, 8), [c], 0.25) },
  ),
  make<C>('has_letter', LETTER, 'whether the letter {0} is in s', "'{0}' in s", ([s], c) => s.includes(c), {
    small: (rng, c) => word(rng, 3, [c], 0.2),
    wide: (rng, c) => word(rng, between(rng, 3, 7), [c], 0.1),
  }),
  make<C>('join_letters', LETTER, 'the letters of s joined by {0}', "'{0}'.join(s)", ([s], c) => [...s].join(c)),
  make<C>('split_at', LETTER, 'the parts of s split at the letter {0}', "s.split('{0}')", ([s], c) => s.split(c), {
    small: (rng, c) => word(rng, between(rng, 2, 3), [c], 0.4),
    wide: (rng, c) => word(rng, between(rng, 4, 8), [c], 0.3),
  }),
  make<C>('new_first', LETTER, 's with its first letter replaced by {0}', "'{0}' + s[1:]", ([s], c) => c + s.slice(1)),
  make<C>(
    'new_last',
    LETTER,
    's with its last letter replaced by {0}',
    "s[:-1] + '{0}'",
    ([s], c) => s.slice(0, -1) + c,
  ),
  make<CK>(
    'repeat_then',
    two(LETTERS, range(2, 3)),
    's repeated {1} times and followed by {0}',
    "s * {1} + '{0}'",
    ([s], c, k) => s.repeat(k) + c,
    { small: (rng) => word(rng, between(rng, 1, 2)), wide: (rng) => word(rng, between(rng, 2, 5)) },
  ),
  make<CK>(
    'suffix_times',
    two(LETTERS, range(2, 4)),
    's followed by the letter {0} {1} times',
    "s + '{0}' * {1}",
    ([s], c, k) => s + c.repeat(k),
  ),
  make<[number]>(
    'length_times',
    one(range(2, 13)),
    'the length of s times {0}',
    'len(s) * {0}',
    ([s], k) => s.length * k,
    { small: (rng) => word(rng, between(rng, 2, 5)) },
  ),
];
