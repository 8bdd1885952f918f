import { describe, expect, it } from 'vitest';
import { parseExperimentSpec } from '../../../experiments/config/spec.ts';
import { distinctNames, shortName, titlesOf } from './titles.ts';

const AT = Date.UTC(2026, 10, 23, 18, 11);
const run = (id: string, input: object, rest: object = {}) => ({
  id,
  spec: parseExperimentSpec({ preset: 'smoke', ...input }),
  createdAt: AT,
  ...rest,
});
const titles = (...runs: ReturnType<typeof run>[]) => [...titlesOf(runs).values()];

describe('titles of stored runs', () => {
  it('state exactly what differs among runs with the same name', () => {
    const [a, b, c] = titles(
      run('a', { overrides: { steps: 4 } }),
      run('b', { overrides: { steps: 5 } }),
      run('c', { preset: 'classic', overrides: { steps: 4 } }),
    );
    expect(a).toMatch(/^smoke: steps 4, 23 Nov/);
    expect(b).toMatch(/^smoke: steps 5, 23 Nov/);
    expect(c).toMatch(/^classic, 23 Nov/);
    const [d, e] = titles(run('d', { seeds: [41] }), run('e', { seeds: [41, 42], arms: ['none'] }));
    expect(d).toMatch(/^smoke: .+, seed 41, 23 Nov/);
    expect(e).toMatch(/^smoke: vanilla, seeds 41, 42, 23 Nov/);
  });

  it('contain a hash in full, of which the user sees only the start', () => {
    const files = ['a', 'b'].map((digit) => digit.repeat(64));
    const [own] = titles(
      ...files.map((basisFile, i) => run(`r${i}`, { overrides: { basisSource: 'file', basisFile } })),
    );
    expect(own).toContain(files[0]);
    expect(shortName(own)).toBe(own.replace(files[0], `${'a'.repeat(12)}…`));
    expect(shortName('seeds 41, 42')).toBe('seeds 41, 42');
  });

  it('number runs that are otherwise equal, oldest first, and do not change a user’s own name', () => {
    const [a, b, c] = titles(
      run('a', {}, { createdAt: AT + 1000 }),
      run('b', {}),
      run('c', {}, { name: 'First light' }),
    );
    expect(a).toMatch(/ \(2\)$/);
    expect(b).toMatch(/ \(1\)$/);
    expect(c).toMatch(/^First light, 23 Nov, \d\d:\d\d$/);
    expect(new Set([a, b, c]).size).toBe(3);
  });

  it('are three different titles in a list of three runs of one preset, without dates', () => {
    const demos = [run('a', {}), run('b', { seeds: [42] }), run('c', { seeds: [42] }, { createdAt: AT + 1000 })];
    expect([...distinctNames(demos).values()]).toEqual(['smoke: seed 41', 'smoke: seed 42 (1)', 'smoke: seed 42 (2)']);
    expect([...distinctNames([run('a', {})]).values()]).toEqual(['smoke']);
  });
});
