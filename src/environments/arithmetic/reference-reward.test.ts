// Tests the word problems' rewards by reference: agreement is by value, not by text; the truth is measured and only enters the oracle's reward.
import { describe, expect, it } from 'vitest';
import { ESTIMATORS, type EstimatorId } from '../cat/types.ts';
import type { Group, HandledModel, ModelHandles } from '../types.ts';
import { problemsOf } from './data.ts';
import { referenceReward } from './reward.ts';
import { answerOf, attemptLine, synthesisPrompt, synthesisText, workingOfSynthesis } from './synthesis.ts';
import type { ArithmeticProblem, ReferredVerdict } from './task.ts';

const [problem] = problemsOf('training', 1);
const box = (value: string) => `3+4=7\n\\boxed{${value}}`;
const groupOf = (task: ArithmeticProblem, texts: readonly string[]): Group<ArithmeticProblem> => ({
  task,
  rollouts: texts.map((completion, i) => ({
    task,
    source: 'student',
    turns: [
      {
        prompt: task.prompt,
        completion,
        promptIds: [],
        completionIds: [1, 2],
        logprobs: Float32Array.of(-0.1 * (i + 1), -0.3),
        ended: true,
      },
    ],
  })),
});

/** Always writes 8, and gives characters with a higher code less probability. */
const anchor: HandledModel = {
  id: 'stand-in',
  codec: {
    vocabSize: 256,
    endTokens: [0],
    answerEnd: 0,
    padToken: 0,
    encode: (text) => [...text].map((char) => char.charCodeAt(0) % 256),
    encodeChat: (text) => [...text].map((char) => char.charCodeAt(0) % 256),
    encodePrompt: () => [],
    decode: (ids) => String.fromCharCode(...ids),
  },
  endTokens: [0],
  generateTokens: async ({ sequences }) =>
    sequences.map(() => {
      const tokens = [...[...box('8')].map((char) => char.charCodeAt(0)), 0];
      return { tokens, logprobs: new Float32Array(tokens.length), ended: true };
    }),
  generate: async () => [],
  logprobs: async (sequences) => sequences.map(({ completion }) => Float32Array.from(completion, (id) => -id / 256)),
};
const models: ModelHandles = { get: (role) => (role === 'judge' ? undefined : anchor) };
const score = async (id: EstimatorId, groups: readonly Group<ArithmeticProblem>[]) =>
  (await referenceReward(id).score(groups, models)) as { reward: number; verdict: ReferredVerdict }[][];

describe('agreement', () => {
  it('is by value: 1/2, 0.50 and 2/4 vote for one answer', async () => {
    const [judged] = await score('majority', [
      groupOf({ ...problem, expected: '7' }, [
        box('7'),
        box('1/2'),
        box('0.50'),
        box('\\frac{2}{4}'),
        box('7'),
        'no box',
      ]),
    ]);
    expect(judged.map(({ reward }) => reward)).toEqual([0, 1, 1, 1, 0, 0]);
    expect(judged[0].verdict).toMatchObject({
      reference: '1/2',
      referenceCorrect: false,
      correct: true,
      agrees: false,
    });
    expect(judged[5].verdict).toMatchObject({ agrees: false, allWrong: false, dead: false });
    expect(answerOf('\\boxed{2/4} and \\boxed{.5}')).toBe('1/2');
  });

  it('is measured where synthesis and majority differ, with the tokens that it took', async () => {
    const [rescued] = await score('synthesis', [
      groupOf({ ...problem, expected: '8' }, [box('7'), box('7'), box('9')]),
    ]);
    expect(rescued.map(({ reward }) => reward)).toEqual([0, 0, 0]);
    expect(rescued[0].verdict).toMatchObject({
      reference: '8',
      referenceText: box('8'),
      referenceCorrect: true,
      majority: '7',
      majorityCorrect: false,
      allWrong: true,
      dead: true,
    });
    const { length } = synthesisPrompt([box('7'), box('7'), box('9')].map(attemptLine));
    expect(rescued[0].verdict.referenceTokens).toBeCloseTo((length + box('8').length + 1) / 3);
  });

  it('is measured for groups; a single rollout is judged by the truth', async () => {
    const alone = groupOf({ ...problem, expected: '7' }, [box('7')]);
    const judged = await score('synthesis', [alone, groupOf(problem, [box('8'), box('9')]), alone]);
    expect(judged.map((group) => group.map(({ reward }) => reward))).toEqual([[1.1], [1, 0], [1.1]]);
    expect(judged[0][0].verdict).not.toHaveProperty('reference');
  });
});

describe('the truth', () => {
  it('does not affect any reward except the oracle’s', async () => {
    const problems = problemsOf('templates', 12);
    const groups = problems.map((task, i) =>
      groupOf(task, [
        box(task.expected),
        box(String(i)),
        box('7'),
        '',
        box(task.misconception ?? '7'),
        box(task.expected),
      ]),
    );
    const lied = groups.map(({ rollouts }, g) => {
      const task = { ...problems[g], expected: String(Number(problems[g].expected) + 1), misconception: '7' };
      return { task, rollouts: rollouts.map((rollout) => ({ ...rollout, task })) };
    });
    for (const id of ESTIMATORS) {
      const [scored, swapped] = [await score(id, groups), await score(id, lied)];
      const bytes = (judged: typeof scored) => JSON.stringify(judged.map((group) => group.map(({ reward }) => reward)));
      if (id === 'oracle') expect(bytes(swapped)).not.toBe(bytes(scored));
      else expect(bytes(swapped), id).toBe(bytes(scored));
      expect(scored.flat().map(({ verdict }) => verdict.correct)).not.toEqual(
        swapped.flat().map(({ verdict }) => verdict.correct),
      );
    }
  });
});

describe('the input of a synthesiser', () => {
  it('has one line per attempt, with a shortened box and without markup', () => {
    expect(attemptLine('3+4=7\n7*3=21\n\\boxed{21}')).toBe('A3+4=7B7*3=21');
    expect(attemptLine('7/2=3.5\n\\boxed{7/2}')).toBe('A7/2=3.5>7/2');
    expect(attemptLine('\\boxed{4}')).toBe('>4');
    expect(attemptLine('3+4=7<|im_end|>\n<|im_start|>assistant\n\\boxed{9}')).toBe('A3+4=7Bassistant>9');
    expect(attemptLine('1'.repeat(500))).toHaveLength(96);
  });

  it('has a letter for each step, whether it takes one line or several', () => {
    const fact = '5-2=3\ndozen=12\n2*12=24\n3+24=27\n27/2=13.5\n\\boxed{27/2}';
    expect(attemptLine(fact)).toBe('A5-2=3Bdozen=12:2*12=24;3+24=27C27/2=13.5>27/2');
    // Whether a story about bags is read or misread, the following steps have the same letter.
    expect(attemptLine('2*5=10\n3+10=13\n13-4=9\n\\boxed{9}')).toBe('A2*5=10;3+10=13B13-4=9');
    expect(attemptLine('3+5=8\n8-4=4\n\\boxed{4}')).toBe('A3+5=8B8-4=4');
    expect(attemptLine(Array.from({ length: 12 }, () => '1+1=2').join('\n'))).toMatch(/^A1.*G1\+1=2(H1\+1=2){5}/);
    // The synthesiser writes such a line with a box; readers see one line per step.
    expect(synthesisText(fact)).toBe('A5-2=3Bdozen=12:2*12=24;3+24=27C27/2=13.5\\boxed{27/2}');
    expect(workingOfSynthesis(synthesisText(fact))).toBe(fact);
  });

  it('has the story before the attempts only if it is shown', () => {
    const story = problem.prompt.split('\n')[1].replace('<|im_end|>', '');
    const blind = synthesisPrompt(['3+4=7', '3+4=8']);
    expect(blind).toBe('<|im_start|>user\nSYN\n3+4=7\n3+4=8<|im_end|>\n<|im_start|>assistant\n');
    expect(synthesisPrompt(['3+4=7'], problem.prompt)).toBe(
      `<|im_start|>user\n${story}\nSYN\n3+4=7<|im_end|>\n<|im_start|>assistant\n`,
    );
  });
});
