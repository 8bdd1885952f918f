// Why a question is open, as one of a few kinds, decided by its verdict's words and the estimates of its rule: the precondition did not
// arise, too few units have what the rule needs, or an interval is too wide.
import type { ShownQuestion } from './sheet.ts';

export const OPEN_KINDS = ['nothing to remove', 'too few learnt', 'too few run', 'too wide to tell'] as const;
export type OpenKind = (typeof OPEN_KINDS)[number];

/** Meaning of each kind, for the note below a table. */
export const OPEN_WORDS: Readonly<Record<OpenKind, string>> = {
  'nothing to remove': 'what the question presupposes did not arise, or not in every unit; the verdict says what',
  'too few learnt': 'fewer units have the effect than the rule asks for',
  'too few run': 'fewer units were run than the rule asks for',
  'too wide to tell': 'no condition is met, and none that would decide against it',
};

/** Null for a question that is not open. */
export function openKindOf({ standing, word }: Pick<ShownQuestion, 'standing' | 'word'>): OpenKind | null {
  if (standing !== 'open') return null;
  const [, ...rest] = word.split(': ');
  const reason = rest.join(': ');
  const wanted = /^(\d+) of (\d+) .*\bwanted\b/.exec(reason);
  if (wanted) return Number(wanted[1]) < Number(wanted[2]) ? 'too few learnt' : 'too few run';
  // A reason that does not mention an interval is a precondition that is not met.
  return reason === '' || /\binterval\b/.test(reason) ? 'too wide to tell' : 'nothing to remove';
}
