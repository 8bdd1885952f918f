// Tests the pretraining data: its shares, that nothing held out is in it, and that workings agree with their answers.
import { describe, expect, it } from 'vitest';
import { problemsOf, SPLITS, TEMPLATES } from './data.ts';
import { pretrainSample, SHARES } from './model.ts';
import { gradeArithmetic } from './task.ts';

const N = 6000;
const samples = Array.from({ length: N }, (_, i) => pretrainSample(i));
const kindOf = new Map(TEMPLATES.map(({ id, kind }) => [id, kind]));
const heldOut = new Set(TEMPLATES.flatMap(({ id, heldOut }) => (heldOut ? [id] : [])));

describe('pretraining data', () => {
  it('depends only on the index', () => {
    expect(pretrainSample(17)).toEqual(samples[17]);
    expect(pretrainSample(17, 8)).not.toEqual(samples[17]);
  });

  it('has each kind’s shares of right answers, misconceptions and slips', () => {
    for (const [name, shares] of [
      ['plain', SHARES.plain],
      ['misconceived', SHARES.misconceived],
    ] as const) {
      const own = samples.filter(({ template }) => (kindOf.get(template) === 'plain') === (name === 'plain'));
      const share = (answers: string) => own.filter((sample) => sample.answers === answers).length / own.length;
      expect(Math.abs(share('right') - shares.right)).toBeLessThan(0.03);
      expect(Math.abs(share('misconception') - shares.misconception)).toBeLessThan(0.03);
    }
  });

  it('has kinds in their shares, every known template, and no held-out template', () => {
    const counts = new Map<string, number>();
    for (const { template } of samples) counts.set(template, (counts.get(template) ?? 0) + 1);
    expect([...counts.keys()].filter((id) => heldOut.has(id))).toEqual([]);
    expect(counts.size).toBe(TEMPLATES.length - heldOut.size);
    const share = (kind: string) => samples.filter(({ template }) => kindOf.get(template) === kind).length / N;
    expect(Math.abs(share('plain') - 0.5)).toBeLessThan(0.03);
    expect(Math.abs(share('fact') - 0.25)).toBeLessThan(0.03);
  });

  it('has no problem of a held-out split: neither its story nor its numbers', () => {
    const unseen = SPLITS.flatMap((split) => problemsOf(split, 600));
    const numbersOf = (template: string, prompt: string) => `${template} ${prompt.match(/\d+/g)!.join(' ')}`;
    const seen = new Set(samples.map(({ template, prompt }) => numbersOf(template, prompt)));
    // Stories about bags and the like state their numbers, so template and numbers identify a problem.
    for (const { template, prompt } of unseen) expect(seen).not.toContain(numbersOf(template, prompt));
  });

  it('ends in a box, and is graded as right where labelled so', () => {
    for (const { completion, answers } of samples.slice(0, 1000)) {
      const box = /\\boxed\{([^}]*)\}$/.exec(completion);
      expect(box, completion).not.toBeNull();
      if (answers !== 'right') continue;
      // Every line of a correct working is true.
      for (const line of completion.split('\n').slice(0, -1)) {
        const [left, right] = line.split('=');
        const sum = /^(\d+)([-+*/])(\d+)$/.exec(left);
        if (!sum) continue;
        const [a, b] = [Number(sum[1]), Number(sum[3])];
        const value = { '+': a + b, '-': a - b, '*': a * b, '/': a / b }[sum[2]];
        expect(Number(right), completion).toBe(value);
      }
      const last = completion.split('\n').at(-2)!.split('=')[1];
      expect(gradeArithmetic({ expected: last, misconception: null }, completion).correct).toBe(true);
    }
  });
});
