// The worker's stored problem files (LeetCode and custom), each read once, and the CPython that grades LeetCode problems. Estimates use the
// prompts, experiments the grader.
import type { Grader } from '../../environments/code/types.ts';
import { customFileOf } from '../../environments/custom/presentation.ts';
import { problemFileOf } from '../../environments/leetcode/presentation.ts';
import { findEnvironment } from '../../experiments/environments/registry.ts';
import type { ProblemStore } from '../records/problems.ts';
import type { Python } from './python.ts';

export class RealProblems {
  readonly store: ProblemStore;
  readonly python: Python;
  /** Prompts of the environments known so far. */
  readonly #prompts = new Map<string, readonly string[]>();

  constructor(store: ProblemStore, python: Python) {
    this.store = store;
    this.python = python;
  }

  /** Reads an environment's prompts, from its stored file of problems or from the environment itself, if it has them. */
  async learnPrompts(environment: string): Promise<void> {
    if (this.#prompts.has(environment)) return;
    const sha256 = problemFileOf(environment) ?? customFileOf(environment);
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
    const { promptsIn } = await import('../records/problem-reader.ts');
    this.#prompts.set(environment, promptsIn(file.text, file.name));
  }

  /** Every prompt of an environment read by `learnPrompts`; null for any other. */
  promptsOf(environment: string): readonly string[] | null {
    return this.#prompts.get(environment) ?? null;
  }

  /** CPython, opened when first needed; null if MicroPython grades the environment. */
  async graderFor(environment: string): Promise<Grader | null> {
    return findEnvironment(environment)?.python === 'cpython' ? this.python.grader() : null;
  }

  async delete(sha256: string): Promise<void> {
    this.#prompts.clear();
    await this.store.delete(sha256);
  }
}
