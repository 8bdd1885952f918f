// `datetime.strptime(text, '%Y-%m-%d %H:%M:%S')`: what it takes, and what it says of the rest.
import { quoted, valueError } from '../python-error.ts';

const FORMAT = '%Y-%m-%d %H:%M:%S';
const PATTERN =
  /^(\d{4})-(1[0-2]|0[1-9]|[1-9])-(3[01]|[12]\d|0[1-9]|[1-9]| [1-9])\s+(2[0-3]|[01]\d|\d):([0-5]\d|\d):(6[01]|[0-5]\d|\d)/;

/** Seconds since 1970, UTC. Throws ValueError. */
export function parseDateTime(text: string): number {
  const match = PATTERN.exec(text);
  if (!match) throw valueError(`time data ${quoted(text)} does not match format '${FORMAT}'`);
  if (match[0].length < text.length) throw valueError(`unconverted data remains: ${text.slice(match[0].length)}`);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const at = Date.UTC(year, month - 1, day);
  if (new Date(at).getUTCDate() !== day || year === 0) throw valueError('day is out of range for month');
  if (second > 59) throw valueError('second must be in 0..59');
  return at / 1000 + hour * 3600 + minute * 60 + second;
}
