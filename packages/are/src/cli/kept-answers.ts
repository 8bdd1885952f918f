// A run's answers, appended to a file beside its trace as they arrive, so a lost server, a Ctrl-C or a kill loses no answer. The same
// command resumes from them: stored answers are not requested again, and the run is identical up to that point.

import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { refuseFile, writeNew } from '@projected-grpo-lab/base/files/new-file.node.ts';
import { RowFile, rowsOf } from '@projected-grpo-lab/base/files/rows.node.ts';
import { contentKey } from '@projected-grpo-lab/base/sha256.ts';
import * as z from 'zod/mini';
import type { ChatModel } from '../chat-model.ts';
import { traceText } from '../scenario/export.ts';
import type { Trace } from '../scenario/schema.ts';

/** A ChatAnswer with the question that it answers. */
const rowSchema = z.object({
  /** Hash of the options, the model and the scenario. */
  made: z.string(),
  /** Hash of the conversation that was answered. */
  asked: z.string(),
  text: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  seconds: z.number(),
  flaw: z.optional(z.string()),
});
const ROWS = rowsOf('are run --trace', rowSchema);

/** Stores a run: its answers as they arrive, and its trace. */
interface KeptRun {
  /** Wraps the model to use and store answers; absent if answers are not stored. */
  readonly through?: (model: ChatModel) => ChatModel;
  /** Must be called when the run is over. */
  finish(trace: Trace): Promise<void>;
}

/**
 * Throws SpecError if the file exists, or if the answers beside it belong to another run.
 * @param hasAnswers whether the model's answers suffice to reproduce the run
 * @param isOwn whether the file's name identifies the run, so that an existing file belongs to it
 */
export async function keptRun(
  path: string,
  made: string,
  hasAnswers: boolean,
  note: (line: string) => void,
  isOwn = false,
): Promise<KeptRun> {
  if (!isOwn) await refuseFile(path, '--trace');
  const write = (trace: Trace) =>
    isOwn ? writeWhole(path, traceText(trace)) : writeNew(path, '--trace', traceText(trace));
  if (!hasAnswers) return { finish: write };
  const file = await RowFile.open(`${path}.answers.jsonl`, ROWS, note);
  if (file.rows.some((row) => row.made !== made))
    throw new SpecError(
      `${file.path} has answers to a run of another scenario, model or other options.`,
      'Name another file, or move that one away.',
    );
  if (file.rows.length > 0) note(`${file.path} has ${file.rows.length} answers of this run: it goes on from there.`);
  let count = 0;
  return {
    through: (model) => ({
      name: model.name,
      async answer(turns, options) {
        const key = await contentKey(turns);
        const known = file.rows[count++];
        if (known && known.asked === key) {
          const { made: _, asked: __, ...answer } = known;
          return answer;
        }
        if (known)
          throw new FormatError(
            `${file.path}:${count} answers another question than this run asks.`,
            'Move the file away: the run is made anew.',
          );
        const answer = await model.answer(turns, options);
        await file.append({ made, asked: key, ...answer });
        return answer;
      },
    }),
    async finish(trace) {
      await write(trace);
      await file.remove();
    },
  };
}
