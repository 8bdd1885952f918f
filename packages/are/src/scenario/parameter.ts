// Parses an argument of a scenario file, a text with the name of a Python type, into a value. Errors are those of the reference.

import { quoted, typeError, valueError } from '../python-error.ts';
import { JsonTextError, parsePythonJson } from '../python-json.ts';
import { pythonInt } from '../python-type.ts';
import { type Arg, Float } from '../value.ts';

const isReference = (value: string): boolean => /^\{\{.*\}\}$/.test(value);

function allowsNone(type: string): boolean {
  if (/^Optional\[(.*)\]$/.test(type)) return true;
  // Splits only at bars outside brackets: no closing bracket follows before an opening one.
  const members = type.split(/(?![^[\]()<>]*[\])>\]])\|/).map((member) => member.trim());
  return members.length > 1 && members.includes('None');
}

/** The first member of a union decides. A placeholder stays unchanged, whatever the type. Throws PythonError. */
export function parseParameter(value: string | null, type: string | null): Arg {
  if (type === null) {
    if (value === null) return null;
    throw typeError("expected string or bytes-like object, got 'NoneType'");
  }
  if (value === null || value === '') {
    if (allowsNone(type)) return null;
    throw valueError(`Non-optional type ${type} cannot be None or empty.`);
  }
  if (isReference(value)) return value;
  const match = /^(?:Optional\[(.*)\]|\b(\w+)\b)/.exec(type);
  if (!match) throw valueError(`Invalid type format: ${type}.`);
  const base = match[1] || match[2] || 'None';
  switch (base) {
    case 'str':
      return value;
    case 'int':
      return parsedInt(value);
    case 'float':
      return parsedFloat(value);
    case 'bool':
      return ['true', '1', 't', 'y', 'yes'].includes(value.toLowerCase());
    case 'list':
    case 'dict':
      return parsedJson(value, base);
    default:
      throw valueError(`Unsupported type ${base}.`);
  }
}

function parsedInt(text: string): number {
  try {
    return pythonInt(text);
  } catch (error) {
    throw valueError(`Error converting value ${text} to int: ${(error as Error).message}.`);
  }
}

function parsedFloat(text: string): Arg {
  const plain = text.trim().replaceAll('_', '').toLowerCase();
  const named = /^([-+]?)(inf|infinity|nan)$/.exec(plain);
  if (named)
    return named[2] === 'nan' ? Number.NaN : named[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/.test(plain)) {
    throw valueError(`Error converting value ${text} to float: could not convert string to float: ${quoted(text)}.`);
  }
  const value = Number(plain);
  return Number.isInteger(value) ? new Float(value) : value;
}

function parsedJson(text: string, base: string): Arg {
  try {
    return parsePythonJson(text);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw valueError(`Error converting to JSON value ${text} to ${base}: ${error.message}.`);
  }
}
