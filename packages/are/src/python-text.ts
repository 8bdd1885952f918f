// Python's str() and repr() of logged values: failure texts and exported files use them.
import { quoted } from './python-error.ts';
import { typeName } from './python-type.ts';
import { type Arg, Float, isDict, isList } from './value.ts';

/** Python's str(). */
export const pythonText = (value: Arg): string => (typeof value === 'string' ? value : pythonRepr(value));

/** Python's repr(). */
export function pythonRepr(value: Arg): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (value instanceof Float) return floatText(value.value);
  if (typeof value === 'number') return typeName(value) === 'int' ? intText(value) : floatText(value);
  if (isList(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  if (!isDict(value)) return 'None';
  return `{${Object.entries(value)
    .map(([key, item]) => `${quoted(key)}: ${pythonRepr(item)}`)
    .join(', ')}}`;
}

const intText = (value: number): string => (Number.isSafeInteger(value) ? String(value) : BigInt(value).toString());

/** The shortest digits that identify the float, with an exponent below 1e-4 and from 1e16 on. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const [digits = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (value !== 0 && (exponent < -4 || exponent >= 16)) {
    return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  const plain =
    exponent < 0 ? value.toFixed(Math.max(0, digits.replace(/[-.]/g, '').length - 1 - exponent)) : String(value);
  return plain.includes('.') ? plain : `${plain}.0`;
}

/** Columns of pprint. */
const WIDTH = 80;

/** pprint.pformat() of a string: one literal, or several in brackets if it is wide, broken at line ends and spaces. */
export function pythonPretty(text: string): string {
  if (quoted(text).length <= WIDTH) return quoted(text);
  // Width within the brackets: one column before, one after the last.
  const room = WIDTH - 1;
  const lines = text.match(/[^\n\r]*(?:\r\n|\n|\r)|[^\n\r]+$/g) ?? [];
  const chunks: string[] = [];
  for (const [place, line] of lines.entries()) {
    const isLast = place === lines.length - 1;
    if (quoted(line).length <= room - (isLast ? 1 : 0)) chunks.push(quoted(line));
    else chunks.push(...brokenLine(line, room, isLast));
  }
  return chunks.length === 1 ? (chunks[0] as string) : `(${chunks.join('\n ')})`;
}

function brokenLine(line: string, room: number, isLast: boolean): string[] {
  const parts = line.match(/\S*\s*/g)?.slice(0, -1) ?? [];
  const chunks: string[] = [];
  let current = '';
  for (const [place, part] of parts.entries()) {
    const left = isLast && place === parts.length - 1 ? room - 1 : room;
    if (quoted(current + part).length <= left) current += part;
    else {
      if (current !== '') chunks.push(quoted(current));
      current = part;
    }
  }
  return current === '' ? chunks : [...chunks, quoted(current)];
}
