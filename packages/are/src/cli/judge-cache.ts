// A cache on disk of a model's answers as a judge: the same question to the same judge with the same settings is not asked again. A row's
// key includes everything that affects the answer, with the question's words, so another judge or other prompts never match.

import { RowFile, rowsOf } from '@projected-grpo-lab/base/files/rows.node.ts';
import { contentKey } from '@projected-grpo-lab/base/sha256.ts';
import * as z from 'zod/mini';
import type { ChatTurn } from '../chat-model.ts';
import type { SoftModel } from '../verifier/answer-book.ts';
import { questionTurns, subtaskTurns } from '../verifier/soft-prompts.ts';

const rowSchema = z.object({
  /** Hash of the judge: its model, server and settings. */
  judge: z.string(),
  /** Hash of the judge and the question. */
  asked: z.string(),
  /** A verdict (null if none was clear), or a part of a task. */
  answer: z.union([z.boolean(), z.null(), z.string()]),
});
type VerdictRow = z.infer<typeof rowSchema>;
type JudgeAnswer = VerdictRow['answer'];

const ROWS = rowsOf('--judge-cache', rowSchema);

export class JudgeCache implements SoftModel {
  /** Answers by question; a pending question is not asked again. */
  private readonly answers = new Map<string, Promise<JudgeAnswer>>();
  private readonly others: number;
  private hits = 0;
  private asked = 0;

  private constructor(
    private readonly file: RowFile<VerdictRow>,
    private readonly judgeKey: string,
    private readonly model: SoftModel,
  ) {
    const own = file.rows.filter(({ judge }) => judge === judgeKey);
    for (const row of own) this.answers.set(row.asked, Promise.resolve(row.answer));
    this.others = file.rows.length - own.length;
  }

  /** @param settings everything besides the question that affects an answer. Throws FormatError, DamagedError, InUseError, StorageError. */
  static async open(
    path: string,
    settings: Readonly<Record<string, string | number | null>>,
    model: SoftModel,
    note: (line: string) => void,
  ): Promise<JudgeCache> {
    const key = await contentKey(Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1)));
    return new JudgeCache(await RowFile.open(path, ROWS, note), key, model);
  }

  async judge(question: Parameters<SoftModel['judge']>[0]): Promise<boolean | null> {
    return (await this.answered(questionTurns(question), () => this.model.judge(question))) as boolean | null;
  }

  async subtask(question: Parameters<SoftModel['subtask']>[0]): Promise<string> {
    return (await this.answered(subtaskTurns(question), () => this.model.subtask(question))) as string;
  }

  /** A sentence with the number of reused answers. */
  get summary(): string {
    const { hits, asked, others, file } = this;
    const rest = others === 0 ? '' : ` ${others} rows there are of other judges or settings.`;
    return `The judge had ${hits + asked} questions: ${hits} answered from ${file.path}, ${asked} asked.${rest}`;
  }

  private async answered(turns: readonly ChatTurn[], ask: () => Promise<JudgeAnswer>): Promise<JudgeAnswer> {
    const key = await contentKey([this.judgeKey, turns]);
    const known = this.answers.get(key);
    if (known) {
      this.hits++;
      return known;
    }
    const answer = ask().then(async (said) => {
      this.asked++;
      await this.file.append({ judge: this.judgeKey, asked: key, answer: said });
      return said;
    });
    this.answers.set(key, answer);
    // A failed question may be asked again.
    answer.catch(() => this.answers.delete(key));
    return answer;
  }
}
