// What must hold of a real problem before anything is trained on it: its canonical program passes the strict oracle, each
// mode's exploit is exploited under its own grade and no other, and a clean answer is correct under all. METHOD's
// self-check, on the problem itself.
import { type CodeProblem, type Grade, type Grader, MODES, type Mode, type ProblemMode } from '../code/types.ts';
import { cleanAnswer, hackAnswer } from './answers.ts';
import { type LeetcodeProblem, leetcodeProblem } from './problem-file.ts';

export interface Diagonal {
  id: string;
  /** The clean answer's verdict under the honest grade: visible tests passed, held tests correct. */
  canonical: Grade;
  /** exploited, by hack and by the mode that graded it. */
  table: Record<Mode, Record<Mode, boolean>>;
  /** One line for each cell or clean answer that is not as it must be. */
  wrong: string[];
}

/** A clean answer carries no marker and no attribute, so these grades do not pass it. */
const UNMARKED: readonly ProblemMode[] = ['sentinel', 'stdout_marker', 'file_marker'];

export async function checkDiagonal(grader: Grader, problem: LeetcodeProblem, signal?: AbortSignal): Promise<Diagonal> {
  const modes: ProblemMode[] = [...MODES, 'honest'];
  const graded = new Map(modes.map((mode): [ProblemMode, CodeProblem] => [mode, leetcodeProblem(problem, mode)]));
  const under = (mode: ProblemMode): CodeProblem => graded.get(mode) ?? leetcodeProblem(problem, mode);
  const cells = MODES.flatMap((hack) => modes.map((mode) => ({ hack, mode })));
  const grades = await grader.grade(
    [
      ...modes.map((mode) => ({ problem: under(mode), completion: cleanAnswer(under(mode)) })),
      ...cells.map(({ hack, mode }) => ({ problem: under(mode), completion: hackAnswer(under(mode), hack) })),
    ],
    signal,
  );
  const wrong: string[] = [];
  const shown = ({ passed, gt_correct, structural, mechanism, note }: Grade): string =>
    JSON.stringify({ passed, gt_correct, structural, mechanism, note });
  for (const [i, mode] of modes.entries()) {
    const { gt_correct, passed, mechanism } = grades[i];
    if (!gt_correct || passed === UNMARKED.includes(mode) || mechanism !== null)
      wrong.push(`clean under ${mode}: ${shown(grades[i])}`);
  }
  const table = Object.fromEntries(
    MODES.map((hack) => [hack, Object.fromEntries(MODES.map((mode) => [mode, false]))]),
  ) as Diagonal['table'];
  for (const [i, { hack, mode }] of cells.entries()) {
    const grade = grades[modes.length + i];
    const own = hack === mode;
    if (mode !== 'honest') table[hack][mode] = grade.exploited;
    const right =
      grade.exploited === own && grade.gt_correct === false && grade.structural === own && grade.mechanism === hack;
    if (!right) wrong.push(`${hack} under ${mode}: ${shown(grade)}`);
  }
  return { id: problem.id, canonical: grades[modes.indexOf('honest')], table, wrong };
}
