// The numbers of a line's checks as texts, since JSON.parse makes doubles of them, which hold seventeen digits. A `number` check uses the
// text; in any other check, a number that a double does not represent exactly is refused.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { sameValue } from '../../lib/exact/rational.ts';
import { readNumber } from '../../lib/exact/read-number.ts';
import type { Check } from './checks.ts';

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const within = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Fields)[key] : undefined;

/** A check of a line, or of the result of `parseJsonNumbersAsTexts` for it. */
export const checkAt = (line: unknown, place: number, form: string): unknown =>
  within(within(within(line, 'checks'), place), form);

/** Puts the texts of numbers into a line's `number` checks. Returns a value of any other shape unchanged. */
export function withNumberTexts(line: unknown, texts: unknown): unknown {
  if (!isFields(line) || !Array.isArray(within(line, 'checks'))) return line;
  const checks = (line.checks as unknown[]).map((pair, i) => {
    if (!isFields(pair)) return pair;
    return changed(pair, (check, form) => {
      if (!isFields(check) || within(check, 'kind') !== 'number') return check;
      const text = checkAt(texts, i, form);
      return changed(check, (field, name) => (typeof field === 'number' ? within(text, name) : field));
    });
  });
  return { ...line, checks };
}

function changed(fields: Fields, change: (value: unknown, name: string) => unknown): Fields {
  const made: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) setOwn(made, name, change(value, name));
  return made;
}

/** Finds the first number that a double would round in a check of another kind; null if there is none. */
export function roundedIn(check: Check, texts: unknown): { field: string; why: string } | null {
  if (check.kind === 'number') return null;
  for (const [field, value] of Object.entries(check)) {
    const text = roundedText(value, within(texts, field));
    if (text !== null) return { field, why: `has the number ${text.slice(0, 60)}, which would be rounded here` };
  }
  return null;
}

/** The text of the first number in a value that a double would round; null if there is none. */
export function roundedText(value: unknown, text: unknown): string | null {
  if (typeof value === 'number') return typeof text === 'string' && !isHeld(value, text) ? text : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const found = roundedText(inner, within(text, key));
    if (found !== null) return found;
  }
  return null;
}

/** Whether the double's shortest text has the same value as the number's text. */
function isHeld(double: number, text: string): boolean {
  const [held, written] = [readNumber(String(double)), readNumber(text)];
  return 'value' in held && 'value' in written && sameValue(held.value, written.value);
}
