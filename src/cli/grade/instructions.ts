// `grade --instructions`: responses to prompts whose instructions are checked by rules. Every line is read and checked before the first is
// graded.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import {
  Answered,
  openCheckers,
  readRow,
  type Scores,
  scoresOf,
  type Verdicts,
} from '../../environments/instructions/check.ts';
import { percent } from '../../lib/numbers.ts';
import { answerIn, type Thinking } from '../../text/thinking.ts';
import { type CommandContext, EXIT } from '../command.ts';
import { renderTable } from '../table.ts';
import { readLines } from './lines.ts';
import { thoughtsNote } from './thoughts.ts';

export async function gradeInstructions(
  path: string,
  { json, thinking }: { json: boolean; thinking: Thinking },
  { out, progress, signal }: CommandContext,
): Promise<number> {
  const rows = (await readLines(path)).map(({ value, where }) => ({ row: readRow(Answered, value, where), where }));
  if (rows.length === 0) throw new FormatError(`${path} holds no responses.`, 'Give a response a line.');
  const checkers = await openCheckers(rows.map(({ row: asked, where }) => ({ asked, where })));
  const verdicts: Verdicts[] = [];
  try {
    for (const [i, { row }] of rows.entries()) {
      signal.throwIfAborted();
      verdicts.push(checkers[i].judge(thinking === 'strip' ? (row.judged ?? answerIn(row.response)) : row.response));
      progress.update('grading', i + 1, rows.length);
    }
  } finally {
    progress.end();
  }
  progress.note(
    thoughtsNote(
      rows.map(({ row }) => row.response),
      thinking,
    ),
  );
  if (json) for (const [i, verdict] of verdicts.entries()) out(JSON.stringify({ key: rows[i].row.key, ...verdict }));
  else out(scoreTable(scoresOf(verdicts)));
  return EXIT.ok;
}

/** The four scores, with the counts behind them. */
export function scoreTable({ prompts, instructions, prompt, instruction }: Scores): string {
  return renderTable(
    ['level', 'n', 'strict', 'loose'],
    [
      ['prompt', String(prompts), percent(prompt.strict), percent(prompt.loose)],
      ['instruction', String(instructions), percent(instruction.strict), percent(instruction.loose)],
    ],
  );
}
