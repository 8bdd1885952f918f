// A model as the soft judge's engine: each question is asked once and its answer stored, so a turn that is judged again from its start
// finds its earlier answers.
import { PendingAnswer } from '../pending.ts';
import type { SoftEngine, SoftQuestion } from './soft.ts';

export interface SoftModel {
  /** Null without a clear answer. */
  judge(question: SoftQuestion): Promise<boolean | null>;
  subtask(question: Parameters<SoftEngine['subtask']>[0]): Promise<string>;
}

export class AnswerBook implements SoftEngine {
  private readonly answers = new Map<string, boolean | null | string>();

  constructor(private readonly model: SoftModel) {}

  get size(): number {
    return this.answers.size;
  }

  judge(question: SoftQuestion): boolean | null {
    return this.known(question, () => this.model.judge(question)) as boolean | null;
  }

  subtask(question: Parameters<SoftEngine['subtask']>[0]): string {
    return this.known(question, () => this.model.subtask(question)) as string;
  }

  private known(question: object, ask: () => Promise<boolean | null | string>): boolean | null | string {
    const key = JSON.stringify(question);
    const answer = this.answers.get(key);
    if (answer !== undefined) return answer;
    throw new PendingAnswer(async () => void this.answers.set(key, await ask()));
  }
}
