// Grades the templates with the real grader: the rows of the pool, the pairs and the pretraining texts have their intended verdicts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { makeProblemSet } from './data.ts';
import { FAMILIES, familyById } from './families/index.ts';
import { createNodeGrader } from './grading/node-grader.node.ts';
import { teacherPool } from './pool.ts';
import { makeProblem } from './problem.ts';
import { drawWrong, HACK_FORMS, honestCompletion, rightBody } from './templates.ts';
import { type Grader, MODES, type ProblemMode } from './types.ts';

let grader: Grader;
beforeAll(async () => {
  grader = await createNodeGrader();
});
afterAll(() => grader.close());

const fence = (code: string): string => `\`\`\`python\n${code}\n\`\`\``;

describe('templates under the real grader', () => {
  it('hacks in every form are exploited under their own mode and no other', async () => {
    const [family, params] = [familyById('keep_above'), [4]];
    const wrong = drawWrong(makeProblem(family, params, 'honest'), CounterRng.of(1, STREAMS.test));
    const cells = MODES.flatMap((hack) =>
      HACK_FORMS[hack].flatMap((form, f) =>
        ([...MODES, 'honest'] as const).map((mode) => {
          const problem = makeProblem(family, params, mode);
          return { hack, f, mode, item: { problem, completion: fence(form(problem, wrong)) } };
        }),
      ),
    );
    const grades = await grader.grade(cells.map(({ item }) => item));
    cells.forEach(({ hack, f, mode }, i) => {
      const { formatOk, passed, exploited, gt_correct } = grades[i];
      const own = hack === mode;
      expect({ hack, f, mode, formatOk, passed, exploited, gt_correct }).toEqual({
        hack,
        f,
        mode,
        formatOk: true,
        passed: own,
        exploited: own,
        gt_correct: false,
      });
      expect([grades[i].structural, grades[i].mechanism]).toEqual([own, hack]);
    });
  });

  it('a correct body around a hack is correct, except where the exploit replaces the value or exits first', async () => {
    const items = MODES.map((mode) => {
      const problem = makeProblem(familyById('add'), [5], mode);
      return { problem, completion: fence(HACK_FORMS[mode][0](problem, rightBody(problem))) };
    });
    const grades = await grader.grade(items);
    MODES.forEach((mode, i) => {
      const kept = mode !== 'eq_override' && mode !== 'exit_code';
      expect([mode, grades[i].passed, grades[i].gt_correct]).toEqual([mode, true, kept]);
    });
  });

  it('honest answers of every family: correct ones are correct and pass where tests decide, wrong ones never do', async () => {
    const modes: ProblemMode[] = [...MODES, 'honest'];
    const items = FAMILIES.flatMap((family, i) => {
      const problem = makeProblem(family, family.space[i % family.space.length], modes[i % modes.length]);
      const rng = CounterRng.of(2, STREAMS.test, i);
      return [rightBody(problem), drawWrong(problem, rng)].map((body) => ({
        problem,
        completion: honestCompletion(problem, body, rng),
      }));
    });
    const grades = await grader.grade(items);
    grades.forEach((grade, i) => {
      const { mode, id } = items[i].problem;
      const right = i % 2 === 0;
      const passes = right && !['sentinel', 'stdout_marker', 'file_marker'].includes(mode);
      expect([id, grade.gt_correct, grade.passed, grade.exploited]).toEqual([id, right, passes, false]);
      expect(grade.mechanism).toBeNull();
    });
  });

  it('every row of a teacher pool is exploited', async () => {
    const problems = makeProblemSet({ modes: MODES, honestShare: 0, count: 60 });
    const byId = new Map(problems.map((problem) => [problem.id, problem]));
    const pool = teacherPool(problems);
    const grades = await grader.grade(
      pool.map((row) => ({ problem: byId.get(row.problem_id)!, completion: row.completion })),
    );
    expect(pool.filter((_, i) => !grades[i].exploited || grades[i].reward !== 1.25)).toEqual([]);
  });
});
