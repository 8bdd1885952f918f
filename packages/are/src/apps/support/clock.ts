// Dates in the apps: simulated seconds since 1970, written `YYYY-MM-DD HH:MM:SS` in UTC, with the rules of Python's strptime and strftime,
// whose error texts the tools raise.
import { valueError } from '../../python-error.ts';

export const MINUTE = 60;
export const HOUR = 3600;
export const DAY = 24 * HOUR;
export const WEEK = 7 * DAY;

const FORMAT = '%Y-%m-%d %H:%M:%S';
// Each field is matched as strptime does: a month of 13 is read as 1 and then fails at the 3.
const WRITTEN =
  /^(\d{4})-(1[0-2]|0[1-9]|[1-9])-(3[01]|[12]\d|0[1-9]|[1-9]| [1-9])\s+(2[0-3]|[01]\d|\d):([0-5]\d|\d):(6[01]|[0-5]\d|\d)/;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
/** Seconds of 0001-01-01 and of 10000-01-01, the limits of a Python datetime. */
const FIRST = -62135596800;
const END = 253402300800;

/** Seconds since 1970 of a written date. Throws strptime's ValueError. */
export function parseDateTime(text: string): number {
  const match = WRITTEN.exec(text);
  if (!match) throw valueError(`time data '${text}' does not match format '${FORMAT}'`);
  const rest = text.slice(match[0].length);
  if (rest !== '') throw valueError(`unconverted data remains: ${rest}`);
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (second > 59) throw valueError('second must be in 0..59');
  return secondsOfDay(year, month, day) + hour * HOUR + minute * MINUTE + second;
}

/** Parses a date given to a tool. Its error shows the required format and names the argument by `of`, such as ` for the ride time`. */
export function givenDateTime(text: string, of = ''): number {
  try {
    return parseDateTime(text);
  } catch {
    throw valueError(`Invalid datetime format${of}. Please use YYYY-MM-DD HH:MM:SS`);
  }
}

/** Seconds since 1970 of a day's midnight; months count from 1. */
export function secondsOfDay(year: number, month: number, day: number): number {
  if (year < 1 || year > 9999) throw valueError(`year ${year} is out of range`);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1) throw valueError('day is out of range for month');
  return date.getTime() / 1000;
}

/** The date of a moment. Throws if no Python datetime can hold it. */
export function dateOf(seconds: number): Date {
  if (!(seconds >= FIRST && seconds < END)) throw valueError(`year is out of range: ${seconds} s`);
  return new Date(wholeSeconds(seconds) * 1000);
}

/** Python rounds a moment to microseconds, and strftime drops them. */
const wholeSeconds = (seconds: number): number => Math.floor(microseconds(seconds) / 1e6);
const microseconds = (seconds: number): number => Math.round(seconds * 1e6);

/** `2024-10-15 07:00:00` */
export const formatDateTime = (seconds: number): string => dateOf(seconds).toISOString().slice(0, 19).replace('T', ' ');

/** `Tuesday` */
export const weekdayOf = (seconds: number): string => WEEKDAYS[dateOf(seconds).getUTCDay()] as string;

/** `2024-10-15T07:00:00+00:00`, with microseconds if they are not zero: Python's isoformat of a moment in UTC. */
export function isoFormat(seconds: number): string {
  const fraction = microseconds(seconds) - wholeSeconds(seconds) * 1e6;
  const tail = fraction === 0 ? '' : `.${String(fraction).padStart(6, '0')}`;
  return `${dateOf(seconds).toISOString().slice(0, 19)}${tail}+00:00`;
}

/** Python's str() of a datetime, from its isoformat. */
export const spacedIso = (iso: string): string => (/^\d{4}-\d\d-\d\dT/.test(iso) ? iso.replace('T', ' ') : iso);

/** The same day and time a number of months later. Throws if that month has no such day. */
export function monthsLater(seconds: number, months: number): number {
  const date = dateOf(seconds);
  const count = date.getUTCFullYear() * 12 + date.getUTCMonth() + months;
  const day = secondsOfDay(Math.floor(count / 12), (count % 12) + 1, date.getUTCDate());
  return day + (((seconds % DAY) + DAY) % DAY);
}
