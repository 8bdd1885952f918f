// Tests a model as the judge: its prompts and what they omit, how its answers are parsed, and that a judgement continues after a pending
// answer.
import { expect, it } from 'vitest';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import type { ChatModel, ChatTurn } from '../chat-model.ts';
import { settled } from '../pending.ts';
import { makeScenario } from '../scenario/import.ts';
import { sampleTrace } from '../testing/sample.ts';
import { AnswerBook } from './answer-book.ts';
import { DEFAULT_CONFIG } from './compare-calls.ts';
import { judgeInContext } from './in-context.ts';
import { playOracle } from './oracle-run.ts';
import type { SoftQuestion } from './soft.ts';
import { ChatSoftModel } from './soft-model.ts';
import { INSTRUCTIONS, questionTurns, verdictIn } from './soft-prompts.ts';
import { Verifier } from './verifier.ts';

const QUESTION: SoftQuestion = {
  checker: 'email_checker',
  toolName: 'Emails__send_email',
  agentCall: 'content: Tea on Friday',
  oracleCall: 'content: Friday, tea',
  subtask: 'invite Ana',
  task: 'Invite Ana, then tell me.',
  previousTask: '',
  userName: 'Kim Lee',
  userAddress: '1 High Street',
  today: '2024-10-15 Tuesday',
};

function saying(answers: readonly string[]): ChatModel & { asked: (readonly ChatTurn[])[] } {
  const asked: (readonly ChatTurn[])[] = [];
  return {
    name: 'm',
    asked,
    answer: async (turns) => {
      asked.push(turns);
      const text = answers[(asked.length - 1) % answers.length] as string;
      return { text, inputTokens: 1, outputTokens: 1, seconds: 0 };
    },
  };
}

it('uses the last verdict of an answer, and returns null without one', () => {
  expect(verdictIn('[[Failure]]? No: [[Success]]')).toBe(true);
  expect(verdictIn('It is [[true]] that … [[ False ]]')).toBe(false);
  expect(verdictIn('Success')).toBeNull();
});

it('counts votes: the majority decides, a tie accepts, and unclear answers do not count', async () => {
  const judged = (votes: number, ...answers: string[]) => new ChatSoftModel(saying(answers), votes).judge(QUESTION);
  expect(await judged(1, '[[Success]]')).toBe(true);
  expect(await judged(1, 'well')).toBeNull();
  expect(await judged(3, '[[Failure]]', '[[Success]]', '[[Failure]]')).toBe(false);
  expect(await judged(2, '[[Failure]]', '[[Success]]')).toBe(true);
  expect(await judged(3, 'well', 'well', '[[Failure]]')).toBe(false);
});

it('shows the reference if meanings are compared, and never if only the form is judged', () => {
  for (const checker of Object.keys(INSTRUCTIONS) as (keyof typeof INSTRUCTIONS)[]) {
    const text = questionTurns({ ...QUESTION, checker })
      .map(({ content }) => content)
      .join('\n');
    expect(text).toContain('content: Tea on Friday');
    expect([checker, text.includes('Friday, tea')]).toEqual([checker, INSTRUCTIONS[checker].shows === 'both']);
    expect(text).not.toContain('What the user asked before');
  }
});

/** The sample's oracle, and its log with another first message to the user. */
function sample() {
  const oracle = playOracle(makeScenario(sampleTrace(), IMPORTABLE_CLASSES));
  const [first] = oracle.log.filter(({ action }) => action?.functionName === 'send_message_to_user');
  const args = { content: 'All is settled now.' };
  const log = oracle.log.map((event) =>
    event === first && event.action ? { ...event, action: { ...event.action, args, resolved: args } } : event,
  );
  return { oracle, log };
}

it('judges a whole run and continues after pending answers, asking each question once', async () => {
  const { oracle, log } = sample();
  for (const answer of ['[[Success]]', '[[Failure]]']) {
    const model = saying([answer]);
    const verifier = new Verifier(oracle, new AnswerBook(new ChatSoftModel(model)));
    const verdict = await settled(() => verifier.judgeAll(log));
    expect(verdict.success).toBe(answer === '[[Success]]');
    expect(verifier.turn).toBe(verdict.success ? oracle.turns.length - 1 : 0);
    expect(new Set(model.asked.map((turns) => JSON.stringify(turns))).size).toBe(model.asked.length);
    expect(model.asked.length).toBeGreaterThan(0);
  }
});

it('the baseline judges turn by turn up to the first rejected one, and sees both sides', async () => {
  const { oracle, log } = sample();
  const accepting = saying(['[[Success]]']);
  expect(await judgeInContext(accepting, oracle, log, DEFAULT_CONFIG)).toMatchObject({
    success: true,
    turn: oracle.turns.length - 1,
  });
  const shown = accepting.asked[0]?.map(({ content }) => content).join('\n') ?? '';
  expect(shown).toContain('All is settled now.');
  expect(shown).toMatch(/## Reference\n.*o1 /s);
  expect(shown).toContain(oracle.tasks[0]?.trim() ?? 'nothing');
  const silent = saying(['no idea']);
  expect(await judgeInContext(silent, oracle, log, DEFAULT_CONFIG)).toMatchObject({
    success: false,
    turn: 0,
    isClear: false,
  });
  expect(silent.asked).toHaveLength(1);
});
