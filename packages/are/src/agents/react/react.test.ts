// Tests the ReAct agent with scripted models: prompts, parsed actions, hooks and limits.
import { describe, expect, it } from 'vitest';
import { IMPORTABLE_CLASSES } from '../../apps/registry.ts';
import { type ChatModel, type ChatTurn, cutAt, PromptTooLong } from '../../chat-model.ts';
import { sampleTrace, TWO_TURNS } from '../../testing/sample.ts';
import { playWith } from '../play.ts';
import { ReactAgent, type ReactOptions } from './react.ts';

const says = (action: string, input: object, thought = 'Next.') =>
  `Thought: ${thought}\nAction:\n${JSON.stringify({ action, action_input: input })}<end_action> and more`;
const MAIL = { recipients: ['ana@x.org'], subject: 'Tea', content: 'Tea on Friday at 15:00?' };
const TEA = {
  title: 'Tea',
  start_datetime: '2024-10-18 15:00:00',
  end_datetime: '2024-10-18 16:00:00',
  attendees: ['Ana Ruiz'],
};
const RIGHT = [
  says('Emails__send_email', MAIL, 'Ana is asked by mail.'),
  says('AgentUserInterface__send_message_to_user', { content: 'Asked.' }),
  says('Calendar__add_calendar_event', TEA),
  says('AgentUserInterface__send_message_to_user', { content: 'Noted.' }),
];

function scripted(answers: readonly (string | Error)[]): ChatModel & { seen: (readonly ChatTurn[])[] } {
  const left = [...answers];
  const seen: (readonly ChatTurn[])[] = [];
  return {
    name: 'scripted',
    seen,
    answer: async (turns) => {
      seen.push([...turns]);
      const text = left.shift() ?? 'Thought: nothing is left.';
      if (text instanceof Error) throw text;
      return { text, inputTokens: 100, outputTokens: 10, seconds: 2 };
    },
  };
}

async function played(answers: readonly (string | Error)[], options: Partial<ReactOptions> = {}) {
  const model = scripted(answers);
  const agent = new ReactAgent({ model, ...options });
  const run = await playWith(sampleTrace(TWO_TURNS), agent, { classes: IMPORTABLE_CLASSES });
  return { ...run, agent, model };
}

describe('the ReAct agent', () => {
  it('plays a scenario of two turns with thoughts, and is shown its task, results and events', async () => {
    const { verdict, run, agent, model } = await played(RIGHT);
    expect(verdict.rationale).toBe('None');
    expect(run.steps[0]).toMatchObject({ app: 'Emails', tool: 'send_email', thought: 'Ana is asked by mail.' });
    expect(agent.spent).toEqual({ calls: 4, inputTokens: 400, outputTokens: 40, formatErrors: 0 });
    const [system, task] = model.seen[0] ?? [];
    expect(system?.content).toContain('- Emails__send_email: Acts on app Emails: ');
    expect(system?.content).not.toContain('send_email_to_user_only');
    expect(task?.content).toBe('[TASK]: \nAsk Ana for tea and tell me; once she agrees, note it.');
    expect(model.seen[1]?.at(-1)?.content).toMatch(/^\[OUTPUT OF STEP 0\] Observation:\n\*\*\*\n\w+\n\*\*\*$/);
    expect(model.seen[2]?.at(-1)?.content).toMatch(
      /Environment notifications updates:\n\*\*\*\n\[2024-10-15 \d\d:\d\d:\d\d\] EmailClientV2: /,
    );
    // Messages of user and assistant alternate.
    const roles = agent.conversation.map(({ role }) => role);
    expect(roles.every((role, at) => at < 2 || role !== roles[at - 1])).toBe(true);
    expect(agent.conversation.some(({ content }) => content.includes('and more'))).toBe(false);
  });

  it('is shown its error, and tries again', async () => {
    const { verdict, agent, model } = await played([
      'Hello.',
      'Thought: x\nAction:\n{"action": ',
      says('final_answer', {}),
      says('Emails__fly', {}),
      says('Emails__send_email', { recipients: 'ana' }),
      ...RIGHT,
    ]);
    expect(verdict.success).toBe(true);
    expect(agent.spent.formatErrors).toBe(3);
    const shown = model.seen.slice(1, 6).map((turns) => turns.at(-1)?.content ?? '');
    expect(shown.every((text) => /\[OUTPUT OF STEP \d\] ERROR:/.test(text))).toBe(true);
    expect(shown[0]).toContain("No 'Action:' token");
    expect(shown[3]).toContain('unknown tool Emails__fly');
    // The prompt lists the tools' inputs.
    expect(shown[4]).toContain('Takes inputs: {"recipients":');
  });

  it('gives up if its answers have no action, its calls are used up, or the conversation is too long', async () => {
    const strayed = await played([]);
    expect([strayed.verdict.success, strayed.agent.spent.calls]).toEqual([false, 160]);
    const words = await played(Array.from({ length: 30 }, () => 'Hello.'));
    expect([words.agent.failure, words.agent.spent.calls]).toEqual(['Its answers had no action.', 11]);
    const few = await played(RIGHT.slice(0, 1), { maxCalls: 3 });
    expect(few.agent.failure).toContain('3 questions');
    expect(few.run.steps.at(-1)?.args.content).toBe('Max iterations (3) reached. Stopping.');
    const long = await played([RIGHT[0] as string, new PromptTooLong('9 of 8 tokens')]);
    expect([long.agent.failure, long.run.end, long.verdict.success]).toEqual(['9 of 8 tokens', 'time up', false]);
    await expect(played([new Error('no server')])).rejects.toThrow('no server');
  });

  it('calls hooks before and after a step', async () => {
    const seen: number[] = [];
    const { run, model } = await played(RIGHT, {
      hooks: {
        before: ({ now }) => {
          seen.push(now);
          return [`Hint ${seen.length}`];
        },
        after: (action) =>
          action.kind === 'call' && action.tool === 'send_email'
            ? { ...action, args: { ...action.args, subject: 'Coffee' } }
            : action,
      },
    });
    expect(model.seen[0]?.at(-1)?.content).toMatch(/Hint 1$/);
    expect(run.steps[0]?.args.subject).toBe('Coffee');
    expect(seen.length).toBeGreaterThan(1);
  });

  it("charges its model's time if time is measured", async () => {
    const agent = new ReactAgent({ model: scripted(RIGHT) });
    const { run } = await playWith(sampleTrace(TWO_TURNS), agent, {
      classes: IMPORTABLE_CLASSES,
      generation: { mode: 'measured' },
    });
    expect(run.acts.map(({ seconds }) => seconds)).toEqual([2, 2, 2, 2]);
  });

  it('stops at the first stop sequence', () => {
    expect(cutAt('a Observation: b<end_action>', ['<end_action>', 'Observation:'])).toBe('a ');
    expect(cutAt('a', ['b'])).toBe('a');
  });
});
