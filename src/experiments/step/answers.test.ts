// Tests that graders, checks, judges and tools see a model's answer without its thought, while rollouts keep the thought.
import { existsSync, readFileSync } from 'node:fs';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import type { EpisodeRequest, Policy } from '../../engine/types.ts';
import { problemsOf as arithmeticProblems } from '../../environments/arithmetic/data.ts';
import { arithmeticReward } from '../../environments/arithmetic/reward.ts';
import { greedy } from '../../environments/cat/estimators.ts';
import { codeReward } from '../../environments/code/reward.ts';
import type { Grader } from '../../environments/code/types.ts';
import { readCustomFile } from '../../environments/custom/problem-file.ts';
import { checkCustom, customReward } from '../../environments/custom/reward.ts';
import { shortReward } from '../../environments/instructions/short/reward.ts';
import { shortTasks } from '../../environments/instructions/short/task.ts';
import { problemsOf as lookupProblems } from '../../environments/lookup/data.ts';
import { lookupReward } from '../../environments/lookup/reward.ts';
import { lookupDynamics } from '../../environments/lookup/task.ts';
import { type HandledModel, type LearntGroup, oneTurn, type Reward, type Turn } from '../../environments/types.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import type { Thinking } from '../../text/thinking.ts';
import { judgedCompletion, judgingAnswers, judgingReward } from './answers.ts';
import type { TrainingEnvironment } from './environment.ts';
import { rollOut } from './rollouts.ts';

const turnOf = (completion: string, prompt = 'p', isOpened = false): Turn => {
  const thought = { tokens: 0, isUnclosed: false, isOpened };
  return { prompt, completion, promptIds: [1], completionIds: [2], ended: true, thought };
};
const NOBODY = { get: () => undefined };

async function judged<Task extends { prompt: string }>(
  reward: Reward<Task, unknown>,
  task: Task,
  turns: readonly Turn[],
  thinking: Thinking,
) {
  const groups = [{ task, rollouts: [{ task, source: 'student' as const, turns }] }];
  const before = structuredClone(groups);
  const [[found]] = await judgingReward(reward, thinking).score(groups, NOBODY);
  expect(groups).toEqual(before);
  return found;
}

const always = [1, 2, 3].map((i) => `{"id":"p${i}","prompt":"q","checks":[{"true":{"kind":"always"}}]}`);
const custom = (checks: object[], examples: object[] = []) =>
  readCustomFile([JSON.stringify({ id: 'a', prompt: 'q', checks, examples }), ...always].join('\n'), 'mine.jsonl');
/** A grader that fails every text that contains a thought. */
const grader: Grader = {
  version: 'v',
  close: async () => {},
  grade: async (items) =>
    items.map(({ completion }) => {
      const none = { formatOk: true, exploited: false, structural: false, mechanism: null, note: null };
      return { ...none, passed: !completion.includes('<think>'), gt_correct: true, reward: 1 };
    }),
};
const [sum] = arithmeticProblems('training', 1);
const [looked] = lookupProblems('training', 1);
const [short] = shortTasks('training', 1, { flaw: 'none', flawForm: 'shown', promptLanguage: 'en' }, 7);

describe('a grader sees only the answer', () => {
  const cases: [string, Reward<never, unknown>, { prompt: string }, answer: string, thought: string][] = [
    [
      'a number check',
      customReward(undefined),
      custom([{ true: { kind: 'number', value: 42, which: 'only' } }])[0],
      '42',
      'I saw 7 apples',
    ],
    [
      'a keyword check',
      customReward(undefined),
      custom([{ true: { kind: 'keywords', none: ['sorry'] } }])[0],
      'Yes.',
      'not sorry',
    ],
    [
      'a length check',
      customReward(undefined),
      custom([{ true: { kind: 'length', unit: 'words', max: 2 } }])[0],
      'just two',
      'a b c d',
    ],
    [
      'a regex check',
      customReward(undefined),
      custom([{ true: { kind: 'regex', pattern: '[a-z]+', whole: true } }])[0],
      'yes',
      'Hm',
    ],
    [
      'a JSON check',
      customReward(undefined),
      custom([{ true: { kind: 'json_schema', schema: { type: 'object' } } }])[0],
      '{"a": 1}',
      '{',
    ],
    ['word problems', arithmeticReward, sum, 'no box', `it is \\boxed{${sum.expected}}`],
    ['lookups', lookupReward, looked, 'I do not know', `\\boxed{${looked.expected}}`],
    ['code', codeReward(grader), { prompt: 'p' }, 'code', 'plan'],
    ['short instructions', shortReward('none'), short, '', 'a long and rambling thought.'],
  ];
  it.each(cases)('%s', async (_, reward, task, answer, thought) => {
    const whole = `<think>\n${thought}\n</think>\n\n${answer}`;
    const one = task as { prompt: string };
    const [plain, stripped, kept] = [
      await judged(reward as Reward<typeof one, unknown>, one, [turnOf(answer)], 'strip'),
      await judged(reward as Reward<typeof one, unknown>, one, [turnOf(whole)], 'strip'),
      await judged(reward as Reward<typeof one, unknown>, one, [turnOf(whole)], 'keep'),
    ];
    expect(stripped).toEqual(plain);
    expect(kept).not.toEqual(plain);
  });

  it('sees an empty answer if the thought never ends, also if the prompt opened the thought', async () => {
    const [problem] = custom([{ true: { kind: 'number', value: 42, which: 'last' } }]);
    const reward = customReward(undefined);
    const verdict = async (completion: string, isOpened: boolean) =>
      (await judged(reward, problem, [turnOf(completion, 'p', isOpened)], 'strip')).reward;
    expect(await verdict('<think>is it 42', false)).toBe(0);
    expect(await verdict('is it 42', true)).toBe(0);
    expect(await verdict('is it 7\n</think>\n\n42', true)).toBe(1);
    expect(await verdict('is it 42', false)).toBe(1);
  });

  it('sees thought and answer as one text if the lab ended the thought', async () => {
    const [problem] = custom([{ true: { kind: 'equals', value: '42' } }]);
    const turns = [turnOf('<think>7'), turnOf('42', '\n</think>\n\n')];
    expect((await judged(customReward(undefined), problem, turns, 'strip')).reward).toBe(1);
    expect(judgedCompletion({ thinking: 'strip' }, turns)).toBe('42');
    expect(judgedCompletion({ thinking: 'keep' }, turns)).toBe('<think>7\n</think>\n\n42');
    expect(judgedCompletion({}, [turnOf('<think>a</think>b')])).toBe('<think>a</think>b');
    expect(judgedCompletion({ thinking: 'strip' }, [])).toBe('');
  });
});

/** One token per character. */
const encode = (text: string) => [...text].map((character) => character.charCodeAt(0));
const codec = {
  vocabSize: 65_536,
  padToken: 0,
  endTokens: [0],
  answerEnd: 0,
  encode,
  encodeChat: encode,
  decode: (ids: readonly number[]) => String.fromCharCode(...ids),
};

describe('an environment of a model that thinks', () => {
  it('acts on the answer: a thought before a tool call is not part of the call', async () => {
    const shown = async (completion: string, thinking?: Thinking) => {
      const texts: string[] = [];
      const act = async ({ act }: EpisodeRequest) => {
        const said = codec.encode(completion);
        const next = await act?.(0, { turn: 0, tokens: said, logprobs: new Float32Array(said.length), ended: false });
        texts.push(next ? codec.decode(next) : 'the end');
        return [{ tokens: said, turns: [], mask: new Uint8Array(0), logprobs: new Float32Array(0), ended: 'maxTurns' }];
      };
      const policy = { generateEpisodes: act } as unknown as Policy;
      const settings = { maxNew: 99, maxTokens: 999, maxTurns: 3, temperature: 1, thinking };
      await rollOut(
        { policy, codec, dynamics: lookupDynamics },
        [{ task: looked, key: () => keyFor(1, STREAMS.rollout) }],
        settings,
      );
      return texts[0];
    };
    const call = 'CALC(2+3)';
    expect(await shown(call)).toContain('= 5');
    expect(await shown(`<think>\nadd\n</think>\n\n${call}`, 'strip')).toBe(await shown(call));
    expect(await shown(`<think>\nadd\n</think>\n\n${call}`, 'keep')).toContain('error: no call');
  });

  it('strips thoughts for the sampler and for behaviours, and is returned unchanged without thoughts', async () => {
    const texts: string[] = [];
    const note = (groups: readonly { rollouts: readonly { turns: readonly Turn[] }[] }[]) => {
      for (const { rollouts } of groups) for (const { turns } of rollouts) texts.push(turns[0].completion);
    };
    const task = { prompt: 'p' };
    const base = {
      dynamics: oneTurn('x'),
      reward: customReward(undefined),
      sampler: { draw: () => [], learn: ({ groups }: { groups: readonly LearntGroup<unknown>[] }) => note(groups) },
      behaviours: async (groups: Parameters<typeof note>[0]) => {
        note(groups);
        return [];
      },
    } as unknown as TrainingEnvironment<typeof task>;
    const group = {
      task,
      rollouts: [{ task, source: 'student' as const, turns: [turnOf('<think>a</think>b')] }],
      judged: [],
    };
    const environment = judgingAnswers(base, 'strip');
    environment.sampler.learn?.({ step: 0, groups: [group] });
    await environment.behaviours?.([group]);
    expect(texts).toEqual(['b', 'b']);
    expect(judgingAnswers(base, null)).toBe(base);
  });

  it('reads only the answer of a judge or a synthesiser', async () => {
    const written = '<think>no</think>\nyes';
    const model = {
      codec,
      generateTokens: async () => [{ tokens: codec.encode(written), logprobs: new Float32Array(0), ended: false }],
    } as unknown as HandledModel;
    const ask = async (thinking?: Thinking) => (await greedy({ ...model, thinking }, [[65]], 4, undefined))[0].text;
    expect([await ask('strip'), await ask('keep'), await ask()]).toEqual(['yes', written, written]);
  });
});

describe('examples of a file of problems', () => {
  const check = { true: { kind: 'number', value: 42, which: 'only' } };
  const example = { answer: '<think>I saw 7 apples</think>42', true: true, paid: true };
  it('are judged like rollouts, without their thoughts', async () => {
    const problems = custom([check], [example]);
    await checkCustom(problems, undefined, 'strip');
    const kept = checkCustom(problems, undefined, 'keep');
    await expect(kept).rejects.toBeInstanceOf(FormatError);
    await expect(kept).rejects.toMatchObject({ remedy: expect.stringContaining('--thinking strip') });
  });

  const path = '../shared/stranger/numbers/thinking.jsonl';
  it.skipIf(!existsSync(path))('agree with the recorded labels (skipped where ../shared is missing)', async () => {
    const problems = readCustomFile([readFileSync(path, 'utf8').trim(), ...always].join('\n'), path);
    await checkCustom(problems, undefined, 'strip');
    await expect(checkCustom(problems, undefined, 'keep')).rejects.toThrow(/thinking\.jsonl:1: examples\[0\]\.true/);
  });
});
