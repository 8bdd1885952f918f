// `grade`: verdicts on completions that lie in a file, one JSON object a line: {"problem": CodeProblem, "completion": text},
// or {"problem_id": "family(p1,p2)@mode", "completion": text} for a problem of this environment (rows of a teacher pool and
// kept rollouts have that shape).
import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { FAMILIES, identityOf } from '../environments/code/families/index.ts';
import { createNodeGrader } from '../environments/code/grader/node-grader.node.ts';
import { DATA_SEED, makeProblem } from '../environments/code/problem.ts';
import type { Identity } from '../environments/code/split.ts';
import { type CodeProblem, type Grade, type GradeItem, MODES } from '../environments/code/types.ts';
import { FormatError } from '../lib/errors.ts';
import { integer, parseArgs, toggle } from './args.ts';
import { type Command, EXIT } from './command.ts';
import { renderTable } from './table.ts';

const usage = {
  name: 'grade',
  summary:
    'Grades completions with real Python: the mode’s foolable grade, the strict oracle, the structural detector.',
  positional: ['FILE.jsonl'],
  flags: {
    json: toggle('Print one verdict a line as JSON, in the order of the file.'),
    'data-seed': integer('Data seed that problems named by id belong to.', DATA_SEED),
    workers: integer('Sandboxes at a time.', 2, 1, 64),
  },
  notes:
    'Each line: {"problem": {…}, "completion": "…"}; `problem` as the lab writes it (mode, starter, entry, visible, held, …).',
} as const;

const TestCases = z.array(z.object({ args: z.array(z.json()), expected: z.json() }));
const Problem = z.object({
  id: z.string(),
  family: z.string(),
  params: z.array(z.union([z.number(), z.string()])),
  signature: z.string(),
  mode: z.enum([...MODES, 'honest']),
  description: z.string(),
  starter: z.string(),
  entry: z.string(),
  prompt: z.string(),
  visible: TestCases,
  held: TestCases,
  solution: z.string(),
});
const Line = z.union([
  z.object({ problem: Problem, completion: z.string() }),
  z.object({ problem_id: z.string(), completion: z.string() }),
  z.object({ problemId: z.string(), completion: z.string() }),
]);

export const grade: Command = {
  usage,
  async run(argv, { out, progress, signal }) {
    const { flags, positional } = parseArgs(usage, argv);
    const items = await readItems(positional[0], flags['data-seed']);
    const grader = await createNodeGrader({ workers: flags.workers });
    try {
      const chunk = 64;
      const grades: Grade[] = [];
      for (let from = 0; from < items.length; from += chunk) {
        grades.push(...(await grader.grade(items.slice(from, from + chunk), signal)));
        progress.update('grading', grades.length, items.length);
      }
      progress.end();
      if (flags.json) {
        for (const [i, verdict] of grades.entries()) out(JSON.stringify({ id: items[i].problem.id, ...verdict }));
        return EXIT.ok;
      }
      const groups = new Map<string, Grade[]>();
      for (const [i, verdict] of grades.entries()) {
        const { mode } = items[i].problem;
        groups.set(mode, [...(groups.get(mode) ?? []), verdict]);
      }
      const share = (of: readonly Grade[], what: (g: Grade) => boolean) =>
        `${((100 * of.filter(what).length) / of.length).toFixed(1)}%`;
      const row = (name: string, of: readonly Grade[]) => [
        name,
        String(of.length),
        share(of, (g) => g.formatOk),
        share(of, (g) => g.passed),
        share(of, (g) => g.gtCorrect),
        share(of, (g) => g.exploited),
        share(of, (g) => g.structural),
      ];
      const titles = ['n', 'format', 'passed', 'solved', 'hack', 'structural'].map((title) => ({ title, right: true }));
      out(
        renderTable(
          [{ title: 'mode' }, ...titles],
          [...[...groups].map(([mode, of]) => row(mode, of)), row('all', grades)],
        ),
      );
      out(`grader ${grader.version}`);
      return EXIT.ok;
    } finally {
      await grader.close();
    }
  },
};

async function readItems(path: string, dataSeed: number): Promise<GradeItem[]> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    throw new FormatError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, 'Check the path.');
  }
  const items = content.split('\n').flatMap((line, i): GradeItem[] => {
    if (line.trim() === '') return [];
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw new FormatError(`${path}:${i + 1} is not JSON: ${line.slice(0, 60)}`, 'Write one JSON object a line.');
    }
    const parsed = Line.safeParse(value);
    if (!parsed.success) throw new FormatError(`${path}:${i + 1}: ${z.prettifyError(parsed.error)}`, usage.notes);
    const item = parsed.data;
    if ('problem' in item) return [item as GradeItem];
    const id = 'problem_id' in item ? item.problem_id : item.problemId;
    const problem = problemById(id, dataSeed);
    if (!problem)
      throw new FormatError(
        `${path}:${i + 1}: there is no problem ${JSON.stringify(id.slice(0, 80))}.`,
        'Ids look like clamp(2,9)@sentinel.',
      );
    return [{ problem, completion: item.completion }];
  });
  if (items.length === 0) throw new FormatError(`${path} holds no completions.`, usage.notes);
  return items;
}

let identities: Map<string, Identity> | undefined;

/** `family(p1,p2)@mode` → the problem, or null. */
function problemById(id: string, dataSeed: number): CodeProblem | null {
  if (!identities) {
    identities = new Map();
    for (const family of FAMILIES) {
      for (const params of family.space) identities.set(identityOf(family, params), { family, params });
    }
  }
  const at = id.lastIndexOf('@');
  const found = identities.get(id.slice(0, at));
  const mode = ([...MODES, 'honest'] as const).find((name) => name === id.slice(at + 1));
  return found && mode ? makeProblem(found.family, found.params, mode, dataSeed) : null;
}
