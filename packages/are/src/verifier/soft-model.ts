// A chat model as the soft judge: it gets the prompts of soft-prompts.ts, once or several times, and the votes are counted.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { type ChatModel, flawOf, withoutThought } from '../chat-model.ts';
import type { SoftModel } from './answer-book.ts';
import type { SoftEngine, SoftQuestion } from './soft.ts';
import { questionTurns, subtaskTurns, verdictIn } from './soft-prompts.ts';

/** The error for a judge whose answer is incomplete. */
export const noAnswer = (flaw: string): FormatError =>
  new FormatError(
    `The judge gave no verdict: ${flaw}.`,
    'Give it more tokens (--judge-tokens), or name another judge.',
  );

export class ChatSoftModel implements SoftModel {
  /** Number of questions to the model. */
  asked = 0;
  /** Answers without a verdict. */
  unclear = 0;

  /** @param votes answers to each question; a tie accepts, and without any clear answer there is no verdict */
  constructor(
    private readonly model: ChatModel,
    private readonly votes = 1,
  ) {}

  async judge(question: SoftQuestion): Promise<boolean | null> {
    const turns = questionTurns(question);
    let balance = 0;
    let clear = 0;
    let flawed: string | undefined;
    for (let vote = 0; vote < this.votes; vote++) {
      const answer = await this.model.answer(turns, { stop: [] });
      this.asked++;
      const verdict = verdictIn(answer.text);
      if (verdict === null) flawed ??= flawOf(answer);
      if (verdict === null) this.unclear++;
      else {
        clear++;
        balance += verdict ? 1 : -1;
      }
    }
    // An answer that a server left out is not a verdict, and must not count as one.
    if (clear === 0 && flawed !== undefined) throw noAnswer(flawed);
    return clear === 0 ? null : balance >= 0;
  }

  async subtask(question: Parameters<SoftEngine['subtask']>[0]): Promise<string> {
    const answer = await this.model.answer(subtaskTurns(question), { stop: [] });
    this.asked++;
    const flaw = flawOf(answer);
    if (flaw !== undefined) throw noAnswer(flaw);
    return withoutThought(answer.text).text.trim();
  }
}
