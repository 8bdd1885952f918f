// The methods of Python's str.
import { bind, boundOf, type Method, method, named, textOf } from './arguments.ts';
import { formatted } from './format.ts';
import { str } from './printing.ts';
import {
  Callable,
  characters,
  integerOf,
  isWide,
  List,
  lengthOfText,
  listOf,
  Tuple,
  truth,
  typeError,
  typeOf,
  type Value,
} from './values.ts';
import { LIMITS, unsupported, type Work } from './work.ts';

/** Python's white space; JavaScript's includes U+FEFF in addition, and lacks U+001C to U+001F and U+0085. */
export const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const SPACES = new RegExp(`[${SPACE}]`);
const WORDS = new RegExp(`[^${SPACE}]+`, 'g');
// biome-ignore lint/suspicious/noControlCharactersInRegex: Python's str.splitlines() treats these characters as line ends.
const LINE_END = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/g;

/** Removes the characters of `chars` (white space if null) at one end or both. */
export function strip(text: string, chars: string | null, left: boolean, right: boolean): string {
  if (chars !== null && (isWide(chars) || isWide(text))) {
    const [all, set] = [characters(text), new Set(characters(chars))];
    let [from, to] = [0, all.length];
    while (left && from < to && set.has(all[from])) from++;
    while (right && to > from && set.has(all[to - 1])) to--;
    return all.slice(from, to).join('');
  }
  const set = chars === null ? null : new Set(chars);
  const taken = (unit: string) => (set ? set.has(unit) : SPACES.test(unit));
  let [from, to] = [0, text.length];
  while (left && from < to && taken(text[from])) from++;
  while (right && to > from && taken(text[to - 1])) to--;
  return text.slice(from, to);
}

export const isSpace = (text: string) => text !== '' && strip(text, null, true, false) === '';

export function splitLines(text: string, keep: boolean, work: Work): string[] {
  const lines: string[] = [];
  let from = 0;
  for (const { 0: end, index } of text.matchAll(LINE_END)) {
    lines.push(text.slice(from, index + (keep ? end.length : 0)));
    from = index + end.length;
    if (lines.length > LIMITS.items) work.items('splitlines()', lines.length);
  }
  if (from < text.length) lines.push(text.slice(from));
  work.charge(text.length / 32 + lines.length);
  return lines;
}

/** @param most maximum number of cuts, counted from the left or from the right; negative for no maximum. */
function split(text: string, separator: string | null, most: number, fromRight: boolean, work: Work): List {
  work.text(text);
  if (separator === '') throw typeError('empty separator');
  const limit = most < 0 ? Number.POSITIVE_INFINITY : most;
  // Start and end of each piece in the text.
  let pieces: [from: number, to: number][] = [];
  if (separator === null) {
    for (const { 0: word, index } of text.matchAll(WORDS)) {
      pieces.push([index, index + word.length]);
      if (pieces.length > LIMITS.items) break;
    }
  } else {
    let from = 0;
    const places = fromRight && limit < Number.POSITIVE_INFINITY ? lastPlaces(text, separator, limit, work) : null;
    for (const at of places ?? work.findAll(text, separator, Math.min(limit, LIMITS.items + 1))) {
      pieces.push([from, at]);
      from = at + separator.length;
    }
    pieces.push([from, text.length]);
  }
  work.items('split()', pieces.length);
  work.charge(pieces.length);
  if (separator === null && pieces.length > limit) {
    // The piece that is not split further keeps its inner white space; rsplit() strips it at its outer end.
    if (fromRight) {
      const cut = pieces.length - limit;
      pieces = [[0, pieces[cut - 1][1]], ...pieces.slice(cut)];
      return new List(
        pieces.map(([from, to], i) =>
          i === 0 ? strip(text.slice(from, to), null, false, true) : text.slice(from, to),
        ),
      );
    }
    pieces = [...pieces.slice(0, limit), [pieces[limit][0], text.length]];
  }
  return new List(pieces.map(([from, to]) => text.slice(from, to)));
}

/** The last `most` positions of a separator, found from the end of the text and returned in ascending order. */
function lastPlaces(text: string, separator: string, most: number, work: Work): number[] {
  const mirror = (whole: string) => [...Array(whole.length)].map((_, i) => whole[whole.length - 1 - i]).join('');
  work.charge(text.length / 4);
  const found = work.findAll(mirror(text), mirror(separator), Math.min(most, LIMITS.items + 1));
  return found.map((at) => text.length - at - separator.length).reverse();
}

function lastPlace(text: string, part: string, work: Work): number {
  return part === '' ? text.length : (lastPlaces(text, part, 1, work)[0] ?? -1);
}

export function replace(text: string, old: string, by: string, count: number, work: Work): string {
  work.text(text);
  const most = count < 0 ? Number.POSITIVE_INFINITY : count;
  if (old === '') {
    const all = characters(text);
    const places = Math.min(most, all.length + 1);
    work.room(text.length + places * by.length);
    work.charge(all.length / 4);
    const spread = all.map((char, i) => (i < places ? by + char : char)).join('');
    return work.text(places > all.length ? spread + by : spread);
  }
  const places = work.findAll(text, old, most);
  work.room(text.length + places.length * (by.length - old.length));
  let from = 0;
  const parts: string[] = [];
  for (const at of places) {
    parts.push(text.slice(from, at), by);
    from = at + old.length;
  }
  return work.text(parts.join('') + text.slice(from));
}

/** Letters whose title-case form is neither their uppercase form nor the first letter of that. */
const TITLED = /[ŉǄ-ǌǱ-ǳ\u1f80-\u1fff]/;

/** The title-case form of a letter. */
function titleOf(char: string): string {
  const code = char.codePointAt(0)!;
  // Georgian letters have no title-case form; their capitals are used for whole words only.
  if (code >= 0x10d0 && code <= 0x10ff) return char;
  const upper = char.toUpperCase();
  if (TITLED.test(char) && (code < 0x1f80 || upper.length > 1)) throw unsupported(`the title case of '${char}'`);
  const first = characters(upper)[0];
  return first + upper.slice(first.length).toLowerCase();
}

export function capitalize(text: string): string {
  if (text === '') return '';
  const first = String.fromCodePoint(text.codePointAt(0)!);
  // The whole text is lowercased, since the lowercase of a sigma depends on the letters before it.
  return titleOf(first) + text.toLowerCase().slice(first.toLowerCase().length);
}

const CASED = /[\p{Lowercase}\p{Uppercase}\p{Lt}]/u;

function title(text: string): string {
  if (text.includes('Σ')) throw unsupported("title() of a text with 'Σ'");
  let inWord = false;
  return characters(text)
    .map((char) => {
      const written = inWord ? char.toLowerCase() : titleOf(char);
      inWord = CASED.test(char);
      return written;
    })
    .join('');
}

/** Whether the text has cased characters and all of them have the given case. */
export function isCase(text: string, upper: boolean): boolean {
  const [own, other] = upper
    ? [/\p{Uppercase}/u, /[\p{Lowercase}\p{Lt}]/u]
    : [/\p{Lowercase}/u, /[\p{Uppercase}\p{Lt}]/u];
  return own.test(text) && !other.test(text);
}

const every = (pattern: RegExp) =>
  method<string>([], (text, _, work) => work.text(text) !== '' && characters(text).every((char) => pattern.test(char)));

/** Python's digits: decimals, and also superscripts, circled digits and the like. */
const DIGITS =
  /[\p{Nd}\u00b2\u00b3\u00b9\u1369-\u1371\u19da\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490\u24ea\u24f5-\u24fd\u24ff\u2776-\u277e\u2780-\u2788\u278a-\u2792\u{10a40}-\u{10a43}\u{10e60}-\u{10e68}\u{11052}-\u{1105a}\u{1f100}-\u{1f10a}]/u;

/** The part of a text in which a method searches, for bounds in characters as in Python's slices. */
function window(text: string, from: Value, to: Value, what: string): { part: string; start: number; past: boolean } {
  const all = isWide(text) ? characters(text) : null;
  const length = all ? all.length : text.length;
  const clamp = (value: number | null, open: number) =>
    value === null ? open : value < 0 ? Math.max(0, value + length) : Math.min(value, length);
  const start = clamp(boundOf(from, what), 0);
  const end = clamp(boundOf(to, what), length);
  const part = all ? all.slice(start, end).join('') : text.slice(start, end);
  // A search that starts beyond the end finds nothing, not even the empty text.
  return { part: start > end ? '' : part, start, past: start > end || (boundOf(from, what) ?? 0) > length };
}

function search(name: string, last: boolean, must: boolean): Method<string> {
  return method([['sub'], ['start', null], ['end', null]], (text, [sub, from, to], work) => {
    const wanted = textOf(sub, `${name}()`);
    const { part, start, past } = window(work.text(text), from, to, `${name}()`);
    const at = past ? -1 : last ? lastPlace(part, wanted, work) : work.find(part, wanted);
    if (at < 0 && must) throw typeError('substring not found');
    return BigInt(at < 0 ? -1 : start + lengthOfText(part.slice(0, at)));
  });
}

function ends(name: string, test: (text: string, part: string) => boolean): Method<string> {
  return method([['prefix'], ['start', null], ['end', null]], (text, [wanted, from, to], work) => {
    const { part, past } = window(work.text(text), from, to, `${name}()`);
    const options = wanted instanceof Tuple ? wanted.items : [wanted];
    return options.some((option) => {
      const end = textOf(option, `${name}()`);
      work.charge(1 + Math.min(end.length, part.length) / 32);
      return !past && test(part, end);
    });
  });
}

function stripped(name: string, left: boolean, right: boolean): Method<string> {
  return method([['chars', null]], (text, [chars], work) => {
    const set = chars === null ? null : work.text(textOf(chars, `${name}()`));
    return work.text(strip(text, set, left, right));
  });
}

function padded(name: string, place: (missing: number, width: number) => number): Method<string> {
  return method([['width'], ['fillchar', ' ']], (text, [to, fill], work) => {
    const [width, char] = [integerOf(to, `${name}()`), textOf(fill, `${name}()`)];
    if (lengthOfText(char) !== 1) throw typeError('The fill character must be exactly one character long');
    return pad(text, width, char, place, work);
  });
}

function pad(
  text: string,
  width: number,
  char: string,
  place: (missing: number, width: number) => number,
  work: Work,
): string {
  const missing = width - lengthOfText(work.text(text));
  if (missing <= 0) return text;
  work.room(text.length + missing * char.length);
  const left = place(missing, width);
  return work.text(char.repeat(left) + text + char.repeat(missing - left));
}

const middle = (missing: number, width: number) => Math.floor(missing / 2) + (missing & width & 1);
export const center = (text: string, width: number, work: Work) => pad(text, width, ' ', middle, work);

function parted(name: string, last: boolean): Method<string> {
  return method([['sep']], (text, [sep], work) => {
    const separator = textOf(sep, `${name}()`);
    if (separator === '') throw typeError('empty separator');
    const at = last ? lastPlace(text, separator, work) : work.find(text, separator);
    if (at < 0) return new Tuple(last ? ['', '', text] : [text, '', '']);
    return new Tuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
  });
}

export const METHODS: Readonly<Record<string, Method<string>>> = {
  upper: method([], (text, _, work) => work.text(work.text(text).toUpperCase())),
  lower: method([], (text, _, work) => work.text(work.text(text).toLowerCase())),
  capitalize: method([], (text, _, work) => work.text(capitalize(work.text(text)))),
  title: method([], (text, _, work) => work.text(title(work.text(work.text(text))))),
  strip: stripped('strip', true, true),
  lstrip: stripped('lstrip', true, false),
  rstrip: stripped('rstrip', false, true),
  startswith: ends('startswith', (text, part) => text.startsWith(part)),
  endswith: ends('endswith', (text, part) => text.endsWith(part)),
  find: search('find', false, false),
  rfind: search('rfind', true, false),
  index: search('index', false, true),
  rindex: search('rindex', true, true),
  count: method([['sub'], ['start', null], ['end', null]], (text, [sub, from, to], work) => {
    const wanted = textOf(sub, 'count()');
    const { part, past } = window(work.text(text), from, to, 'count()');
    if (past) return 0n;
    return BigInt(wanted === '' ? lengthOfText(part) + 1 : work.findAll(part, wanted).length);
  }),
  split: named(
    [
      ['sep', null],
      ['maxsplit', -1n],
    ],
    (text, [sep, most], work) =>
      split(text, sep === null ? null : textOf(sep, 'split()'), integerOf(most, 'split()'), false, work),
  ),
  rsplit: named(
    [
      ['sep', null],
      ['maxsplit', -1n],
    ],
    (text, [sep, most], work) =>
      split(text, sep === null ? null : textOf(sep, 'rsplit()'), integerOf(most, 'rsplit()'), true, work),
  ),
  splitlines: named([['keepends', false]], (text, [keep], work) => new List(splitLines(text, truth(keep), work))),
  partition: parted('partition', false),
  rpartition: parted('rpartition', true),
  replace: method([['old'], ['new'], ['count', -1n]], (text, [old, by, count], work) =>
    replace(text, textOf(old, 'replace()'), textOf(by, 'replace()'), integerOf(count, 'replace()'), work),
  ),
  removeprefix: method([['prefix']], (text, [prefix], work) => {
    const start = work.text(textOf(prefix, 'removeprefix()'));
    return work.text(text.startsWith(start) ? text.slice(start.length) : text);
  }),
  removesuffix: method([['suffix']], (text, [suffix], work) => {
    const end = work.text(textOf(suffix, 'removesuffix()'));
    return work.text(end !== '' && text.endsWith(end) ? text.slice(0, -end.length) : text);
  }),
  join: method([['iterable']], (text, [items], work) => {
    const parts = listOf(items, work).map((item, i) => {
      if (typeof item === 'string') return item;
      throw typeError(`sequence item ${i}: expected str instance, ${typeOf(item)} found`);
    });
    return joinTexts(text, parts, work);
  }),
  center: padded('center', middle),
  ljust: padded('ljust', () => 0),
  rjust: padded('rjust', (missing) => missing),
  zfill: method([['width']], (text, [to], work) => {
    const missing = integerOf(to, 'zfill()') - lengthOfText(text);
    if (missing <= 0) return text;
    work.room(text.length + missing);
    const sign = /^[+-]/.test(text) ? text[0] : '';
    return work.text(sign + '0'.repeat(missing) + text.slice(sign.length));
  }),
  expandtabs: named([['tabsize', 8n]], (text, [size], work) => expandTabs(text, integerOf(size, 'expandtabs()'), work)),
  isalpha: every(/\p{L}/u),
  isalnum: every(/[\p{L}\p{N}]/u),
  isdecimal: every(/\p{Nd}/u),
  isdigit: every(DIGITS),
  isspace: method([], (text, _, work) => isSpace(work.text(text))),
  isascii: method([], (text, _, work) => !/[^\0-\x7f]/.test(work.text(text))),
  islower: method([], (text, _, work) => isCase(work.text(text), false)),
  isupper: method([], (text, _, work) => isCase(work.text(text), true)),
};

/** Looks up a method of a text; undefined if Python has none of that name. Methods that this renderer lacks are refused. */
export function textMethod(name: string, text: string, work: Work): Callable | undefined {
  if (name === 'format') return new Callable(name, (args) => formatted(text, args, work));
  const own = Object.hasOwn(METHODS, name) ? METHODS[name] : null;
  if (own) return new Callable(name, (args) => own.run(text, bind(name, args, own), work));
  if (REFUSED.has(name)) throw unsupported(`the method '${name}' of str`);
  return undefined;
}

const REFUSED: ReadonlySet<string> = new Set([
  ...['casefold', 'encode', 'format_map', 'isidentifier', 'isnumeric', 'isprintable', 'istitle', 'maketrans'],
  ...['swapcase', 'translate'],
]);

export function joinTexts(separator: string, parts: readonly string[], work: Work): string {
  const length = parts.reduce((sum, part) => sum + part.length, separator.length * Math.max(0, parts.length - 1));
  work.room(length);
  return work.text(parts.join(separator));
}

/** The text of a value for a filter that takes any value. A Markup is refused, because in Jinja2 the result would be a Markup again. */
export function soft(value: Value, filter: string, work: Work): string {
  return work.text(typeof value === 'object' && value !== null ? textOrOwn(value, filter, work) : str(value, work));
}
function textOrOwn(value: Value, filter: string, work: Work): string {
  if (typeOf(value) === 'Markup') throw unsupported(`the filter '${filter}' of a text that 'safe' or 'escape' marked`);
  return str(value, work);
}

function expandTabs(text: string, size: number, work: Work): string {
  work.room(text.length + (text.split('\t').length - 1) * Math.max(0, size));
  let column = 0;
  const parts = characters(text).map((char) => {
    if (char === '\t') {
      const blanks = size > 0 ? size - (column % size) : 0;
      column += blanks;
      return ' '.repeat(blanks);
    }
    column = char === '\n' || char === '\r' ? 0 : column + 1;
    return char;
  });
  return work.text(parts.join(''));
}
