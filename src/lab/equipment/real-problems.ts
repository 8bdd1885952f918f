// Real problems as the lab's worker has them: files in the store, read once each, and the CPython that grades them. Estimates ask
// it for prompts, an experiment for its grader.
import type { Grader } from '../../environments/code/types.ts';
import { problemFileOf } from '../../environments/leetcode/presentation.ts';
import { findEnvironment } from '../../experiments/environments/registry.ts';
import type { ProblemStore } from '../records/problems.ts';
import type { Python } from './python.ts';

export class RealProblems {
  readonly store: ProblemStore;
  readonly python: Python;
  /** Prompts that are known, by environment. */
  readonly #prompts = new Map<string, readonly string[]>();

  constructor(store: ProblemStore, python: Python) {
    this.store = store;
    this.python = python;
  }

  /** Reads the file that an environment names, where it is one of real problems and is kept here; asks any other environment that knows. */
  async know(environment: string): Promise<void> {
    if (this.#prompts.has(environment)) return;
    const sha256 = problemFileOf(environment);
    if (sha256 === null) {
      const prompts = (await findEnvironment(environment)?.load())?.prompts?.();
      if (prompts)
        this.#prompts.set(
          environment,
          prompts.map(({ prompt }) => prompt),
        );
      return;
    }
    const file = await this.store.file(sha256);
    if (file === null) return;
    const { leetcodePrompt, readProblemFile } = await import('../../environments/leetcode/problem-file.ts');
    const problems = readProblemFile(file.text, file.name);
    // Modes differ by a clause of a few words; this one's is among the longest.
    this.#prompts.set(
      environment,
      problems.map((problem) => leetcodePrompt(problem, 'exit_code')),
    );
  }

  /** Every prompt of an environment that `know` has found; null for any other. */
  promptsOf(environment: string): readonly string[] | null {
    return this.#prompts.get(environment) ?? null;
  }

  /** CPython for real problems, opened when it is first asked for; null where the substrate's grader will do. */
  async graderFor(environment: string): Promise<Grader | null> {
    return findEnvironment(environment)?.python === 'cpython' ? this.python.grader() : null;
  }

  async delete(sha256: string): Promise<void> {
    this.#prompts.clear();
    await this.store.delete(sha256);
  }
}
