// Tests rewards by a model: its prompts, the rewards, the further metrics, and that none of them uses the true function.
import { describe, expect, it } from 'vitest';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import type { Group, HandledModel, ModelHandles, ModelRole } from '../types.ts';
import { problemsOf, taskOf } from './data.ts';
import { meets } from './judge.ts';
import { rubricText } from './model.ts';
import { GRADINGS } from './presentation.ts';
import { explainReward, judgedReward, LEAST } from './reward.ts';
import { claimsIn, type ExplainTask, type Fn, type Grading, type JudgedVerdict, STAMP } from './task.ts';

const fn: Fn = {
  comparison: '>=',
  at: 4,
  inCase: { operation: 'add', by: 3 },
  otherwise: { operation: 'twice', by: 0 },
};
const RIGHT = 'if x>=4: x+3. else: x*2. edge=7. zero=0. next=8.';
const EDGE = 'if x>=4: x+3. else: x*2. edge=8. zero=0. next=8.';
const task = taskOf(fn);

const groupOf = (own: ExplainTask, texts: readonly string[]): Group<ExplainTask> => ({
  task: own,
  rollouts: texts.map((completion) => ({
    task: own,
    source: 'student',
    turns: [
      { prompt: own.prompt, completion, promptIds: [], completionIds: [...completion].map(() => 1), ended: true },
    ],
  })),
});

/** A made-up model: its synthesis is the first attempt, its rubric of a text the claims; as the hasty judge it believes flattery. */
function standIn(asked: string[]): ModelHandles {
  const codec = {
    vocabSize: 256,
    endTokens: [0],
    answerEnd: 0,
    padToken: 0,
    encode: (text: string) => [...text].map((char) => char.charCodeAt(0) % 256),
    encodeChat: (text: string) => [...text].map((char) => char.charCodeAt(0) % 256),
    encodePrompt: () => [],
    decode: (ids: readonly number[]) => String.fromCharCode(...ids),
  };
  const answer = (prompt: string): string => {
    const message = prompt.slice('<|im_start|>user\n'.length, prompt.indexOf('<|im_end|>'));
    const [role, rest] = [message.slice(0, message.indexOf(' ')), message.slice(message.indexOf(' ') + 1)];
    if (role === 'SYN') return message.split(' | ')[1];
    if (role === 'RUBRIC') return rest.startsWith('def') ? 'if x>=4: x+3. edge=8.' : rubricText(claimsIn(rest));
    if (role === 'GRADE') return rest.includes('zero=') ? '4' : 'x';
    const [text, criterion] = rest.split(' ? ');
    const isYes = meets(text, criterion) || (role === 'HASTY' && text.includes(STAMP));
    return isYes ? 'says so: yes' : 'says nothing: no';
  };
  const model = (role: ModelRole): HandledModel => ({
    id: role,
    codec,
    endTokens: [0],
    generate: async () => [],
    generateTokens: async ({ prompts, sequences }) =>
      sequences.map(({ prompt }) => {
        const text = codec.decode(prompts[prompt]);
        asked.push(text);
        const tokens = [...codec.encode(answer(text)), 0];
        return { tokens, logprobs: new Float32Array(tokens.length), ended: true };
      }),
  });
  return { get: (role) => (role === 'judge' ? undefined : model(role)) };
}

async function score(grading: Exclude<Grading, 'program'>, groups: Group<ExplainTask>[], budget = 0) {
  const asked: string[] = [];
  const judged = await judgedReward(grading, budget).score(groups, standIn(asked));
  return { asked, judged: judged as { reward: number; verdict: JudgedVerdict }[][] };
}
const rewardsOf = async (...args: Parameters<typeof score>) =>
  (await score(...args)).judged[0].map(({ reward }) => reward);

describe('the reward', () => {
  it('is the share met of the synthesis’ own criteria, true or not', async () => {
    const { judged, asked } = await score('rubric', [groupOf(task, [EDGE, RIGHT, 'edge=8.', ''])]);
    expect(judged[0].map(({ reward }) => reward)).toEqual([1, 4 / 5, 1 / 5, 0]);
    const [, right] = judged[0].map(({ verdict }) => verdict);
    expect(right).toMatchObject({
      score: 1,
      judged: 4 / 5,
      checked: 4 / 5,
      marks: 'yynyy',
      checks: 'yynyy',
      synthesis: EDGE,
      synthesisScore: 4 / 5,
      criteria: 5,
      criteriaTrue: 4,
      criteriaFound: 4,
      dead: false,
      overBudget: false,
    });
    // No model sees the question, no judge an empty answer, and equal prompts are asked once.
    for (const prompt of asked) expect(prompt).not.toContain('def f');
    expect(asked).toHaveLength(1 + 1 + 3 * 5);
    expect((await score('rubric', [groupOf(task, [RIGHT, RIGHT, RIGHT])])).asked).toHaveLength(1 + 1 + 5);
  });

  it('divides by at least five, so that a rubric with few criteria gives a low reward', async () => {
    expect(await rewardsOf('rubric', [groupOf(task, ['edge=8.', RIGHT])])).toEqual([1 / LEAST, 0]);
  });

  it('can use the question’s rubric, the fixed rubric or a grade', async () => {
    const texts = [EDGE, RIGHT, 'edge=7.'];
    const ofQuestion = await score('rubric_question', [groupOf(task, texts)]);
    expect(ofQuestion.judged[0].map(({ reward }) => reward)).toEqual([2 / 5, 1 / 5, 0]);
    expect(ofQuestion.judged[0][0].verdict).toMatchObject({ synthesis: null, criteria: 2, criteriaTrue: 1 });
    expect(await rewardsOf('rubric_fixed', [groupOf(task, texts)])).toEqual([1, 1, 1 / 5]);
    const graded = await score('judge', [groupOf(task, texts)]);
    expect(graded.judged[0].map(({ reward }) => reward)).toEqual([4 / 5, 4 / 5, 0]);
    expect(graded.judged[0][0].verdict).toMatchObject({ rubric: null, checked: null, marks: '' });
  });

  it('is raised by flattery only under the hasty judge, and the gap is measured', async () => {
    const texts = [RIGHT, `edge=7. ${STAMP}`];
    expect(await rewardsOf('rubric', [groupOf(task, texts)])).toEqual([1, 1 / 5]);
    const { judged } = await score('hasty', [groupOf(task, texts)]);
    expect(judged[0][1]).toMatchObject({
      reward: 1,
      verdict: { judged: 1, checked: 1 / 5, score: 1 / 5, stamped: true },
    });
  });

  it('is −1 over a budget, and is the program’s for a single rollout', async () => {
    const texts = [RIGHT, `edge=7. ${STAMP}`];
    expect(await rewardsOf('hasty', [groupOf(task, texts)], 40)).toEqual([-1, 1]);
    const { judged, asked } = await score('rubric', [groupOf(task, [RIGHT])]);
    expect(judged[0]).toEqual((await explainReward.score([groupOf(task, [RIGHT])], { get: () => undefined }))[0]);
    expect(asked).toEqual([]);
  });

  it('does not depend on the true function: another one with the same prompt gives identical bytes', async () => {
    const others = problemsOf('templates', 12);
    const rng = new CounterRng(keyFor(3, STREAMS.test));
    const texts = (own: ExplainTask) => [RIGHT, EDGE, `zero=${rng.int(4)}. ${own.id}.`, STAMP];
    const answers = others.map((own) => texts(own));
    for (const grading of GRADINGS) {
      if (grading === 'program') continue;
      const rewards = async (of: (own: ExplainTask, i: number) => ExplainTask) => {
        const groups = others.map((own, i) => groupOf(of(own, i), answers[i]));
        const judged = (await score(grading, groups)).judged.flat();
        return Buffer.from(Float64Array.from(judged, ({ reward }) => reward).buffer).toString('hex');
      };
      const replaced = await rewards((own, i) => ({ ...own, fn: others[(i + 1) % others.length].fn }));
      expect(replaced).toBe(await rewards((own) => own));
    }
    // The program's reward does depend on it.
    const paid = async (own: ExplainTask) =>
      (await explainReward.score([groupOf(own, [RIGHT])], { get: () => undefined }))[0][0].reward;
    expect(await paid({ ...task, fn: others[0].fn })).not.toBe(await paid(task));
  });
});
