import { describe, expect, it, vi } from 'vitest';
import {
  isUnseenName,
  KNOWN_NAMES,
  makeProblem,
  NAMES,
  type Part,
  problemsOf,
  SHAPES,
  SPLITS,
  TURNS,
  UNSEEN_NAMES,
} from './data.ts';
import { type Answers, callsFor, pretrainSample, SHARES } from './model.ts';
import { gradeLookup, lookupReward } from './reward.ts';
import {
  calculate,
  KINDS,
  type LookupProblem,
  lookupDynamics,
  MAX_CALL,
  MOST_TURNS,
  REFUSALS,
  replyTo,
} from './task.ts';

// Tests the questions: their words determine the answers, splits are disjoint, and the seed decides everything.
describe('the questions', () => {
  const PARTS: readonly Part[] = ['training', ...SPLITS];
  const COUNT = 400;
  const sets = new Map(PARTS.map((part) => [part, problemsOf(part, COUNT)]));
  const all = [...sets.values()].flat();

  const OPERATORS: Record<string, (a: number, b: number) => number> = {
    plus: (a, b) => a + b,
    and: (a, b) => a + b,
    minus: (a, b) => a - b,
    less: (a, b) => a - b,
    times: (a, b) => a * b,
  };

  /** Solves a question with only its words and the tool's facts. */
  function answerOf({ prompt, facts }: LookupProblem): number {
    const question = /^<\|im_start\|>user\n(.*)[.?]<\|im_end\|>\n<\|im_start\|>assistant\n$/.exec(prompt)![1];
    const whole = /^(?:How many \w+ (?:has|are)|Count the \w+ of|How much is|Reckon) (.*)$/.exec(question)![1];
    const [first, ...rest] = whole.split(' ');
    const numberOf = (word: string) => facts.find(({ name }) => name === word)?.value ?? Number(word);
    let value = numberOf(first);
    for (let i = 0; i < rest.length; i += 2) value = OPERATORS[rest[i]](value, numberOf(rest[i + 1]));
    return value;
  }

  describe('questions', () => {
    it('have the answer that follows from their words and facts', () => {
      expect(all).toHaveLength(3 * COUNT);
      for (const problem of all) expect(String(answerOf(problem)), problem.id).toBe(problem.expected);
      for (const { expected } of all) expect(Number(expected) >= 1 && Number(expected) <= 81).toBe(true);
    });

    it('do not contain their facts', () => {
      for (const { prompt, facts, operands } of all) {
        const sentences = operands.flatMap(({ name, value }) => (name === null ? [String(value)] : []));
        expect([...prompt.matchAll(/\d+/g)].map(([digits]) => digits)).toEqual(sentences);
        for (const { name } of facts) expect(prompt).toContain(name);
      }
      // One name has different facts in different questions.
      const facts = new Map<string, Set<number>>();
      for (const problem of all)
        for (const { name, value } of problem.facts) facts.set(name, (facts.get(name) ?? new Set()).add(value));
      expect([...facts.values()].filter(({ size }) => size > 1).length).toBeGreaterThan(50);
    });

    it('are decided by the seed', () => {
      for (const part of PARTS) {
        expect(problemsOf(part, 50)).toEqual(sets.get(part)!.slice(0, 50));
        expect(problemsOf(part, 50, 8)).not.toEqual(sets.get(part)!.slice(0, 50));
      }
    });

    it('alternate their kinds; a held-out shape never has only a name', () => {
      expect(
        sets
          .get('training')!
          .slice(0, 8)
          .map(({ kind }) => kind),
      ).toEqual([...TURNS, ...TURNS]);
      expect(
        sets
          .get('params')!
          .slice(0, 4)
          .map(({ kind }) => kind),
      ).toEqual(TURNS);
      expect(new Set(sets.get('shapes')!.map(({ kind }) => kind))).toEqual(new Set(['both', 'calc']));
      expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(KINDS));
    });
  });

  describe('splits', () => {
    it('are disjoint', () => {
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      const shapesOf = (part: Part) => new Set(sets.get(part)!.map(({ shape }) => shape));
      for (const id of shapesOf('shapes')) {
        expect(shapesOf('training')).not.toContain(id);
        expect(shapesOf('params')).not.toContain(id);
      }
      expect(shapesOf('training')).toEqual(new Set(SHAPES.flatMap(({ id, heldOut }) => (heldOut ? [] : [id]))));
      const namesOf = (part: Part) => sets.get(part)!.flatMap(({ facts }) => facts.map(({ name }) => name));
      expect(namesOf('training').filter(isUnseenName)).toEqual([]);
      expect(namesOf('shapes').filter(isUnseenName)).toEqual([]);
      expect(namesOf('params').filter((name) => !isUnseenName(name))).toEqual([]);
    });

    it('hold out a sixth of the shapes of a kind, rounded up, and a fifth of the names, whose halves are known', () => {
      const heldOut = SHAPES.filter((shape) => shape.heldOut);
      expect([SHAPES.length, heldOut.length]).toEqual([16, 4]);
      expect([NAMES.length, UNSEEN_NAMES.length, KNOWN_NAMES.length]).toEqual([64, 12, 52]);
      const halves = new Set(KNOWN_NAMES.flatMap((name) => name.split('-')));
      for (const name of UNSEEN_NAMES) for (const half of name.split('-')) expect(halves).toContain(half);
    });
  });
});

// Tests the tools: their answers and refusals, and bounds on their time for any text of a model.
describe('the tools', () => {
  const shape = SHAPES.find(({ id }) => id === 'name+name')!;
  const problem: LookupProblem = makeProblem(shape, [
    { name: 'Ann-Lou', value: 12 },
    { name: 'Tom-Ray', value: 30 },
  ]);
  const reply = (text: string) => replyTo(problem, text);
  const answered = (text: string) => ({ kind: 'answered', text });
  const refused = (why: keyof typeof REFUSALS) => ({ kind: 'refused', text: REFUSALS[why] });

  describe('CALC', () => {
    it.each([
      ['12+7', 19n],
      ['7-12', -5n],
      ['0-0', 0n],
      ['2+3*4', 14n],
      ['2*3-4*5', -14n],
      ['10-3-2', 5n],
      ['007+1', 8n],
      ['9999*9999*9999*9999*9999*9999', 999_400_149_980_001_499_940_001n],
    ])('%s is %s', (sum, value) => expect(calculate(sum)).toBe(value));

    it.each([
      '',
      '12',
      '+1',
      '1+',
      '1++2',
      '1-+2',
      '--1',
      '1/2',
      '1.5+1',
      '12345+1',
      '1+2)',
      'a+b',
      '1e3+1',
      '٣+1',
      '1+1\n',
    ])('refuses %j', (sum) => expect(calculate(sum)).toBeNull());

    it('is answered with or without spaces, and refused if it is no sum', () => {
      expect(reply('CALC(12+7)')).toEqual(answered('= 19'));
      expect(reply(' CALC( 12 + 7 )\n')).toEqual(answered('= 19'));
      expect(reply('CALC(1/2)')).toEqual(refused('sum'));
      expect(reply('CALC()')).toEqual(refused('sum'));
    });
  });

  describe('LOOK', () => {
    it('answers known names, in its own spelling', () => {
      expect(reply('LOOK(Ann-Lou)')).toEqual(answered('Ann-Lou: 12'));
      expect(reply('LOOK( ann-lou )')).toEqual(answered('Ann-Lou: 12'));
    });

    it.each(['Ann', 'Amy-Ben', '', '__proto__', 'constructor', 'toString', 'Ann-Lou,Tom-Ray'])(
      'does not know %j',
      (name) => expect(reply(`LOOK(${name})`)).toEqual(refused('name')),
    );
  });

  describe('a turn', () => {
    it.each([
      '',
      'CALC 12+7',
      'CALC(12+7',
      '(12+7)',
      'calc(12+7)',
      'EVAL(1+1)',
      'CALC(12+7) LOOK(Ann-Lou)',
      'CALC((1+2))',
      'I ask CALC(12+7)',
      '\\boxed{12',
      '<|im_start|>user\n= 19<|im_end|>',
    ])('that is no call is refused: %j', (text) => expect(reply(text)).toEqual(refused('call')));

    it('with a box is the answer, with any other text', () => {
      for (const text of ['\\boxed{42}', 'CALC(1+1) \\boxed{2}', '\\boxed{}'])
        expect(reply(text)).toEqual({ kind: 'answer' });
    });

    it('is never shown again, whatever its text', () => {
      for (const text of ['LOOK(<|im_end|>)', 'CALC(<|im_start|>)', 'LOOK(\\boxed)', '<|im_end|>'])
        expect(Object.values(REFUSALS)).toContain((reply(text) as { text: string }).text);
    });

    it('reads only as many characters as a call has, however long the text is', () => {
      const long = 1_000_000;
      const texts = [
        `CALC(${'1+'.repeat(long)}1)`,
        `CALC(${'9'.repeat(long)})`,
        `LOOK(${'('.repeat(long)})`,
        'CALC('.repeat(long / 5),
        '\\boxed{'.repeat(long / 7),
        `${' '.repeat(long)}x${' '.repeat(long)}`,
        `CALC(${' '.repeat(MAX_CALL)}1+1)`,
      ];
      // A pattern never gets a text that is longer than a call.
      const exec = vi.spyOn(RegExp.prototype, 'exec');
      const said = texts.map(reply);
      const read = exec.mock.calls.map(([text]) => text.length);
      exec.mockRestore();
      for (const one of said) expect(one).toEqual(refused('call'));
      expect(read.filter((length) => length > MAX_CALL)).toEqual([]);
    });
  });

  /** Returns the texts shown before each turn, and whether the episode is over after the last one. */
  async function play(
    turns: readonly { text: string; ended?: boolean }[],
  ): Promise<{ shown: string[]; isOver: boolean }> {
    const shown: string[] = [];
    let state = lookupDynamics.begin(problem);
    for (const { text, ended } of turns) {
      const seen = lookupDynamics.observe(state);
      if (seen.kind === 'end') throw new Error('over too soon');
      shown.push(seen.text);
      state = await lookupDynamics.act(state, text, ended);
    }
    return { shown, isOver: lookupDynamics.observe(state).kind === 'end' };
  }

  describe('an episode', () => {
    const user = (text: string) => `\n<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`;

    it('shows a tool’s reply, and ends with the answer', async () => {
      const texts = ['LOOK(Ann-Lou)', 'LOOK(Tom-Ray)', 'CALC(12+30)', '\\boxed{42}'];
      const { shown, isOver } = await play(texts.map((text) => ({ text })));
      expect(shown).toEqual([problem.prompt, user('Ann-Lou: 12'), user('Tom-Ray: 30'), user('= 42')]);
      expect(isOver).toBe(true);
    });

    it('closes only a turn that was cut off', async () => {
      const { shown, isOver } = await play([
        { text: 'CALC(1+', ended: false },
        { text: 'CALC(1+1)', ended: true },
        { text: '' },
      ]);
      expect(shown.slice(1)).toEqual([`<|im_end|>${user(REFUSALS.call)}`, user('= 2')]);
      expect(isOver).toBe(false);
    });

    it('has four calls and a turn for the answer, for any texts', async () => {
      expect(MOST_TURNS).toBe(5);
      const calls = Array.from({ length: MOST_TURNS }, () => ({ text: 'CALC(1+1)' }));
      expect((await play(calls.slice(1))).isOver).toBe(false);
      expect((await play(calls)).isOver).toBe(true);
    });

    it('does not change a state', async () => {
      const begun = lookupDynamics.begin(problem);
      await lookupDynamics.act(begun, '\\boxed{1}');
      expect(lookupDynamics.observe(begun)).toEqual({ kind: 'prompt', text: problem.prompt });
    });
  });

  describe('the reward', () => {
    const score = async (...texts: string[]) => {
      const turns = texts.map((completion) => ({
        completion,
        prompt: '',
        promptIds: [],
        completionIds: [],
        ended: true,
      }));
      const rollout = { task: problem, source: 'student' as const, turns };
      const [[judged]] = await lookupReward.score([{ task: problem, rollouts: [rollout] }], { get: () => undefined });
      return judged;
    };

    it('is 1 for the correct value and 0.1 for a box with a number, guessed or looked up', async () => {
      expect((await score('LOOK(Ann-Lou)', '\\boxed{42}')).reward).toBeCloseTo(1.1, 12);
      expect((await score('\\boxed{84/2}')).reward).toBeCloseTo(1.1, 12);
      expect((await score('LOOK(Ann-Lou)', '\\boxed{41}')).reward).toBeCloseTo(0.1, 12);
      expect((await score('LOOK(Ann-Lou)', '\\boxed{many}')).reward).toBe(0);
      expect((await score('LOOK(Ann-Lou)', 'CALC(12+30)')).reward).toBe(0);
    });

    it('counts answered and refused calls', () => {
      const texts = ['LOOK(Ann-Lou)', 'LOOK(Ann)', 'what?', 'CALC(12+30)', '\\boxed{42}'];
      const verdict = gradeLookup(
        problem,
        texts.map((completion) => ({ completion })),
      );
      expect(verdict).toEqual({
        answer: '42',
        value: '42',
        expected: '42',
        correct: true,
        formatOk: true,
        turns: 5,
        answered: 2,
        refused: 2,
      });
      expect(gradeLookup(problem, [])).toMatchObject({ correct: false, formatOk: false, turns: 0, answered: 0 });
      // A box in an earlier turn would have ended the episode.
      expect(gradeLookup(problem, [{ completion: 'LOOK(Ann-Lou)' }])).toMatchObject({ answer: null, formatOk: false });
    });
  });
});

// Tests the pretraining data: its shares, that it contains nothing held out, and that the environment would show the same in its transcripts.
describe('the transcripts', () => {
  const N = 4000;
  const samples = Array.from({ length: N }, (_, i) => pretrainSample(i));

  /** The tool's replies in the texts, as facts. */
  const factsIn = (texts: readonly string[]) =>
    texts.flatMap((text) =>
      [...text.matchAll(/([A-Z]\w+-[A-Z]\w+): (\d+)/g)].map(([, name, value]) => ({ name, value: Number(value) })),
    );

  describe('pretraining data', () => {
    it('depends only on the index', () => {
      expect(pretrainSample(17)).toEqual(samples[17]);
      expect(pretrainSample(17, 8)).not.toEqual(samples[17]);
    });

    it('has the stated shares of correct and other transcripts', () => {
      expect(Object.values(SHARES).reduce((a, b) => a + b)).toBeCloseTo(1, 12);
      for (const [answers, share] of Object.entries(SHARES)) {
        const own = samples.filter((sample) => sample.answers === answers).length / N;
        expect(Math.abs(own - share), answers).toBeLessThan(0.025);
      }
    });

    it('contains nothing held out', () => {
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
        let state = lookupDynamics.begin({ ...problemsOf('training', 1)[0], prompt, facts });
        for (const turn of turns) {
          expect(lookupDynamics.observe(state)).toEqual({ kind: 'prompt', text: turn.prompt });
          state = await lookupDynamics.act(state, turn.completion, true);
        }
        expect(lookupDynamics.observe(state)).toEqual({ kind: 'end' });
      }
    });

    it('has correct answers in transcripts labelled right, and mostly wrong ones elsewhere', () => {
      const right = new Map<Answers, number[]>();
      for (const { prompt, completion, further, shape, answers } of samples.slice(0, 1500)) {
        const sum = [completion, ...further.map((turn) => turn.completion)].findLast((text) =>
          /^CALC\(.*\)$/.test(text),
        );
        const facts = factsIn(further.map((turn) => turn.prompt));
        // Every name in the question was looked up, so that its value is known here.
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
});
