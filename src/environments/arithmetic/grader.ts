// Judges an answer by its exact value: what stands in the last box of the text. Time is linear in the text's length.
import { MAX_LENGTH, parseRational, sameValue, showRational } from './rational.ts';
import type { ArithmeticProblem, ArithmeticVerdict } from './types.ts';

const BOX = '\\boxed{';

/** What stands in the last box, braces balanced; null without one, or where it does not close soon enough to hold a number. */
export function lastBox(text: string): string | null {
  const at = text.lastIndexOf(BOX);
  if (at < 0) return null;
  const inside = text.slice(at + BOX.length, at + BOX.length + MAX_LENGTH + 1);
  let depth = 1;
  for (let i = 0; i < inside.length; i++) {
    if (inside[i] === '{') depth++;
    else if (inside[i] === '}' && --depth === 0) return inside.slice(0, i);
  }
  return null;
}

export function gradeArithmetic(
  { expected, misconception }: Pick<ArithmeticProblem, 'expected' | 'misconception'>,
  completion: string,
): ArithmeticVerdict {
  const answer = lastBox(completion);
  const value = answer === null ? null : parseRational(answer);
  const is = (other: string | null) => {
    const known = other === null ? null : parseRational(other);
    return value !== null && known !== null && sameValue(value, known);
  };
  return {
    answer,
    value: value && showRational(value),
    expected,
    correct: is(expected),
    formatOk: value !== null,
    misconception: is(misconception),
  };
}
