// Tests a model that answers for the user: what the agent receives, what the log contains, and that the two never talk endlessly.
import { expect, it } from 'vitest';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import type { ChatTurn } from '../chat-model.ts';
import { mail, sampleTrace, TWO_TURNS, toAgent, toUser } from '../testing/sample.ts';
import { beginJudgedRun } from '../verifier/judged-run.ts';
import { runAgent } from './run.ts';
import type { Agent } from './types.ts';
import { ModelUser, type UserProxy } from './user-proxy.ts';

const ONE_TURN = [toAgent('u1', 'Ask Ana for tea.'), mail('o1', ['u1']), toUser('o2', ['o1'], 'Asked.')];
const begin = (events = ONE_TURN) => beginJudgedRun(sampleTrace(events), { classes: IMPORTABLE_CLASSES });

/** Writes to the user after every message, and stores the messages. */
function talker(): { agent: Agent; received: string[] } {
  const received: string[] = [];
  const agent: Agent = {
    name: 'talker',
    act({ messages }) {
      received.push(...messages.map(({ text }) => text));
      const content = `Message ${received.length}?`;
      return { action: { kind: 'call', app: 'AgentUserInterface', tool: 'send_message_to_user', args: { content } } };
    },
  };
  return { agent, received };
}

it('answers the agent’s messages while the run continues', async () => {
  const { environment } = begin();
  const { agent, received } = talker();
  const asked: (readonly ChatTurn[])[] = [];
  const user: UserProxy = {
    async reply(said) {
      asked.push(said);
      return ['  On Friday. ', 'At three.', ' '][asked.length - 1] ?? null;
    },
  };
  const run = await runAgent(environment, agent, { turns: 1, user });
  expect(run).toMatchObject({ end: 'turns done', turns: 3, replies: 2 });
  expect(received.map((text) => /Message: (.*)/.exec(text)?.[1])).toEqual([
    'Ask Ana for tea.',
    'On Friday.',
    'At three.',
  ]);
  expect(asked[1]).toEqual([
    { role: 'assistant', content: 'Ask Ana for tea.' },
    { role: 'user', content: 'Message 1?' },
    { role: 'assistant', content: 'On Friday.' },
    { role: 'user', content: 'Message 2?' },
  ]);
  // Answers are logged as the user's, each after the message that it answers.
  const chat = environment.log.list().filter(({ action }) => action?.appName === 'AgentUserInterface');
  expect(chat.map(({ type }) => type)).toEqual(['USER', 'AGENT', 'USER', 'AGENT', 'USER', 'AGENT']);
});

it('answers nothing without a proxy, and ends an endless conversation', async () => {
  const alone = await runAgent(begin().environment, talker().agent, { turns: 1 });
  expect(alone).toMatchObject({ turns: 1, replies: 0 });
  const user: UserProxy = { reply: async () => 'Go on.' };
  expect(await runAgent(begin().environment, talker().agent, { turns: 1, user })).toMatchObject({ replies: 10 });
  expect(await runAgent(begin().environment, talker().agent, { turns: 1, user, userReplies: 2 })).toMatchObject({
    turns: 3,
    replies: 2,
  });
});

it('is not asked after the judge has ended the run', async () => {
  const { environment } = begin([...TWO_TURNS]);
  let asked = 0;
  const user: UserProxy = { reply: async () => `${++asked}` };
  // The first turn fails: no mail was sent.
  const run = await runAgent(environment, talker().agent, { turns: 2, user });
  expect([run.end, asked]).toEqual(['stopped', 0]);
});

it('gives a model the task, the brief and the conversation, and an empty answer ends the conversation', async () => {
  const prompts: (readonly ChatTurn[])[] = [];
  const says = ['<think>Which one?</think>\n The blue one.', '"DONE."', ''];
  const model = {
    name: 'm',
    async answer(turns: readonly ChatTurn[]) {
      prompts.push(turns);
      return { text: says[prompts.length - 1] ?? '', inputTokens: 1, outputTokens: 1, seconds: 0 };
    },
  };
  const user = new ModelUser(model, 'You like blue.');
  const said: ChatTurn[] = [
    { role: 'assistant', content: 'Buy a cup.' },
    { role: 'user', content: 'There are two.' },
    { role: 'user', content: 'Which?' },
  ];
  expect(await user.reply(said)).toBe('The blue one.');
  const [system, ...turns] = prompts[0] as ChatTurn[];
  expect(system?.content).toMatch(/Buy a cup\.[\s\S]*You like blue\./);
  expect(turns).toEqual([{ role: 'user', content: 'There are two.\nWhich?' }]);
  expect([await user.reply(said), await user.reply(said)]).toEqual([null, null]);
});
