// The agent of the compact language in a watched run: a text model writes one action after another, given everything that it was shown and wrote so far.
// A given action (an edit, or one of an earlier run) replaces the model's own as if the model had written it, without a call to the model.

import type { ImposedAct } from '@projected-grpo-lab/are/agents/given.ts';
import type { Agent, AgentAction, AgentView } from '@projected-grpo-lab/are/agents/types.ts';
import { type ModelUsage, PromptTooLong } from '@projected-grpo-lab/are/chat-model.ts';
import { Book } from '@projected-grpo-lab/are/language/book.ts';
import { type Dialect, FIRST, SECOND } from '@projected-grpo-lab/are/language/dialect.ts';
import { type CompactCall, decodeAction, encodeAction, jsonOf } from '@projected-grpo-lab/are/language/language.ts';
import { shownView } from '@projected-grpo-lab/are/language/observation.ts';
import { LanguageError } from '@projected-grpo-lab/are/language/values.ts';
import type { App } from '@projected-grpo-lab/are/types.ts';
import { promptAfter, promptOf } from '../../text/chatml.ts';
import { MOST_COMPOSED_TURNS, MOST_TURNS } from './task.ts';

/** Dialect and turn limit of the lab's own agents, by model. */
export const OWN_AGENTS = {
  'tiny-agent': { dialect: FIRST, mostTurns: MOST_TURNS },
  'tiny-agent-forms': { dialect: SECOND, mostTurns: MOST_COMPOSED_TURNS },
} as const satisfies Record<string, { dialect: Dialect; mostTurns: number }>;
export type OwnAgent = keyof typeof OWN_AGENTS;

export interface WritingModel {
  readonly name: string;
  /** Continues the text, which has chat markup. Throws PromptTooLong if it does not fit. */
  write(prompt: string): Promise<{ text: string; inputTokens: number; outputTokens: number }>;
}

export class LanguageAgent implements Agent {
  readonly name: string;
  /** Why it gave up; null if it did not. */
  failure: string | null = null;
  private readonly book: Book;
  private text = '';
  private place = 0;
  private counted = { calls: 0, inputTokens: 0, outputTokens: 0, formatErrors: 0 };

  constructor(
    private readonly model: WritingModel,
    private readonly given: ImposedAct = () => null,
    private readonly how: { dialect: Dialect; mostTurns: number } = OWN_AGENTS['tiny-agent'],
  ) {
    this.name = model.name;
    this.book = new Book(how.dialect);
  }

  get spent(): ModelUsage {
    return this.counted;
  }

  async act(view: AgentView): Promise<{ action: AgentAction }> {
    const own = this.given(this.place++);
    if (own?.kind === 'idle' || this.failure !== null) return IDLE;
    let shown = shownView(view, this.book);
    for (;;) {
      // The previous turn's end token is not part of its text.
      this.text = this.text === '' ? promptOf(shown) : this.text + promptAfter(shown, false);
      if (own) {
        this.text += written(own, this.book, view.apps);
        return { action: own };
      }
      const answer = await this.ask();
      if (answer === null) return IDLE;
      this.text += answer;
      try {
        return { action: { kind: 'call', ...decodeAction(answer.trim(), this.book, view.apps) } };
      } catch (error) {
        if (!(error instanceof LanguageError)) throw error;
        this.counted.formatErrors++;
        shown = `error: ${error.fault}`;
      }
    }
  }

  /** Returns null if the agent gives up. */
  private async ask(): Promise<string | null> {
    if (this.counted.calls >= this.how.mostTurns) {
      this.failure = `It was asked ${this.how.mostTurns} times, as often as in its training.`;
      return null;
    }
    try {
      const { text, inputTokens, outputTokens } = await this.model.write(this.text);
      this.counted.calls++;
      this.counted.inputTokens += inputTokens;
      this.counted.outputTokens += outputTokens;
      return text;
    } catch (error) {
      if (!(error instanceof PromptTooLong)) throw error;
      this.failure = error.message;
      return null;
    }
  }
}

const IDLE = { action: { kind: 'idle' } } as const;

function written(call: CompactCall, book: Book, apps: readonly App[]): string {
  try {
    return encodeAction(call, book, apps);
  } catch (error) {
    // An action that the language cannot express stays as JSON.
    if (!(error instanceof LanguageError)) throw error;
    return jsonOf(call);
  }
}
