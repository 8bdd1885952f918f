// An agent in the compact language, played by a folder's model: observations and actions are one token sequence that grows, as in the
// environment that trained it (environments/agents). The agent stops where the model has no room or calls left, or writes too many
// invalid actions in a row.

import type { Agent, AgentAction, AgentView, Exchange } from '@projected-grpo-lab/are/agents/types.ts';
import { Book } from '@projected-grpo-lab/are/language/book.ts';
import type { Dialect } from '@projected-grpo-lab/are/language/dialect.ts';
import { decodeAction } from '@projected-grpo-lab/are/language/language.ts';
import { shownView } from '@projected-grpo-lab/are/language/observation.ts';
import { LanguageError } from '@projected-grpo-lab/are/language/values.ts';
import type { Generated, GenerateRequest } from '../../engine/types.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { promptAfter, promptOf } from '../../text/chatml.ts';
import type { TextCodec } from '../../text/codec.ts';
import { judgedText, opensThoughtIn, type Thinking } from '../../text/thinking.ts';
import { yieldToEvents } from '../drain.ts';

/** Most tokens of an action; every valid one has fewer. */
const LONGEST = 48;
/** Most invalid actions in a row. */
const PATIENCE = 8;

export interface LanguageModelParts {
  /** Throws ShapeError where prompt and answer do not fit. */
  readonly generate: (request: GenerateRequest) => Promise<Generated[]>;
  readonly codec: TextCodec;
  readonly positions: number;
  readonly dialect: Dialect;
  readonly temperature: number;
  /** Whether thoughts are cut off the model's text before an action is read; they are kept where absent. */
  readonly thinking?: Thinking;
  /** Most calls to the model in all. */
  readonly maxCalls: number;
  readonly signal?: AbortSignal;
}

export class LanguageAgent implements Agent {
  readonly name = 'language';
  readonly exchanges: Exchange[] = [];
  readonly spent = { calls: 0, inputTokens: 0, outputTokens: 0 };
  /** Why the agent has stopped; null while it goes on. */
  failure: string | null = null;
  private readonly book: Book;
  private ids: number[] = [];
  private ended = true;
  private place = -1;

  constructor(
    private readonly parts: LanguageModelParts,
    private readonly seed: number,
  ) {
    this.book = new Book(parts.dialect);
  }

  async act(view: AgentView): Promise<{ action: AgentAction }> {
    this.place++;
    let shown = shownView(view, this.book);
    for (let refused = 0; this.failure === null && refused < PATIENCE; refused++) {
      const before = { ...this.spent };
      const text = await this.answer(shown);
      if (text === null) break;
      const { inputTokens, outputTokens } = this.spent;
      const exchange = {
        act: this.place,
        time: view.now,
        input: [{ role: 'user', content: shown }],
        output: text,
        seconds: 0,
        inputTokens: inputTokens - before.inputTokens,
        outputTokens: outputTokens - before.outputTokens,
      };
      try {
        const action = { kind: 'call' as const, ...decodeAction(text.trim(), this.book, view.apps) };
        this.exchanges.push({ ...exchange, fault: null });
        return { action };
      } catch (error) {
        if (!(error instanceof LanguageError)) throw error;
        shown = `error: ${error.fault}`;
        this.exchanges.push({ ...exchange, fault: { kind: error.fault, message: error.message } });
      }
    }
    this.failure ??= `said ${PATIENCE} times in a row what is no action`;
    return { action: { kind: 'idle' } };
  }

  /** Null where there is no room for another answer. */
  private async answer(shown: string): Promise<string | null> {
    const { generate, codec, positions, temperature, maxCalls, signal } = this.parts;
    this.ids.push(...codec.encodeChat(this.ids.length === 0 ? promptOf(shown) : promptAfter(shown, this.ended)));
    const room = Math.min(LONGEST, positions - this.ids.length);
    if (room < 1 || this.spent.calls >= maxCalls) {
      this.failure =
        room < 1 ? `an episode of ${this.ids.length} tokens, more than the model has positions` : 'asked too often';
      return null;
    }
    const [answer] = await generate({
      prompts: [this.ids],
      sequences: [{ prompt: 0, key: keyFor(this.seed, STREAMS.evaluation, this.spent.calls, 1) }],
      maxNew: room,
      temperature,
      endTokens: codec.endTokens,
      signal,
      breathe: yieldToEvents,
    });
    const { tokens = [], ended = false } = answer ?? {};
    this.spent.calls++;
    this.spent.inputTokens += this.ids.length;
    this.spent.outputTokens += tokens.length;
    const isOpened = opensThoughtIn(codec, this.ids);
    this.ids.push(...tokens);
    this.ended = ended;
    const text = codec.decode(ended ? tokens.slice(0, -1) : tokens);
    return judgedText(text, this.parts.thinking ?? 'keep', isOpened);
  }
}
