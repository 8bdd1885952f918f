// Python's `%` formatting, `str.format`, and its rounding of a float to decimals, which is exact to the last digit.
import { repr, reprInt, str } from './printing.ts';
import {
  type Arguments,
  characters,
  Dict,
  List,
  lengthOfText,
  Markup,
  numberOf,
  Range,
  Tuple,
  typeError,
  typeOf,
  Undefined,
  type Value,
} from './values.ts';
import { unsupported, type Work } from './work.ts';

/** |value| × 10^digits as a whole number, rounded half to even from the exact value of the float. */
export function scaled(value: number, digits: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const biased = Number(bits >> 52n);
  const fraction = bits & ((1n << 52n) - 1n);
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  const exponent = Math.max(biased, 1) - 1075;
  const ten = 10n ** BigInt(Math.abs(digits));
  const top = mantissa * (digits > 0 ? ten : 1n) * (exponent > 0 ? 1n << BigInt(exponent) : 1n);
  const bottom = (digits < 0 ? ten : 1n) * (exponent < 0 ? 1n << BigInt(-exponent) : 1n);
  return halfEven(top, bottom);
}

function halfEven(top: bigint, bottom: bigint): bigint {
  const quotient = top / bottom;
  const twice = 2n * (top % bottom);
  return twice > bottom || (twice === bottom && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** `%.{digits}f` of the absolute value. */
function fixed(value: number, digits: number): string {
  const text = String(scaled(value, digits)).padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** The digits and the exponent of `%.{digits}e` of the absolute value. */
function exponential(value: number, digits: number): [text: string, exponent: number] {
  if (value === 0) return ['0'.repeat(digits + 1), 0];
  let exponent = Number(Math.abs(value).toExponential().split('e')[1]);
  let text = String(scaled(value, digits - exponent));
  if (text.length > digits + 1) text = String(scaled(value, digits - ++exponent));
  return [text, exponent];
}

const point = (digits: string, rest: string) => (rest === '' ? digits : `${digits}.${rest}`);

function formatFloat(value: number, type: string, precision: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : 'inf';
  const power = (exponent: number) => `e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  if (type === 'f') return fixed(value, precision);
  if (type === 'e') {
    const [digits, exponent] = exponential(value, precision);
    return point(digits[0], digits.slice(1)) + power(exponent);
  }
  const most = Math.max(1, precision);
  const [digits, exponent] = exponential(value, most - 1);
  const kept = digits.replace(/0+$/, '');
  if (exponent < -4 || exponent >= most) return point(kept[0] ?? '0', kept.slice(1)) + power(exponent);
  const text = fixed(value, Math.max(0, most - 1 - exponent));
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

const CONVERSION = /%(?:\(([^()]*)\))?([#0\- +]*)(\*|\d+)?(?:\.(\*|\d*))?[hlL]?([\s\S])?/g;

/** Python's `format % values`. */
export function percent(format: string, values: Value, work: Work): string {
  work.text(format);
  if (values instanceof Markup) throw unsupported("'%' with a text that 'safe' or 'escape' marked");
  const mapping =
    values instanceof Dict || values instanceof List || values instanceof Range || values instanceof Undefined;
  const args = values instanceof Tuple ? values.items : [values];
  let used = 0;
  let room = format.length;
  const take = (): Value => {
    if (used >= args.length) throw typeError('not enough arguments for format string');
    return args[used++];
  };
  const text = format.replace(
    CONVERSION,
    (_, key?: string, flags = '', width = '', precision?: string, type?: string) => {
      work.charge(1);
      if (type === undefined) throw typeError('incomplete format');
      if (width === '*' || precision === '*') throw unsupported("'*' in a format");
      if (Number(width) > 1e6 || Number(precision ?? 0) > 300)
        throw unsupported(`a format of ${width}.${precision ?? ''}`);
      if (type === '%') return '%';
      let value: Value;
      if (key === undefined) value = take();
      else {
        if (!(values instanceof Dict)) throw typeError('format requires a mapping');
        used = 1;
        const found = values.get(key, work);
        if (found === undefined) throw typeError(`'${key}' is not in the mapping of a format`);
        value = found;
      }
      const written = convert(
        value,
        type,
        flags,
        precision === undefined ? null : Number(precision),
        Number(width),
        work,
      );
      room += written.length;
      work.room(room);
      return written;
    },
  );
  if (used < args.length && !mapping) throw typeError('not all arguments converted during string formatting');
  return work.text(text);
}

function convert(
  value: Value,
  type: string,
  flags: string,
  precision: number | null,
  width: number,
  work: Work,
): string {
  const pad = (sign: string, body: string, zeros: boolean): string => {
    const missing = Math.max(0, width - sign.length - lengthOfText(body));
    if (flags.includes('-')) return sign + body + ' '.repeat(missing);
    return zeros && flags.includes('0') ? sign + '0'.repeat(missing) + body : ' '.repeat(missing) + sign + body;
  };
  if (type === 's' || type === 'r') {
    const whole = type === 's' ? str(value, work) : repr(value, work);
    const cut = precision === null ? whole : characters(work.text(whole)).slice(0, precision).join('');
    return pad('', cut, false);
  }
  if (type === 'c') {
    if (typeof value === 'string' && lengthOfText(value) === 1) return pad('', value, false);
    throw unsupported('%c of anything but one character');
  }
  if (flags.includes('#')) throw unsupported("'#' in a format");
  if (value instanceof Undefined) value.fail();
  const number = numberOf(value);
  if (number === null) throw typeError(`%${type} format: a number is required, not ${typeOf(value)}`);
  const negative = number < 0 || Object.is(number, -0);
  const sign = (below: boolean) => (below ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '');
  if ('diuxXo'.includes(type)) {
    if (typeof number === 'number' && ('xXo'.includes(type) || !Number.isFinite(number)))
      throw typeError(`%${type} format: an integer is required, not float`);
    const whole = BigInt(typeof number === 'number' ? Math.trunc(number) : number);
    const base = type === 'o' ? 8 : type === 'x' || type === 'X' ? 16 : 10;
    const magnitude = whole < 0n ? -whole : whole;
    const digits = (base === 10 ? reprInt(magnitude) : magnitude.toString(base)).padStart(precision ?? 0, '0');
    return pad(sign(whole < 0n), type === 'X' ? digits.toUpperCase() : digits, true);
  }
  if (!'eEfFgG'.includes(type)) throw typeError(`unsupported format character '${type}'`);
  const body = formatFloat(Number(number), type.toLowerCase(), precision ?? 6);
  return pad(sign(negative), type === type.toUpperCase() ? body.toUpperCase() : body, Number.isFinite(Number(number)));
}

/** Python's `text.format(…)`, with fields that are numbers or names only. */
export function formatted(text: string, { positional, named }: Arguments, work: Work): string {
  work.text(text);
  let next = 0;
  let room = text.length;
  const written = text.replace(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (found, field?: string) => {
    work.charge(1);
    if (found === '{{' || found === '}}') return found[0];
    if (field === undefined) throw typeError("a single '{' or '}' in a format string");
    const [, name, conversion, rest] = /^([^!:]*)(![sr])?(.*)$/s.exec(field)!;
    if (rest !== '' || /[.[\]]/.test(name)) throw unsupported(`the field '{${field}}' of a format string`);
    const value = /^\d*$/.test(name) ? positional[name === '' ? next++ : Number(name)] : named.get(name);
    if (value === undefined) throw typeError(`a format string has no value for '{${field}}'`);
    const piece = conversion === '!r' ? repr(value, work) : str(value, work);
    room += piece.length;
    work.room(room);
    return piece;
  });
  return work.text(written);
}

/** Python's round(). */
export function rounded(value: Value, digits: number): Value {
  if (value instanceof Undefined) value.fail();
  const number = numberOf(value);
  if (number === null) throw typeError(`type ${typeOf(value)} doesn't define __round__ method`);
  if (Math.abs(digits) > 400) throw unsupported(`rounding to ${digits} digits`);
  if (typeof number === 'bigint') {
    if (digits >= 0) return number;
    const unit = 10n ** BigInt(-digits);
    const magnitude = halfEven(number < 0n ? -number : number, unit) * unit;
    return number < 0n ? -magnitude : magnitude;
  }
  if (!Number.isFinite(number)) return number;
  const magnitude = Number(`${scaled(number, digits)}e${-digits}`);
  return number < 0 || Object.is(number, -0) ? -magnitude : magnitude;
}
