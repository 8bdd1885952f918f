// The tables of `characters`: their refusals and contents.
import { describe, expect, it } from 'vitest';
import { row } from '../../experiments/characters/testing/rows.ts';
import { characterTables } from './tables.ts';

describe('the tables of characters', () => {
  it('name an arm that never has the effect, and a placebo that moves the target', () => {
    expect(characterTables([row('sdf', 0)], 0.5)).toContain('sdf on figa: ΔP of A reaches .40 at most; not read.');
    const text = characterTables([row('none', 0.5), row('rl_random', 0)], 0.3);
    expect(text).toContain('rl_random on figa moves the target: ΔP of A .40 (more than .10).');
    expect(characterTables([row('none', 0.5), row('rl_random', 0, {}, 0.04)], 0.3)).not.toContain('moves the target');
  });

  it('are refused of a group with A in it', () => {
    expect(() => characterTables([row('none', 0, { members: { near: ['figa'] } })], 0.3)).toThrow(
      /figa is in the group near and in A/,
    );
  });

  it('have a line an arm, and no verdict', () => {
    const text = characterTables([row('none', 0.5), row('none', 0.7, { character: 1 })], 0.3);
    expect(text).toMatch(/^none +2 of 2 +\.60 ± \.14 /m);
    expect(text).not.toContain('S1');
  });
});
