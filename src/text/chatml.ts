// ChatML is the markup of the prompts of the lab's own models (and of Qwen's and MiniMind's). Environments write the prompts of every model
// in it: it is called "the lab's notation" elsewhere, and prompts.ts turns it into the text of a model's own chat template.

export const START_OF_TURN = '<|im_start|>';
export const END_OF_TURN = '<|im_end|>';
/** The text before a user's message that opens a prompt. */
export const BEFORE_USER = `${START_OF_TURN}user\n`;
export const BEFORE_ANSWER = `${END_OF_TURN}\n${START_OF_TURN}assistant\n`;

/** The chat template of the lab's own models, which writes this notation. */
export const CHATML_TEMPLATE =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** A message as chat templates read it, which may also be an assistant's tool calls or a tool's answer. */
export interface TemplateMessage {
  readonly role: ChatMessage['role'] | 'tool';
  readonly content: string;
  readonly tool_calls?: readonly TemplateCall[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

/** A tool call in a conversation. Templates themselves write its arguments as JSON. */
export interface TemplateCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: unknown };
}

export const turnOf = (role: string, content: string): string => `${START_OF_TURN}${role}\n${content}${END_OF_TURN}\n`;

/** The prompt of a single user message, ending with the header of the assistant's turn. */
export const promptOf = (text: string): string => BEFORE_USER + text + BEFORE_ANSWER;

/** The text that follows an answer to ask the next user message; an answer that was cut off (`ended` false) is ended first. */
export const promptAfter = (text: string, ended: boolean): string => `${ended ? '' : END_OF_TURN}\n${promptOf(text)}`;

/** The prompt of a whole conversation, ending with the header of the assistant's turn. */
export const chatOf = (messages: readonly ChatMessage[]): string =>
  `${messages.map(({ role, content }) => turnOf(role, content)).join('')}${START_OF_TURN}assistant\n`;

/** The text between two turns. No turn may contain it, so that a text in this notation can be read as one conversation only. */
export const BETWEEN_TURNS = `${END_OF_TURN}\n${START_OF_TURN}`;
const NEXT_TURN = /<\|im_end\|>\n<\|im_start\|>(?=(?:system|user|assistant)\n)/;
const ONE_TURN = /^(system|user|assistant)\n([\s\S]*)$/;

/** The messages of a prompt in this notation that ends with the header of the assistant's turn; null for any other text. */
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

/** The inverse of `promptAfter`; null for any other text. */
export function followUpIn(text: string): { messages: ChatMessage[]; ended: boolean } | null {
  const ended = !text.startsWith(END_OF_TURN);
  const rest = ended ? text : text.slice(END_OF_TURN.length);
  const messages = rest.startsWith('\n') ? conversationIn(rest.slice(1)) : null;
  return messages && { messages, ended };
}
