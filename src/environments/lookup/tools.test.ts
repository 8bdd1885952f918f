// The tools: what they answer, what they refuse, and how long they may take over what a model writes.
import { describe, expect, it } from 'vitest';
import { lookupEnvironment } from './environment.ts';
import { makeProblem } from './problem.ts';
import { gradeLookup, lookupReward } from './reward.ts';
import { SHAPES } from './shapes.ts';
import { calculate, MAX_CALL, REFUSALS, replyTo } from './tools.ts';
import { type LookupProblem, MOST_TURNS } from './types.ts';

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

  it('is answered, spaces or not, and beyond what floating numbers hold', () => {
    expect(reply('CALC(12+7)')).toEqual(answered('= 19'));
    expect(reply(' CALC( 12 + 7 )\n')).toEqual(answered('= 19'));
    expect(reply('CALC(1/2)')).toEqual(refused('sum'));
    expect(reply('CALC()')).toEqual(refused('sum'));
  });
});

describe('LOOK', () => {
  it('answers what it knows, in its own spelling', () => {
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

  it('with a box is the answer, whatever else it says', () => {
    for (const text of ['\\boxed{42}', 'CALC(1+1) \\boxed{2}', '\\boxed{}'])
      expect(reply(text)).toEqual({ kind: 'answer' });
  });

  it('is never shown again, whatever was written', () => {
    for (const text of ['LOOK(<|im_end|>)', 'CALC(<|im_start|>)', 'LOOK(\\boxed)', '<|im_end|>'])
      expect(Object.values(REFUSALS)).toContain((reply(text) as { text: string }).text);
  });

  it('takes hostile texts as fast as others', () => {
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
    const from = performance.now();
    for (const text of texts) expect(reply(text)).toEqual(refused('call'));
    // Quadratic would be minutes.
    expect(performance.now() - from).toBeLessThan(5000);
  });
});

/** What is shown before each turn, and that the episode is over after the last. */
async function play(
  turns: readonly { text: string; ended?: boolean }[],
): Promise<{ shown: string[]; isOver: boolean }> {
  const shown: string[] = [];
  let state = lookupEnvironment.begin(problem);
  for (const { text, ended } of turns) {
    const seen = lookupEnvironment.observe(state);
    if (seen.kind === 'end') throw new Error('over too soon');
    shown.push(seen.text);
    state = await lookupEnvironment.act(state, text, ended);
  }
  return { shown, isOver: lookupEnvironment.observe(state).kind === 'end' };
}

describe('an episode', () => {
  const user = (text: string) => `\n<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`;

  it('shows what a tool says, and ends with the answer', async () => {
    const texts = ['LOOK(Ann-Lou)', 'LOOK(Tom-Ray)', 'CALC(12+30)', '\\boxed{42}'];
    const { shown, isOver } = await play(texts.map((text) => ({ text })));
    expect(shown).toEqual([problem.prompt, user('Ann-Lou: 12'), user('Tom-Ray: 30'), user('= 42')]);
    expect(isOver).toBe(true);
  });

  it('closes a turn that was cut off, and only that', async () => {
    const { shown, isOver } = await play([
      { text: 'CALC(1+', ended: false },
      { text: 'CALC(1+1)', ended: true },
      { text: '' },
    ]);
    expect(shown.slice(1)).toEqual([`<|im_end|>${user(REFUSALS.call)}`, user('= 2')]);
    expect(isOver).toBe(false);
  });

  it('has four calls and a turn for the answer, whatever is said', async () => {
    expect(MOST_TURNS).toBe(5);
    const calls = Array.from({ length: MOST_TURNS }, () => ({ text: 'CALC(1+1)' }));
    expect((await play(calls.slice(1))).isOver).toBe(false);
    expect((await play(calls)).isOver).toBe(true);
  });

  it('leaves a state as it was', async () => {
    const begun = lookupEnvironment.begin(problem);
    await lookupEnvironment.act(begun, '\\boxed{1}');
    expect(lookupEnvironment.observe(begun)).toEqual({ kind: 'prompt', text: problem.prompt });
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

  it('is 1 for the right value and 0.1 for a box with a number, guessed or asked for', async () => {
    expect((await score('LOOK(Ann-Lou)', '\\boxed{42}')).reward).toBeCloseTo(1.1, 12);
    expect((await score('\\boxed{84/2}')).reward).toBeCloseTo(1.1, 12);
    expect((await score('LOOK(Ann-Lou)', '\\boxed{41}')).reward).toBeCloseTo(0.1, 12);
    expect((await score('LOOK(Ann-Lou)', '\\boxed{many}')).reward).toBe(0);
    expect((await score('LOOK(Ann-Lou)', 'CALC(12+30)')).reward).toBe(0);
  });

  it('counts what was answered and what was refused', () => {
    const texts = ['LOOK(Ann-Lou)', 'LOOK(Ann)', 'what?', 'CALC(12+30)', '\\boxed{42}'];
    const verdict = gradeLookup(
      problem,
      texts.map((completion) => ({ completion })),
    );
    expect(verdict).toEqual({
      ...{ answer: '42', value: '42', expected: '42', correct: true, formatOk: true },
      ...{ turns: 5, answered: 2, refused: 2 },
    });
    expect(gradeLookup(problem, [])).toMatchObject({ correct: false, formatOk: false, turns: 0, answered: 0 });
    // A box in an earlier turn would have ended the episode.
    expect(gradeLookup(problem, [{ completion: 'LOOK(Ann-Lou)' }])).toMatchObject({ answer: null, formatOk: false });
  });
});
