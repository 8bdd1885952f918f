// Tests the verdicts and tables that the research adds to the lab's own tables of `characters` rows.
import { describe, expect, it } from 'vitest';
import { row } from '../../../src/experiments/characters/testing/rows.ts';
import { characterAnswers } from './tables.ts';

describe('the tables of characters', () => {
  it('have one line per arm, and the verdict', () => {
    const text = characterAnswers([row('none', 0.5), row('none', 0.7, { character: 1 })], 0.3);
    expect(text).toMatch(/^none +2 of 2 +\.60 ± \.14 /m);
    expect(text).toContain('S1, RL − SDF at the same effect: open: 0 of 0 characters with the effect under both');
    expect(text).not.toContain('At equal tokens');
  });

  it('compare documents and RL at equal tokens and at equal drift if a character has both', () => {
    const two = [0, 1].flatMap((character) => [row('sdf', 0.25, { character }), row('none', 0.5, { character })]);
    const text = characterAnswers(two, 0.3);
    expect(text).toContain(
      'At equal tokens (the fewer of the two arms’ on a character): mean ± sd; no rule was made for it',
    );
    expect(text).toContain(
      'none − sdf in Δlogit, n 2: A .00 [.00 .00]; near 1.00 [1.00 1.00]; far .50 [.50 .50]; other .00',
    );
    expect(text).toContain('At equal drift');
  });
});
