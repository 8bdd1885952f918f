import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { problemsOf } from './data.ts';
import { puzzleOf, qualityOf } from './task.ts';

describe('a puzzle that a user writes', () => {
  it('is read in the form of ids, and given a solution', () => {
    for (const { puzzle } of problemsOf('prompts', 50)) {
      const { planted, ...read } = puzzleOf(` ${puzzle.id.replaceAll(' ', '  ')}\n`);
      expect({ ...read, planted: puzzle.planted }).toEqual(puzzle);
      expect(qualityOf(puzzle, planted)).toBe(1);
    }
  });

  it.each([
    ['< > =', /has 6 relations, not 3/],
    ['< > = + - x', /“x” is not a relation/],
    ['', /“” is not a relation/],
    ['< < < < < <', /No row of digits/],
    ['?? > = + - <', /“\?” is not a relation/],
  ])('%j is refused', (text, says) => {
    expect(() => puzzleOf(text)).toThrow(SpecError);
    expect(() => puzzleOf(text)).toThrow(says);
  });
});
