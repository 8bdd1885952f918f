// The checkers of single arguments that need no model: the agent's value against the oracle's. Two scripted ones search for texts in the
// agent's value. Behaviour and errors are the reference's (ARE, arXiv 2509.17158).

import { attributeError, quoted, typeError, valueError } from '../python-error.ts';
import { pythonText } from '../python-text.ts';
import { type Arg, isDict, isList, plain, type Value } from '../value.ts';

const HARD_CHECKERS = [
  'eq_checker',
  'eq_str_strip_checker',
  'unordered_list_checker',
  'list_attendees_checker',
  'datetime_checker',
  'phone_number_checker',
  'path_checker',
  'unordered_path_list_checker',
] as const;
type HardChecker = (typeof HARD_CHECKERS)[number];
const SCRIPTED_CHECKERS = ['contain_any_checker', 'contain_all_checker'] as const;
export type ScriptedChecker = (typeof SCRIPTED_CHECKERS)[number];
/** `llm_checker`: the soft judge decides. */
export type Checker = HardChecker | ScriptedChecker | 'llm_checker';

export const isHard = (checker: string): checker is HardChecker =>
  (HARD_CHECKERS as readonly string[]).includes(checker);

const isEmpty = (value: Arg): boolean => value === null || (isList(value) && value.length === 0);
const text = (value: Arg): string => {
  if (typeof value === 'string') return value;
  throw attributeError(`'${value === null ? 'NoneType' : typeof value}' object has no attribute 'strip'`);
};
const items = (value: Arg): readonly Arg[] => {
  if (isList(value)) return value;
  if (typeof value === 'string') return [...value];
  if (isDict(value)) return Object.keys(value);
  throw typeError(`'${pythonText(value)}' object is not iterable`);
};

/** Python's ==: 1, 1.0 and True are equal. */
function isEqual(a: Arg, b: Arg): boolean {
  const [x, y] = [plain(a), plain(b)];
  if (isNumeric(x) && isNumeric(y)) return Number(x) === Number(y);
  if (x === null || y === null || typeof x !== 'object' || typeof y !== 'object') return x === y;
  if (isList(x) && isList(y)) return x.length === y.length && x.every((item, place) => isEqual(item, y[place] ?? null));
  if (isList(x) || isList(y)) return false;
  const [first, second] = [x as Record<string, Value>, y as Record<string, Value>];
  const keys = Object.keys(first);
  return (
    keys.length === Object.keys(second).length &&
    keys.every((key) => Object.hasOwn(second, key) && isEqual(first[key] ?? null, second[key] ?? null))
  );
}
const isNumeric = (value: Value): boolean => typeof value === 'number' || typeof value === 'boolean';

const isSameSet = (a: readonly Arg[], b: readonly Arg[]): boolean =>
  a.every((item) => b.some((other) => isEqual(item, other))) &&
  b.every((item) => a.some((other) => isEqual(item, other)));

function isSameUnordered(agent: Arg, oracle: Arg, form: (item: Arg) => Arg = (item) => item): boolean {
  if (agent === null) return isEmpty(oracle);
  if (oracle === null) return isEmpty(agent);
  return isSameSet(items(agent).map(form), items(oracle).map(form));
}

/** os.path.normpath, without a leading slash. */
function normalPath(path: string): string {
  const isRooted = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    const canClimb = parts.length > 0 && parts.at(-1) !== '..';
    if (part !== '..' || (!isRooted && !canClimb)) parts.push(part);
    else if (canClimb) parts.pop();
  }
  return parts.join('/') || (isRooted ? '' : '.');
}

/** @param tolerated names that are ignored: the user's own */
function isSameAttendees(agent: Arg, oracle: Arg, tolerated: readonly string[]): boolean {
  const known = tolerated.map(normalise);
  const names = (value: Arg) => (value === null ? [] : items(value).map((name) => normalise(text(name))));
  const wanted = names(oracle).filter((name) => !known.includes(name));
  // If the oracle has no guests, the agent may invite anyone.
  return (
    wanted.length === 0 ||
    isSameSet(
      names(agent).filter((name) => !known.includes(name)),
      wanted,
    )
  );
}

const digits = (value: Arg): string => text(value).replace(/\P{Nd}/gu, '');
const stripped = (value: Arg): string => (value === null || value === '' ? '' : text(value).trim());

export function checkHard(checker: HardChecker, agent: Arg, oracle: Arg, tolerated: readonly string[] = []): boolean {
  const isAnyMissing = agent === null || oracle === null;
  switch (checker) {
    case 'eq_checker':
      return isEqual(agent, oracle);
    case 'eq_str_strip_checker':
      return stripped(agent) === stripped(oracle);
    case 'unordered_list_checker':
      return isSameUnordered(agent, oracle);
    case 'unordered_path_list_checker':
      return isSameUnordered(agent, oracle, (path) => normalPath(text(path)));
    case 'list_attendees_checker':
      return isSameAttendees(agent, oracle, tolerated);
    case 'datetime_checker':
      return isAnyMissing ? agent === oracle : parseDateTime(text(agent)) === parseDateTime(text(oracle));
    case 'phone_number_checker':
      return isAnyMissing ? agent === oracle : digits(agent) === digits(oracle);
    case 'path_checker':
      return isAnyMissing ? agent === oracle : normalPath(text(agent)) === normalPath(text(oracle));
  }
}

export function checkScripted(checker: ScriptedChecker, agent: Arg, targets: readonly string[]): boolean {
  const has = (target: string) => text(agent).toLowerCase().includes(target.toLowerCase());
  return checker === 'contain_any_checker' ? targets.some(has) : targets.every(has);
}

// `datetime.strptime(text, '%Y-%m-%d %H:%M:%S')`: the texts that it accepts, and its errors for others.

const FORMAT = '%Y-%m-%d %H:%M:%S';
const PATTERN =
  /^(\d{4})-(1[0-2]|0[1-9]|[1-9])-(3[01]|[12]\d|0[1-9]|[1-9]| [1-9])\s+(2[0-3]|[01]\d|\d):([0-5]\d|\d):(6[01]|[0-5]\d|\d)/;

/** Seconds since 1970, UTC. Throws ValueError. */
function parseDateTime(text: string): number {
  const match = PATTERN.exec(text);
  if (!match) throw valueError(`time data ${quoted(text)} does not match format '${FORMAT}'`);
  if (match[0].length < text.length) throw valueError(`unconverted data remains: ${text.slice(match[0].length)}`);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const at = Date.UTC(year, month - 1, day);
  if (new Date(at).getUTCDate() !== day || year === 0) throw valueError('day is out of range for month');
  if (second > 59) throw valueError('second must be in 0..59');
  return at / 1000 + hour * 3600 + minute * 60 + second;
}

const PUNCTUATION = /[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g;

export const normalise = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replace(PUNCTUATION, '')
    .trim();
