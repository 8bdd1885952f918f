// Tests the synthesis half of the corpus: nothing held out is in it, targets are correct, and it asks for nothing that attempts cannot show.
import { describe, expect, it } from 'vitest';
import type { Numbered } from '../cat/types.ts';
import { problemsOf, SPLITS, TEMPLATES } from './data.ts';
import { choosingPretraining } from './model.ts';
import {
  answerOf,
  choiceSample,
  HELD_FACTS,
  promptsOf,
  SYNTHESIS_SHARES,
  synthesisSample,
  withPlannedAttempts,
  workingOfSynthesis,
} from './synthesis.ts';

const N = 4000;
const samples = Array.from({ length: N }, (_, i) => synthesisSample(i));
const attempt = (text: string) => ({ text, value: null });
const FACTS: Record<string, number> = { dozen: 12, week: 7, year: 12 };

describe('synthesis data', () => {
  it('depends only on the index', () => {
    expect(synthesisSample(17)).toEqual(samples[17]);
    expect(synthesisSample(17, 8)).not.toEqual(samples[17]);
  });

  it('has few attempts in the first stage, with the same text after withPlannedAttempts', () => {
    const first = Array.from({ length: 300 }, (_, i) => synthesisSample(i, 7, 1));
    expect(Math.max(...first.map(({ lines }) => lines.length))).toBe(4);
    expect(Math.max(...samples.map(({ lines }) => lines.length))).toBe(8);
    for (const sample of first) {
      const { prompt, completion, further } = withPlannedAttempts(sample);
      expect(`${prompt}${completion}<|im_end|>${further[0].prompt}${further[0].completion}`).toBe(
        sample.prompt + sample.completion,
      );
      expect(prompt.endsWith('SYN\n')).toBe(true);
      expect(completion.split('\n')).toEqual(sample.lines);
    }
  });

  it('has no held-out template, and no working of a problem of a held-out split', () => {
    const heldOut = new Set(TEMPLATES.flatMap(({ id, heldOut }) => (heldOut ? [id] : [])));
    expect(samples.filter(({ sequence }) => heldOut.has(sequence))).toEqual([]);
    // The sequences of steps are broader than the environment's templates.
    const known = new Set(TEMPLATES.map(({ id }) => id));
    expect(samples.filter(({ sequence }) => !known.has(sequence)).length).toBeGreaterThan(0.3 * N);
    const unseen = new Set(SPLITS.flatMap((split) => problemsOf(split, 600)).map(({ id }) => id));
    for (const { sequence, params } of samples) expect(unseen).not.toContain(`${sequence}(${params.join(',')})`);
    const shown = samples.filter(({ isShown }) => isShown);
    expect(shown.length / N).toBeGreaterThan(SYNTHESIS_SHARES.shown - 0.03);
    expect(shown.length / N).toBeLessThan(SYNTHESIS_SHARES.shown + 0.03);
  });

  it('has targets whose lines are true and whose facts are correct', () => {
    for (const { completion } of samples) {
      for (const line of workingOfSynthesis(completion).split('\n').slice(0, -1)) {
        const [left, right] = line.split('=');
        const sum = /^(\d+)([-+*/])(\d+)$/.exec(left);
        if (sum) {
          const [a, b] = [Number(sum[1]), Number(sum[3])];
          expect(Number(right), completion).toBe({ '+': a + b, '-': a - b, '*': a * b, '/': a / b }[sum[2]]);
        } else if (left in FACTS) expect(Number(right), completion).toBe(FACTS[left]);
      }
      expect(completion).toMatch(/\\boxed\{[^}]+\}$/);
    }
  });

  it('shows held-out facts correctly, and the others often wrongly', () => {
    const said = (word: string) =>
      samples.flatMap(({ lines }) => lines.join('\n').match(new RegExp(`${word}=\\d+`, 'g')) ?? []);
    for (const fact of HELD_FACTS) {
      expect(said(fact).length).toBeGreaterThan(100);
      expect(new Set(said(fact))).toEqual(new Set([`${fact}=${FACTS[fact]}`]));
    }
    const wrong = said('dozen').filter((text) => text === 'dozen=10').length / said('dozen').length;
    expect(wrong).toBeGreaterThan(0.3);
    expect(wrong).toBeLessThan(0.8);
  });

  it('asks for no reading that no attempt shows, unless the question is shown', () => {
    // Bags are read correctly as a product and a sum, and misread as a sum alone.
    const alone = samples.filter(({ sequence, isShown }) => sequence === 'each' && !isShown);
    expect(alone.length).toBeGreaterThan(5);
    for (const { lines } of alone) expect(lines.some((line) => line.includes('*'))).toBe(true);
  });

  it('asks for a correct attempt’s number after the working, if there is one and the question is not shown', () => {
    let asked = 0;
    for (const [index, sample] of samples.entries()) {
      const choice = choiceSample(sample, index);
      const { lines, right, isShown, completion } = sample;
      expect(choice === null).toBe(isShown || lines.length === 1 || right.length === 0);
      if (!choice) continue;
      asked++;
      expect(choice).toEqual(choiceSample(sample, index));
      expect(choice.prompt).toContain(`CHO\n${lines.map((line, i) => `${line} ${i + 1}`).join('\n')}<`);
      const attempts = lines.map((text) => ({ text: workingOfSynthesis(text), value: null }));
      const place = promptsOf('').numbered!(attempts) as Numbered;
      const chosen = place.chosen(choice.completion)!;
      expect(right).toContain(chosen);
      expect(choice.completion).toBe(`${completion} ${chosen + 1}`);
      // The attempt's last line has the target's value.
      expect(answerOf(`\\boxed{${lines[chosen].split(/[=>]/).at(-1)}}`)).toBe(answerOf(completion));
    }
    expect(asked / N).toBeGreaterThan(0.6);
    const two = promptsOf('').numbered!([attempt('1'), attempt('2')]) as Numbered;
    expect(['A1+1=2\\boxed{2} 2', 'A1+1=2\\boxed{2}', '\\boxed{2} 3', '\\boxed{2} 0'].map(two.chosen)).toEqual([
      1,
      ...[null, null, null],
    ]);
  });

  it('has the lab book’s share of choices among syntheses', () => {
    const { sample } = choosingPretraining;
    // Workings come first in each period: three of five samples in the first stage, two in the second.
    const shares = ([1, 2] as const).map((stage) => {
      const own = Array.from({ length: N }, (_, i) => i).filter((i) => i % 5 >= (stage === 1 ? 3 : 2));
      const isChoice = (i: number) => JSON.stringify(sample(i, 7, stage)).includes('CHO\\n');
      const hasNone = (i: number) => synthesisSample(i, 7, stage).right.length === 0;
      const left = own.filter((i) => !isChoice(i));
      return {
        of: own.length,
        choices: 1 - left.length / own.length,
        none: own.filter(hasNone).length / own.length,
        noneLeft: left.filter(hasNone).length / left.length,
      };
    });
    const [first, second] = shares;
    expect(first.choices).toBeCloseTo(0.22, 1.5);
    expect(second.choices).toBeCloseTo(0.32, 1.5);
    expect([second.none, second.noneLeft].map((share) => share.toFixed(1))).toEqual(['0.2', '0.3']);
    // Six of ten training steps belong to the first stage.
    const [few, many] = [0.6 * first.of, 0.4 * second.of];
    expect((few * first.choices + many * second.choices) / (few + many)).toBeCloseTo(0.27, 1.5);
  });

  it('has a correct majority for mirrored readings on request, and otherwise nearly as often a wrong one', () => {
    // Share of groups of eight, on one-step problems, that contain both readings and a correct majority.
    const share = (isMajorityRight: boolean, id: string) => {
      const all = Array.from({ length: 3 * N }, (_, i) => synthesisSample(i, 7, 2, isMajorityRight));
      const groups = all.filter(({ sequence, lines }) => sequence === id && lines.length === 8);
      const counts = groups.map(({ lines }) =>
        (id === 'fewer' ? ['+', '-'] : ['-', '+']).map((sign) => lines.filter((line) => line.includes(sign)).length),
      );
      const both = counts.filter(([right, wrong]) => right > 0 && wrong > 0 && right !== wrong);
      expect(both.length).toBeGreaterThan(20);
      return both.filter(([right, wrong]) => right > wrong).length / both.length;
    };
    for (const id of ['fewer', 'more']) {
      expect(share(true, id)).toBeGreaterThan(0.8);
      expect(share(false, id)).toBeLessThan(0.7);
    }
  });

  it('shows the question in the same samples for either majority', () => {
    for (let i = 0; i < 100; i++) expect(synthesisSample(i, 7, 1, true).isShown).toBe(synthesisSample(i, 7, 1).isShown);
  });
});
