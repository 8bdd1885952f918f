// JSON values as Python source, and the two equalities that matter: Python's `==` (True == 1) and the strict oracle's.
import type { Json } from './types.ts';

/** Compact, as the templates write it: `[1,2]`, `'bd'`, `True`. */
export function pyLiteral(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(pyLiteral).join(',')}]`;
  return `{${Object.entries(value)
    .map(([key, v]) => `${pyLiteral(key)}:${pyLiteral(v)}`)
    .join(',')}}`;
}

/** Equal as JSON, types included: what the strict oracle asks. */
export const sameJson = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b);

const loosen = (value: Json): Json =>
  typeof value === 'boolean' ? Number(value) : Array.isArray(value) ? value.map(loosen) : value;

/** Equal under Python's `==`, for values without dictionaries. */
export const samePy = (a: Json, b: Json): boolean => sameJson(loosen(a), loosen(b));
