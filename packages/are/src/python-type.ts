// Parameter types in the reference's spelling, and its check of an argument before a tool runs. The catalogue of tools shows a type's text
// and a type error quotes it; the TypeScript type of a tool's argument follows from it.
import { PythonError, quoted, typeError, valueError } from './python-error.ts';
import { type Arg, Float, isDict, isList, type Value } from './value.ts';

/** Every type that a parameter may have. A checked int or float is a number. */
export interface PythonTypes {
  Any: Value;
  str: string;
  'str | None': string | null;
  int: number;
  'int | None': number | null;
  float: number;
  'float | None': number | null;
  'int | float | None': number | null;
  bool: boolean;
  'bool | None': boolean | null;
  'list[str]': readonly string[];
  'list[str] | None': readonly string[] | null;
  'dict[str, Any]': Readonly<Record<string, Value>>;
  'dict[str, float]': Readonly<Record<string, number>>;
  'dict | None': Readonly<Record<string, Value>> | null;
  'list[dict[str, Any]] | None': readonly Readonly<Record<string, Value>>[] | null;
}
export type PythonType = keyof PythonTypes;

/** The name that Python gives to a value's type. */
export function typeName(value: Arg): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (value instanceof Float) return 'float';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return isList(value) ? 'list' : 'dict';
}

/**
 * Whether a value has a type: a union accepts any of its members, a bool is an int, an int is no float, and the items of lists and dicts
 * are checked.
 */
function isOfType(value: Arg, type: string): boolean {
  const members = splitTop(type, '|');
  if (members.length > 1) return members.some((member) => isOfType(value, member));
  const [, base = '', inner] = /^(\w+)(?:\[(.*)\])?$/.exec(type) ?? [];
  switch (base) {
    case 'Any':
      return true;
    case 'None':
    case 'NoneType':
      return value === null;
    case 'int':
      return typeName(value) === 'int' || typeof value === 'boolean';
    case 'list':
      return isList(value) && (inner === undefined || value.every((item) => isOfType(item, inner)));
    case 'dict': {
      if (!isDict(value)) return false;
      const [, valueType = 'Any'] = inner === undefined ? [] : splitTop(inner, ',');
      return Object.values(value).every((item) => isOfType(item, valueType));
    }
    default:
      return typeName(value) === base;
  }
}

/** Throws the reference's TypeError. */
export function checkType(name: string, value: Arg, type: string): void {
  if (isOfType(value, type)) return;
  throw typeError(`Argument '${name}' must be of type ${typeText(type)}, got <class '${typeName(value)}'>`);
}

/** A type as Python prints it: a class on its own as `<class …>`, within another type or a union by its name. */
const typeText = (type: string): string =>
  /^\w+$/.test(type) ? `<class '${type}'>` : type.replace(/\bAny\b/g, 'typing.Any');

/** Python's int(): the whole part of a number, the digits of a text. */
export function pythonInt(value: Arg): number {
  const given = value instanceof Float ? value.value : value;
  if (typeof given === 'string') {
    if (/^\s*[-+]?\d+(?:_\d+)*\s*$/.test(given)) return Number(given.replaceAll('_', ''));
    throw valueError(`invalid literal for int() with base 10: ${quoted(given)}`);
  }
  if (typeof given === 'boolean') return Number(given);
  if (typeof given !== 'number')
    throw typeError(`int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`);
  if (Number.isNaN(given)) throw valueError('cannot convert float NaN to integer');
  if (!Number.isFinite(given)) throw new PythonError('OverflowError', 'cannot convert float infinity to integer');
  return Math.trunc(given);
}

/** Splits at a separator outside brackets, and trims the pieces. */
function splitTop(text: string, separator: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let piece = '';
  for (const character of text) {
    if (character === '[') depth++;
    if (character === ']') depth--;
    if (character === separator && depth === 0) {
      pieces.push(piece.trim());
      piece = '';
    } else piece += character;
  }
  return [...pieces, piece.trim()];
}
