// A chat model as the soft judge: it is asked by soft-prompts.ts, once or several times, and the votes are counted.
import type { ChatModel } from '../chat-model.ts';
import type { SoftModel } from './answer-book.ts';
import type { SoftEngine, SoftQuestion } from './soft.ts';
import { questionTurns, subtaskTurns, verdictIn } from './soft-prompts.ts';

export class ChatSoftModel implements SoftModel {
  /** Questions put to the model. */
  asked = 0;
  /** Answers without a verdict. */
  unclear = 0;

  /** @param votes answers to each question; a tie accepts, and no clear answer at all is none */
  constructor(
    private readonly model: ChatModel,
    private readonly votes = 1,
  ) {}

  async judge(question: SoftQuestion): Promise<boolean | null> {
    const turns = questionTurns(question);
    let balance = 0;
    let clear = 0;
    for (let vote = 0; vote < this.votes; vote++) {
      this.asked++;
      const verdict = verdictIn((await this.model.answer(turns, { stop: [] })).text);
      if (verdict === null) this.unclear++;
      else {
        clear++;
        balance += verdict ? 1 : -1;
      }
    }
    return clear === 0 ? null : balance >= 0;
  }

  async subtask(question: Parameters<SoftEngine['subtask']>[0]): Promise<string> {
    this.asked++;
    return (await this.model.answer(subtaskTurns(question), { stop: [] })).text.trim();
  }
}
