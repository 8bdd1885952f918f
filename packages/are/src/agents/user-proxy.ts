// Answers the agent's messages for the user: a person, or a model that plays the user (the reference's user proxy). An answer is an
// ordinary user message: it is logged, and the agent is notified.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { AgentUserInterface } from '../apps/user-interface.ts';
import { type ChatModel, type ChatTurn, flawOf, withoutThought } from '../chat-model.ts';
import type { Environment } from '../environment.ts';
import { settled } from '../pending.ts';

export interface UserProxy {
  /**
   * @param said the conversation so far from the user's side: the user's messages have the role assistant, the agent's the role user. Null:
   * no answer.
   */
  reply(said: readonly ChatTurn[]): Promise<string | null>;
}

/** Default limit of answers in a run, without which two models could talk endlessly. */
export const DEFAULT_REPLIES = 10;
/** Most characters of an answer; the rest is cut off. */
const MOST_REPLY = 20_000;

/**
 * Whether the user has answered the agent's last message. The answer comes two ticks later, so that checks of every tick run first: the
 * scenario's own reactions to the message come first, and may have ended the run.
 */
export async function userReplied(environment: Environment, user: UserProxy): Promise<boolean> {
  const chat = environment.apps.find((app) => app instanceof AgentUserInterface);
  if (!chat) return false;
  for (let tick = 0; tick < 2; tick++)
    if (!(await settled(() => environment.step())) || environment.isOver) return false;
  const turns = chat.messages.map(({ sender, content }): ChatTurn => {
    return { role: sender === 'User' ? 'assistant' : 'user', content };
  });
  const reply = (await user.reply(turns))?.trim().slice(0, MOST_REPLY);
  if (!reply) return false;
  await settled(() => chat.call('send_message_to_agent', { content: reply }));
  return true;
}

/** A model that plays the user. It knows the user's messages, and the brief. */
export class ModelUser implements UserProxy {
  constructor(
    private readonly model: ChatModel,
    private readonly brief: string | null = null,
  ) {}

  async reply(said: readonly ChatTurn[]): Promise<string | null> {
    const first = said.findIndex(({ role }) => role === 'user');
    const task = said.slice(0, Math.max(0, first)).map(({ content }) => content);
    const system = [
      RULES,
      `What you asked for:\n${task.join('\n')}`,
      ...(this.brief ? [`What you know:\n${this.brief}`] : []),
    ];
    const answer = await this.model.answer(
      [{ role: 'system', content: system.join('\n\n') }, ...alternating(said.slice(Math.max(0, first)))],
      { stop: [] },
    );
    // The user's thoughts are not sent.
    const reply = withoutThought(answer.text).text.trim();
    const flaw = flawOf(answer);
    if (reply === '' && flaw !== undefined)
      throw new FormatError(
        `The model in the user’s place said nothing: ${flaw}.`,
        'Name another model for the user, or leave --user out.',
      );
    return reply === '' || /^["'*]*DONE["'*.!]*$/i.test(reply) ? null : reply;
  }
}

const RULES = [
  'You play a person who has an assistant. The assistant works in the apps of your phone and writes to you; you answer it.',
  '- Answer as that person, in one or two sentences. Say nothing but the answer.',
  '- Say only what you have asked for and what you know. Where you do not know, say so and let the assistant decide.',
  '- Do not ask for anything new.',
  '- Where the assistant asks nothing and needs nothing, write DONE.',
].join('\n');

/** Joins consecutive turns of one role, since chat templates require alternating roles. */
function alternating(turns: readonly ChatTurn[]): ChatTurn[] {
  const joined: ChatTurn[] = [];
  for (const { role, content } of turns) {
    const last = joined.at(-1);
    if (last?.role === role) joined[joined.length - 1] = { role, content: `${last.content}\n${content}` };
    else joined.push({ role, content });
  }
  return joined;
}
