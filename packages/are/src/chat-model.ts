// A chat model as agents use it. The host decides where it runs (the lab's engine, or a server that the user names).

export interface ChatTurn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface ChatAnswer {
  /** Text before the first stop sequence. */
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Seconds of the host's clock, which runs with measured generation time charge. */
  readonly seconds: number;
  /** Why the answer is incomplete (cut off, no content), as part of a sentence; absent if it is complete. */
  readonly flaw?: string;
}

export interface ChatModel {
  readonly name: string;
  /** Throws PromptTooLong if the conversation does not fit into the context. */
  answer(turns: readonly ChatTurn[], options: { readonly stop: readonly string[] }): Promise<ChatAnswer>;
}

/** An agent's run fails when its conversation outgrows the model's context; that is no error of the program. */
export class PromptTooLong extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'PromptTooLong';
  }
}

/** A run's use of its model. */
export interface ModelUsage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Number of answers without a readable action. */
  readonly formatErrors: number;
}

/** Removes the thought, text in `<think>`, from a model's answer. `isEndless`: the thought is not closed. */
export function withoutThought(text: string): { text: string; isEndless: boolean } {
  const end = text.lastIndexOf(THOUGHT_END);
  const rest = end < 0 ? text : text.slice(end + THOUGHT_END.length).replace(/^\n+/, '');
  return /^\s*<think>/.test(rest) ? { text: '', isEndless: true } : { text: rest, isEndless: false };
}
const THOUGHT_END = '</think>';

/** Why an answer is incomplete; undefined if it is complete. */
export const flawOf = ({ text, flaw }: Pick<ChatAnswer, 'text' | 'flaw'>): string | undefined =>
  flaw ?? (withoutThought(text).isEndless ? ENDLESS_THOUGHT : undefined);
export const ENDLESS_THOUGHT = 'its thought (<think>) has no end, and no answer comes after it';

/** Cuts a text at its first stop sequence, for servers and engines without stop sequences. */
export function cutAt(text: string, stops: readonly string[]): string {
  const found = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  return found.length > 0 ? text.slice(0, Math.min(...found)) : text;
}
