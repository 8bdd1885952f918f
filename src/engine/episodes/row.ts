// The host side of one episode while it is sampled: its tokens so far, the limit of its turn, and why it ended.

import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import type { FloatArray } from '../../kernels/device.ts';
import type { EpisodeEnd, Generated, SampledEpisode, SampledTurn, TurnBudgets, TurnSpan } from '../types.ts';
import { maskOf } from './episode.ts';

/** Tokens and log-probabilities of the current turns so far, [slots, maxNew]. */
export interface SampledTokens {
  tokens: Uint32Array;
  logps: FloatArray;
}

export class EpisodeRow {
  /** Tokens after the prompt: finished turns and the observations that followed them. */
  private readonly tokens: number[] = [];
  private readonly turns: TurnSpan[] = [];
  private readonly logprobs: Float32Array[] = [];
  /** Number of its tokens in the cache, including pads while a turn lasts. */
  fed = 0;
  /** Tokens sampled in the current turn, pads included; 0 without a turn. */
  sampled = 0;
  /** Most tokens of the current turn. */
  limit: number;
  private end: EpisodeEnd | null = null;

  constructor(
    readonly slot: number,
    /** Index of the episode in the request. */
    readonly episode: number,
    private readonly budgets: TurnBudgets,
  ) {
    this.limit = this.turnLimit();
  }

  /** Number of finished turns. */
  get turn(): number {
    return this.turns.length;
  }

  /** The current turn so far, or the last finished one. */
  currentTurn(current: SampledTokens, maxNew: number, endTokens: readonly number[]): Generated {
    const span = this.turns.at(-1);
    if (this.sampled === 0 && span) {
      return { tokens: this.tokens.slice(span.from, span.to), logprobs: this.logprobs.at(-1)!, ended: span.ended };
    }
    const from = this.slot * maxNew;
    const row = current.tokens.subarray(from, from + this.sampled);
    const end = row.findIndex((id) => endTokens.includes(id));
    const length = end < 0 ? this.sampled : end + 1;
    const logprobs = Float32Array.from(current.logps.subarray(from, from + length));
    return { tokens: Array.from(row.subarray(0, length)), logprobs, ended: end >= 0 };
  }

  /** Ends the turn. Returns it with the number of pads that went through the model after it. */
  close({ tokens, logprobs, ended }: Generated): { turn: SampledTurn; pads: number } {
    const from = this.tokens.length;
    for (const token of tokens) this.tokens.push(token);
    this.turns.push({ from, to: this.tokens.length, ended });
    this.logprobs.push(logprobs);
    // The last sampled token has not been fed, so the turn's own last token has been fed only if pads were sampled after it.
    const pads = Math.max(0, this.fed - this.tokens.length);
    this.fed -= pads;
    this.sampled = 0;
    return { turn: { turn: this.turns.length - 1, tokens, logprobs, ended }, pads };
  }

  /** Ends the episode without asking the environment. */
  stop(): void {
    this.end = this.turns.at(-1)!.ended ? 'stop' : this.cut();
  }

  /** Appends the environment's observation; returns whether another turn begins. */
  goOn(observation: readonly number[] | null): boolean {
    const { ended } = this.turns.at(-1)!;
    if (observation === null) this.end = ended ? 'environment' : this.cut();
    else if (observation.length === 0 && (ended || this.budgets.firstTurn === undefined)) {
      throw new ShapeError(
        `turn ${this.turn} of episode ${this.episode} was answered with an observation of no tokens`,
        'Show the model one token at least, or end the episode with null.',
      );
    } else if (this.tokens.length + observation.length >= this.budgets.maxTokens) this.end = 'maxTokens';
    else if (this.turn === this.budgets.maxTurns) this.end = 'maxTurns';
    else {
      for (const token of observation) this.tokens.push(token);
      this.limit = this.turnLimit();
      return true;
    }
    return false;
  }

  /** Returns the tokens that are not in the cache yet: the observation, preceded by the turn's last token if that was not fed
   *  (`own`: 1, otherwise 0). Marks them as fed and the next turn's first token as sampled. */
  unfed(): { slot: number; at: number; tokens: number[]; own: number } {
    const own = this.turns.at(-1)!.to - this.fed;
    const part = { slot: this.slot, at: this.fed, tokens: this.tokens.slice(this.fed), own };
    this.fed = this.tokens.length;
    this.sampled = 1;
    return part;
  }

  /** The finished episode. */
  result(): SampledEpisode {
    const logprobs = new Float32Array(this.logprobs.reduce((sum, row) => sum + row.length, 0));
    let at = 0;
    for (const row of this.logprobs) {
      logprobs.set(row, at);
      at += row.length;
    }
    const { tokens, turns } = this;
    return { tokens, mask: maskOf(turns, tokens.length), logprobs, turns, ended: this.end! };
  }

  private turnLimit(): number {
    const { maxNew, maxTokens, firstTurn = maxNew } = this.budgets;
    return Math.min(this.turn === 0 ? firstTurn : maxNew, maxNew, maxTokens - this.tokens.length);
  }

  /** The budget that truncated the last turn. */
  private cut(): EpisodeEnd {
    return this.limit < this.budgets.maxNew ? 'maxTokens' : 'maxNew';
  }
}
