// Arguments as JSON that keeps Python's floats: 800.0 stays one, so that what is read again (python-json.ts) is what was written.
import { type Arg, Float, isDict, isList } from '../value.ts';

/** @param indent of the line that it begins on; null: all on one line, without spaces */
export function argJson(value: Arg, indent: string | null = ''): string {
  if (value instanceof Float) return value.value.toFixed(1);
  if (isList(value))
    return within(
      '[',
      value.map((item) => argJson(item, deeper(indent))),
      ']',
      indent,
    );
  if (!isDict(value)) return JSON.stringify(value);
  const colon = indent === null ? ':' : ': ';
  const entries = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}${colon}${argJson(item, deeper(indent))}`,
  );
  return within('{', entries, '}', indent);
}

const deeper = (indent: string | null): string | null => (indent === null ? null : `${indent}  `);

function within(open: string, items: readonly string[], close: string, indent: string | null): string {
  if (items.length === 0 || indent === null) return open + items.join(',') + close;
  return `${open}\n${items.map((item) => `${indent}  ${item}`).join(',\n')}\n${indent}${close}`;
}
