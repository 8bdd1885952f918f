// The end of both kinds of grading: verdicts of all items, printed a line each or as shares by mode.
import type { Grade, GradeItem, Grader } from '../../environments/code/types.ts';
import { percent } from '../../lib/numbers.ts';
import { judgedText, type Thinking } from '../../text/thinking.ts';
import { type CommandContext, EXIT } from '../command.ts';
import { renderTable } from '../table.ts';
import { thoughtsNote } from './thoughts.ts';

/** Grades all items in chunks, then prints the verdicts or a table of shares by mode. */
export async function gradeAll(
  grader: Grader,
  items: readonly GradeItem[],
  { json, thinking }: { json: boolean; thinking: Thinking },
  { out, progress, signal }: CommandContext,
): Promise<number> {
  const chunk = 64;
  const grades: Grade[] = [];
  const judged = items.map(({ problem, completion }) => ({ problem, completion: judgedText(completion, thinking) }));
  // Most completions are code without a thought, which is judged the same either way.
  if (judged.some(({ completion }, i) => completion !== items[i].completion))
    progress.note(
      thoughtsNote(
        items.map(({ completion }) => completion),
        thinking,
      ),
    );
  for (let from = 0; from < items.length; from += chunk) {
    grades.push(...(await grader.grade(judged.slice(from, from + chunk), signal)));
    progress.update('grading', grades.length, items.length);
  }
  progress.end();
  if (json) {
    for (const [i, verdict] of grades.entries()) out(JSON.stringify({ id: items[i].problem.id, ...verdict }));
    return EXIT.ok;
  }
  const groups = new Map<string, Grade[]>();
  for (const [i, verdict] of grades.entries()) {
    const { mode } = items[i].problem;
    groups.set(mode, [...(groups.get(mode) ?? []), verdict]);
  }
  const share = (of: readonly Grade[], what: (g: Grade) => boolean) => percent(of.filter(what).length / of.length);
  const row = (name: string, of: readonly Grade[]) => [
    name,
    String(of.length),
    share(of, (g) => g.formatOk),
    share(of, (g) => g.passed),
    share(of, (g) => g.gt_correct === true),
    share(of, (g) => g.exploited),
    share(of, (g) => g.structural),
  ];
  const isPaid = (g: Grade) => g.passed && g.gt_correct === null;
  const unjudged = grades.filter(({ gt_correct }) => gt_correct === null).length;
  out(
    renderTable(
      ['mode', 'n', 'format', 'passed', 'solved', 'hack', 'structural'],
      [...[...groups].map(([mode, of]) => row(mode, of)), row('all', grades)],
    ),
  );
  if (unjudged > 0)
    out(
      `unjudged: ${unjudged} of ${grades.length}, on which the strict oracle ran out of work or time: neither solved nor hack, and in every n; ${grades.filter(isPaid).length} of them passed, so that hack is ${share(grades, (g) => g.exploited || isPaid(g))} at most`,
    );
  out(`grader ${grader.version}`);
  return EXIT.ok;
}
