// ChatML, the markup of the prompts of the lab's own models (Qwen's and MiniMind's too), and the notation in which environments write what is
// said to any model: prompts.ts writes the same conversation as a model's own template does.

export const START_OF_TURN = '<|im_start|>';
export const END_OF_TURN = '<|im_end|>';
/** Text before a user's words where they open the prompt, and between them and the answer. */
export const BEFORE_USER = `${START_OF_TURN}user\n`;
export const BEFORE_ANSWER = `${END_OF_TURN}\n${START_OF_TURN}assistant\n`;

/** The chat template of the lab's own models: it writes this notation. */
export const CHATML_TEMPLATE =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** A message as chat templates read it: also an assistant's calls of tools, and what a tool has answered. */
export interface TemplateMessage {
  readonly role: ChatMessage['role'] | 'tool';
  readonly content: string;
  readonly tool_calls?: readonly TemplateCall[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

/** A call in a conversation. Templates write its arguments as JSON themselves. */
export interface TemplateCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: unknown };
}

export const turnOf = (role: string, content: string): string => `${START_OF_TURN}${role}\n${content}${END_OF_TURN}\n`;

/** Prompt of a user's words, with the answer begun. */
export const promptOf = (text: string): string => BEFORE_USER + text + BEFORE_ANSWER;

/** Text appended after a turn; one that was cut off is ended first. */
export const promptAfter = (text: string, ended: boolean): string => `${ended ? '' : END_OF_TURN}\n${promptOf(text)}`;

/** A whole conversation, the answer begun. */
export const chatOf = (messages: readonly ChatMessage[]): string =>
  `${messages.map(({ role, content }) => turnOf(role, content)).join('')}${START_OF_TURN}assistant\n`;

/** Stands between two turns. No turn may hold it, so that a text in this notation says one conversation. */
export const BETWEEN_TURNS = `${END_OF_TURN}\n${START_OF_TURN}`;
const NEXT_TURN = /<\|im_end\|>\n<\|im_start\|>(?=(?:system|user|assistant)\n)/;
const ONE_TURN = /^(system|user|assistant)\n([\s\S]*)$/;

/** The messages of a prompt in this notation that ends where the assistant begins; null for a text that is no such prompt. */
export function conversationIn(prompt: string): ChatMessage[] | null {
  if (!prompt.startsWith(START_OF_TURN) || !prompt.endsWith(BEFORE_ANSWER)) return null;
  const turns = prompt.slice(START_OF_TURN.length, -BEFORE_ANSWER.length).split(NEXT_TURN);
  const messages: ChatMessage[] = [];
  for (const turn of turns) {
    const [, role, content] = ONE_TURN.exec(turn) ?? [];
    if (role === undefined) return null;
    messages.push({ role: role as ChatMessage['role'], content });
  }
  return messages;
}

/** Messages that `promptAfter` was made of; null for another text. */
export function followUpIn(text: string): { messages: ChatMessage[]; ended: boolean } | null {
  const ended = !text.startsWith(END_OF_TURN);
  const rest = ended ? text : text.slice(END_OF_TURN.length);
  const messages = rest.startsWith('\n') ? conversationIn(rest.slice(1)) : null;
  return messages && { messages, ended };
}
