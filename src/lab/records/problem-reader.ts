// Reads a file of problems: real ones, or prompts with their own checks, each with its own parser. Loaded with the first file.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { readCustomFile } from '../../environments/custom/problem-file.ts';
import { leetcodePrompt, readProblemFile } from '../../environments/leetcode/problem-file.ts';
import type { ProblemFileReport } from '../protocol/problems.ts';

type Read = Pick<ProblemFileReport, 'kind' | 'problems' | 'tests' | 'unused'>;

/** Throws FormatError, naming the line. */
export function readProblems(text: string, name: string): Read {
  if (hasChecks(text)) {
    const problems = readCustomFile(text, name);
    const tests = problems.reduce((sum, { checks }) => sum + checks.length, 0);
    return { kind: 'custom', problems: problems.length, tests, unused: 0 };
  }
  const problems = readProblemFile(text, name);
  return {
    problems: problems.length,
    tests: problems.reduce((sum, { visible, held }) => sum + visible.length + held.length, 0),
    unused: problems.reduce((sum, { unused }) => sum + unused.length, 0),
  };
}

/** The longest form of every prompt. Throws FormatError. */
export function promptsIn(text: string, name: string): string[] {
  if (hasChecks(text)) return readCustomFile(text, name).map(({ prompt }) => prompt);
  // Prompts of the modes differ by a clause of a few words; this mode's clause is among the longest.
  return readProblemFile(text, name).map((problem) => leetcodePrompt(problem, 'exit_code'));
}

/** Whether the problems have their own checks, as the first line shows. */
function hasChecks(text: string): boolean {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  try {
    return Object.hasOwn(Object(parseJsonText(line)), 'checks');
  } catch {
    return false;
  }
}
