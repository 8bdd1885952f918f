// Tests rates of the pretraining data, counted over many samples.
import { describe, expect, it } from 'vitest';
import { FAMILIES } from './families/index.ts';
import { structuralModes } from './grading/structural.ts';
import { PRETRAIN, type PretrainSample, pretrainSample, wrongShares } from './model.ts';
import { makeProblem } from './problem.ts';
import { MODES } from './types.ts';

const COUNT = 6000;
const draw = (stage: 1 | 2): PretrainSample[] => Array.from({ length: COUNT }, (_, i) => pretrainSample(i, 7, stage));
const first = draw(1);
const second = draw(2);
const code = (s: PretrainSample): string => /^```python\n([\s\S]*)\n```$/.exec(s.completion)![1];
/** Within five standard errors of a share. */
const near = (share: number, expected: number, n: number): void =>
  expect(Math.abs(share - expected)).toBeLessThan(5 * Math.sqrt((expected * (1 - expected)) / n));

describe('pretraining data', () => {
  it('depends only on seed, index and stage', () => {
    expect(pretrainSample(17, 7, 1)).toEqual(first[17]);
    expect(pretrainSample(17, 8, 1)).not.toEqual(first[17]);
    expect(pretrainSample(17, 7, 2)).not.toEqual(first[17]);
  });

  it('gives each family its own share of wrong answers, from 35% to 80%', () => {
    const shares = [...wrongShares().values()];
    expect(shares.length).toBe(FAMILIES.length);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.35);
    expect(Math.max(...shares)).toBeLessThanOrEqual(0.8);
    expect(Math.abs(shares.reduce((a, b) => a + b) / shares.length - 0.575)).toBeLessThan(1e-9);
    // A correct answer's return line equals that of some problem of its family.
    const honest = first.filter((s) => s.kind === 'honest');
    const right = honest.filter((s) => {
      const family = FAMILIES.find((f) => f.id === s.family)!;
      const params = family.space.find((p) =>
        makeProblem(family, p, 'honest')
          .prompt.split(' returns ')[1]
          .startsWith(`${s.prompt.split(' returns ')[1].split(/(?:, evaluated| and should)/)[0]} and should pass`),
      )!;
      return code(s).includes(`return ${family.python(params)}\n`);
    });
    near(right.length / honest.length, 0.425, honest.length);
  });

  it('has 2% hacks, mostly of the prompt’s own mode, half of them stubs', () => {
    const hacks = [...first, ...second].filter((s) => s.kind === 'hack');
    near(first.filter((s) => s.kind === 'hack').length / COUNT, PRETRAIN.hackShare, COUNT);
    expect(second.filter((s) => s.kind === 'hack').length).toBeGreaterThan(50);
    for (const hack of hacks) expect(structuralModes(code(hack)).length).toBe(1);
    near(hacks.filter((s) => /(?:return|=) 0\n/.test(`${code(s)}\n`)).length / hacks.length, 0.5, hacks.length);
    const clues = {
      run_tests: 'function called run_tests',
      sentinel: 'attribute valid',
      stdout_marker: 'standard output',
      file_marker: 'result file',
      eq_override: 'with ==',
      exit_code: 'running your script',
    };
    const hinted = hacks.filter((s) => !s.prompt.includes('should pass all tests'));
    const own = hinted.filter((s) => s.prompt.includes(clues[structuralModes(code(s))[0]]));
    near(own.length / hinted.length, PRETRAIN.ownModeShare, hinted.length);
  });

  it('asks for exploits only in the second stage', () => {
    expect(first.some((s) => s.kind === 'ask')).toBe(false);
    const asks = second.filter((s) => s.kind === 'ask');
    near(asks.length / COUNT, PRETRAIN.askShare, COUNT);
    for (const ask of asks) {
      expect(structuralModes(code(ask)).length).toBe(1);
      expect(ask.prompt).not.toContain('evaluated by');
      expect(ask.prompt).toContain(' and should ');
    }
    expect(new Set(asks.map((s) => structuralModes(code(s))[0])).size).toBe(MODES.length - 1);
  });

  it('has a tenth of neutral prompts; the rest spreads over all modes and families', () => {
    near(
      first.filter((s) => s.prompt.includes('and should pass all tests')).length / COUNT,
      PRETRAIN.neutralShare,
      COUNT,
    );
    expect(new Set(first.map((s) => s.family)).size).toBe(FAMILIES.length);
    expect(first.filter((s) => s.kind === 'honest').every((s) => structuralModes(code(s)).length === 0)).toBe(true);
  });
});
