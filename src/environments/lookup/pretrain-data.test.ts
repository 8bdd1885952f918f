// The pretraining data: its shares, that what is held out is not in it, and that its transcripts are what the environment would have
// shown.
import { describe, expect, it } from 'vitest';
import { lookupEnvironment } from './environment.ts';
import { UNSEEN_NAMES } from './names.ts';
import { type Answers, callsFor, pretrainSample, SHARES } from './pretrain-data.ts';
import { makeProblem } from './problem.ts';
import { gradeLookup } from './reward.ts';
import { SHAPES } from './shapes.ts';
import { problemsOf } from './split.ts';
import { MOST_TURNS } from './types.ts';

const N = 4000;
const samples = Array.from({ length: N }, (_, i) => pretrainSample(i));

/** What the tool was asked and said, as facts. */
const factsIn = (texts: readonly string[]) =>
  texts.flatMap((text) =>
    [...text.matchAll(/([A-Z]\w+-[A-Z]\w+): (\d+)/g)].map(([, name, value]) => ({ name, value: Number(value) })),
  );

describe('pretraining data', () => {
  it('is a pure function of the index', () => {
    expect(pretrainSample(17)).toEqual(samples[17]);
    expect(pretrainSample(17, 8)).not.toEqual(samples[17]);
  });

  it('has its shares of right transcripts and of others', () => {
    expect(Object.values(SHARES).reduce((a, b) => a + b)).toBeCloseTo(1, 12);
    for (const [answers, share] of Object.entries(SHARES)) {
      const own = samples.filter((sample) => sample.answers === answers).length / N;
      expect(Math.abs(own - share), answers).toBeLessThan(0.025);
    }
  });

  it('has nothing that is held out', () => {
    const shapes = new Set(samples.map(({ shape }) => shape));
    expect(shapes).toEqual(new Set(SHAPES.flatMap(({ id, heldOut }) => (heldOut ? [] : [id]))));
    const text = samples.map((sample) => JSON.stringify(sample)).join('\n');
    for (const name of UNSEEN_NAMES) expect(text).not.toContain(name);
    const sums = new Set(
      problemsOf('params', 400).flatMap(({ kind, operands, operators }) =>
        kind === 'calc' ? callsFor(operands, operators) : [],
      ),
    );
    expect(sums.size).toBeGreaterThan(50);
    const asked = samples.filter(({ shape, answers }) => !shape.includes('name') && answers !== 'mistaken');
    for (const { completion } of asked) expect(sums).not.toContain(completion);
  });

  it('shows after each turn what the environment would have shown', async () => {
    for (const { prompt, completion, further } of samples.slice(0, 500)) {
      const turns = [{ prompt, completion }, ...further];
      expect(turns.length).toBeLessThanOrEqual(MOST_TURNS);
      const facts = factsIn(further.map((turn) => turn.prompt));
      let state = lookupEnvironment.begin({ ...problemsOf('training', 1)[0], prompt, facts });
      for (const turn of turns) {
        expect(lookupEnvironment.observe(state)).toEqual({ kind: 'prompt', text: turn.prompt });
        state = await lookupEnvironment.act(state, turn.completion, true);
      }
      expect(lookupEnvironment.observe(state)).toEqual({ kind: 'end' });
    }
  });

  it('is right where it says so, and mostly wrong elsewhere', () => {
    const right = new Map<Answers, number[]>();
    for (const { prompt, completion, further, shape, answers } of samples.slice(0, 1500)) {
      const sum = [completion, ...further.map((turn) => turn.completion)].findLast((text) => /^CALC\(.*\)$/.test(text));
      const facts = factsIn(further.map((turn) => turn.prompt));
      // All that the question names was asked for, so that its value is known here.
      const words = /\n(?:How many \w+ (?:has|are)|Count the \w+ of|How much is|Reckon) (.*)[.?]</
        .exec(prompt)![1]
        .split(' ');
      const values = words
        .filter((_, i) => i % 2 === 0)
        .map((word) => facts.find(({ name }) => name === word)?.value ?? Number(word));
      const names = words.filter((_, i) => i % 2 === 0).map((word) => (/\d/.test(word) ? null : word));
      if (values.some(Number.isNaN)) {
        expect(answers).not.toBe('right');
        continue;
      }
      const own = SHAPES.find(({ id }) => id === shape)!;
      const problem = makeProblem(
        own,
        values.map((value, i) => ({ name: names[i], value })),
      );
      const { correct } = gradeLookup(problem, [{ completion }, ...further]);
      right.set(answers, [...(right.get(answers) ?? []), Number(correct)]);
      if (answers === 'right' && own.kind !== 'look')
        expect(sum).toBe(callsFor(problem.operands, problem.operators).at(-1));
    }
    expect(new Set(right.get('right'))).toEqual(new Set([1]));
    const others = [...right].flatMap(([answers, those]) => (answers === 'right' ? [] : those));
    expect(others.length).toBeGreaterThan(100);
    expect(others.reduce((a, b) => a + b, 0) / others.length).toBeLessThan(0.2);
  });
});
