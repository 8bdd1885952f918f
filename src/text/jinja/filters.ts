// Jinja2's filters over texts, numbers and single values; those over elements are in filters-items.ts. `tojson` is the one of transformers.
import { type Filter, type Signature, textOf } from './arguments.ts';
import { attributeOf } from './attributes.ts';
import { getter, ITEM_FILTERS } from './filters-items.ts';
import { percent, rounded } from './format.ts';
import { arithmetic, floatOf, ordered, signed } from './operators.ts';
import { escaped, json, str } from './printing.ts';
import { capitalize, center, joinTexts, replace, SPACE, soft, splitLines, strip } from './strings.ts';
import {
  characters,
  Dict,
  integerOf,
  lengthOf,
  lengthOfText,
  listOf,
  Markup,
  numberOf,
  Tuple,
  truth,
  typeError,
  typeOf,
  Undefined,
  type Value,
} from './values.ts';
import { LIMITS, unsupported, type Work } from './work.ts';

/** Filters of Jinja2 that this renderer lacks. */
export const REFUSED_FILTERS: ReadonlySet<string> = new Set([
  ...['filesizeformat', 'pprint', 'random', 'striptags', 'urlencode', 'urlize', 'wordwrap', 'xmlattr'],
]);

const WORD_START = new RegExp(`([-({\\[<${SPACE}]+)`);

function titled(text: string): string {
  return text
    .split(WORD_START)
    .map((item) => {
      const first = characters(item.slice(0, 2))[0] ?? '';
      return first.toUpperCase() + item.slice(first.length).toLowerCase();
    })
    .join('');
}

/** Python's int() of a text; null where Python raises a ValueError. */
function parseInteger(text: string, base: number): bigint | null {
  if (base !== 0 && (base < 2 || base > 36)) return null;
  const [, sign, prefix, digits] = /^([+-]?)(0[xXoObB])?([\s\S]*)$/.exec(strip(text, null, true, true))!;
  const own = { x: 16, o: 8, b: 2 }[prefix?.[1].toLowerCase() ?? ''] ?? 0;
  if (prefix && own !== base && base !== 0) return base > 11 ? parseDigits(sign, prefix + digits, base) : null;
  if (base === 0 && !prefix && /^0[\d_]*[1-9]/.test(digits)) return null;
  return parseDigits(sign, prefix ? digits.replace(/^_/, '') : digits, base === 0 ? own || 10 : base);
}

function parseDigits(sign: string, digits: string, base: number): bigint | null {
  if (/[^\0-\x7f]/.test(digits) && /\p{Nd}/u.test(digits)) throw unsupported('a number in digits that are not ASCII');
  if (!/^[0-9a-z]+(_[0-9a-z]+)*$/i.test(digits)) return null;
  const plain = digits.replaceAll('_', '');
  // Python refuses longer numbers as well.
  if (plain.length > LIMITS.digits) return null;
  let value = 0n;
  if (base === 10) {
    if (!/^\d+$/.test(plain)) return null;
    value = BigInt(plain);
  } else
    for (const char of plain) {
      const digit = Number.parseInt(char, base);
      if (Number.isNaN(digit)) return null;
      value = value * BigInt(base) + BigInt(digit);
    }
  return sign === '-' ? -value : value;
}

/** Python's float() of a text; null where Python raises a ValueError. */
function parseFloatText(given: string): number | null {
  const text = strip(given, null, true, true);
  if (/[^\0-\x7f]/.test(text) && /\p{Nd}/u.test(text)) throw unsupported('a number in digits that are not ASCII');
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (special) {
    if (special[2].toLowerCase() === 'nan') return Number.NaN;
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (!/^[+-]?(\d+(_\d+)*(\.(\d+(_\d+)*)?)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?$/i.test(text)) return null;
  return Number(text.replaceAll('_', ''));
}

/** Python's float(); null where Python raises a TypeError or a ValueError. */
function toFloat(value: Value): number | null {
  if (value instanceof Markup || value instanceof Undefined) textOf(value, "the filter 'float'");
  const number = numberOf(value);
  if (number !== null) return floatOf(number);
  return typeof value === 'string' ? parseFloatText(value) : null;
}

function toInteger(value: Value, base: number): bigint | null {
  if (value instanceof Markup || value instanceof Undefined) textOf(value, "the filter 'int'");
  if (typeof value === 'string') {
    const whole = parseInteger(value, base);
    if (whole !== null) return whole;
    const float = parseFloatText(value);
    return float === null || !Number.isFinite(float) ? null : BigInt(Math.trunc(float));
  }
  const number = numberOf(value);
  if (number === null || Number.isNaN(number)) return null;
  if (typeof number === 'bigint') return number;
  if (!Number.isFinite(number)) throw typeError('cannot convert float infinity to integer');
  return BigInt(Math.trunc(number));
}

function indented(value: Value, width: Value, first: boolean, blank: boolean, work: Work): string {
  const text = textOf(value, "the filter 'indent'");
  const margin = typeof width === 'string' ? width : integerOf(width, "the filter 'indent'");
  const size = typeof margin === 'string' ? margin.length : Math.max(0, margin);
  const lines = splitLines(`${text}\n`, false, work);
  work.room(text.length + lines.length * size + size);
  const indent = typeof margin === 'string' ? margin : ' '.repeat(size);
  const rest = lines.slice(1).map((line) => (line || blank ? indent + line : line));
  return work.text((first ? indent : '') + [lines[0], ...rest].join('\n'));
}

function truncated(value: Value, [length, kill, end, leeway]: Value[], work: Work): Value {
  const [most, tail] = [integerOf(length, "the filter 'truncate'"), textOf(end, "the filter 'truncate'")];
  const over = leeway === null ? 5 : integerOf(leeway, "the filter 'truncate'");
  const cut = most - lengthOfText(tail);
  if (cut < 0) throw typeError(`expected length >= ${lengthOfText(tail)}, got ${most}`);
  if (over < 0) throw typeError(`expected leeway >= 0, got ${over}`);
  const size = lengthOf(value, work);
  if (size === null) throw typeError(`object of type '${typeOf(value)}' has no len()`);
  if (size <= most + over) return value;
  const all = characters(textOf(value, "the filter 'truncate'"));
  const kept = all.slice(0, cut).join('');
  if (truth(kill)) return work.text(kept + tail);
  const space = kept.lastIndexOf(' ');
  return work.text((space < 0 ? kept : kept.slice(0, space)) + tail);
}

function roundedBy(value: Value, precision: Value, method: Value, work: Work): Value {
  const digits = integerOf(precision, "the filter 'round'");
  if (method === 'common') return rounded(value, digits);
  if (method !== 'ceil' && method !== 'floor') throw typeError('method must be common, ceil or floor');
  const scale = arithmetic(10n, '**', BigInt(digits), work);
  const up = numberOf(arithmetic(value, '*', scale, work));
  if (up === null) throw typeError(`must be real number, not ${typeOf(value)}`);
  if (typeof up === 'number' && !Number.isFinite(up)) throw typeError('cannot convert float to integer');
  const whole = typeof up === 'bigint' ? up : BigInt(method === 'ceil' ? Math.ceil(up) : Math.floor(up));
  return arithmetic(whole, '/', scale, work);
}

function toJson(value: Value, [ascii, indent, separators, sort]: Value[], work: Work): string {
  const level = (): string | null => {
    if (indent === null) return null;
    if (typeof indent === 'string') return indent;
    const blanks = Math.max(0, integerOf(indent, 'indent'));
    work.room(blanks);
    return ' '.repeat(blanks);
  };
  const own: readonly [string, string] = indent === null ? [', ', ': '] : [',', ': '];
  const parts = separators === null ? own : listOf(separators, work).map((part) => textOf(part, 'separators'));
  if (parts.length !== 2) throw typeError('separators takes two texts');
  const options = {
    ensureAscii: truth(ascii),
    indent: level(),
    separators: [parts[0], parts[1]] as const,
    sortKeys: truth(sort),
  };
  return json(value, options, (a, b) => ordered(a, '<', b, work), work);
}

const text = (
  name: string,
  run: (text: string, args: Value[], work: Work) => Value,
  ...parameters: Signature['parameters']
): Filter => ({ parameters, run: (value, args, { work }) => run(soft(value, name, work), args, work) });

const lengthFilter: Filter = {
  parameters: [],
  run(value, _, { work }) {
    const length = lengthOf(value, work);
    if (length === null) throw typeError(`object of type '${typeOf(value)}' has no len()`);
    return BigInt(length);
  },
};
const defaultFilter: Filter = {
  parameters: [
    ['default_value', ''],
    ['boolean', false],
  ],
  run: (value, [fallback, falsy]) => (value instanceof Undefined || (truth(falsy) && !truth(value)) ? fallback : value),
};
const escapeFilter: Filter = {
  parameters: [],
  run: (value, _, { work }) => (value instanceof Markup ? value : escaped(str(value, work), work)),
};

export const FILTERS: Readonly<Record<string, Filter>> = {
  ...ITEM_FILTERS,
  upper: text('upper', (own, _, work) => work.text(own.toUpperCase())),
  lower: text('lower', (own, _, work) => work.text(own.toLowerCase())),
  capitalize: text('capitalize', (own, _, work) => work.text(capitalize(own))),
  title: text('title', (own, _, work) => work.text(titled(own))),
  trim: text(
    'trim',
    (own, [chars], work) =>
      work.text(strip(own, chars === null ? null : textOf(chars, "the filter 'trim'"), true, true)),
    ['chars', null],
  ),
  center: text('center', (own, [width], work) => center(own, integerOf(width, "the filter 'center'"), work), [
    'width',
    80n,
  ]),
  wordcount: text('wordcount', (own) => BigInt(own.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0)),
  replace: {
    parameters: [['old'], ['new'], ['count', null]],
    run(value, [old, by, count], { work }) {
      const most = count === null ? -1 : integerOf(count, "the filter 'replace'");
      return replace(str(value, work), str(old, work), str(by, work), most, work);
    },
  },
  indent: {
    parameters: [
      ['width', 4n],
      ['first', false],
      ['blank', false],
    ],
    run: (value, [width, first, blank], { work }) => indented(value, width, truth(first), truth(blank), work),
  },
  truncate: {
    parameters: [
      ['length', 255n],
      ['killwords', false],
      ['end', '...'],
      ['leeway', null],
    ],
    run: (value, args, { work }) => truncated(value, args, work),
  },
  format: {
    raw(value, { positional, named }, { work }) {
      if (positional.length > 0 && named.size > 0)
        throw typeError("can't handle positional and keyword arguments at the same time");
      const values = new Dict();
      for (const [name, item] of named) values.set(name, item, work);
      return percent(soft(value, 'format', work), named.size > 0 ? values : new Tuple(positional), work);
    },
  },
  string: { parameters: [], run: (value, _, { work }) => (value instanceof Markup ? value : str(value, work)) },
  safe: { parameters: [], run: (value, _, { work }) => new Markup(str(value, work)) },
  escape: escapeFilter,
  e: escapeFilter,
  forceescape: { parameters: [], run: (value, _, { work }) => escaped(str(value, work), work) },
  tojson: {
    parameters: [
      ['ensure_ascii', false],
      ['indent', null],
      ['separators', null],
      ['sort_keys', false],
    ],
    run: (value, args, { work }) => toJson(value, args, work),
  },
  default: defaultFilter,
  d: defaultFilter,
  length: lengthFilter,
  count: lengthFilter,
  int: {
    parameters: [
      ['default', 0n],
      ['base', 10n],
    ],
    run: (value, [fallback, base], { work }) => {
      if (typeof value === 'string') work.text(value);
      return toInteger(value, integerOf(base, "the filter 'int'")) ?? fallback;
    },
  },
  float: {
    parameters: [['default', 0]],
    run(value, [fallback], { work }) {
      if (typeof value === 'string') work.text(value);
      return toFloat(value) ?? fallback;
    },
  },
  abs: {
    parameters: [],
    run(value) {
      const number = numberOf(signed('+', value))!;
      return number < 0 || Object.is(number, -0) ? -number : number;
    },
  },
  round: {
    parameters: [
      ['precision', 0n],
      ['method', 'common'],
    ],
    run: (value, [precision, method], { work }) => roundedBy(value, precision, method, work),
  },
  attr: {
    parameters: [['name']],
    run(value, [name], { work }) {
      const key = textOf(name, "the filter 'attr'");
      if (value instanceof Undefined) value.fail();
      const found = attributeOf(value, key, work);
      return found === undefined ? new Undefined(`'${typeOf(value)} object' has no attribute '${key}'`) : found;
    },
  },
  join: {
    parameters: [
      ['d', ''],
      ['attribute', null],
    ],
    run(value, [separator, attribute], { work }) {
      const get = getter(attribute, work);
      const parts = listOf(value, work).map((item) => work.text(str(get(item), work)));
      return joinTexts(work.text(str(separator, work)), parts, work);
    },
  },
};
