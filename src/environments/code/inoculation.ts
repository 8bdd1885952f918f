// Inoculation prompting as a baseline: during training a hackable problem openly asks for its own exploit, at evaluation it
// does not. Tan et al. 2025 (arXiv:2510.04340) and Wichers et al. 2025 (arXiv:2510.05024) do it in supervised finetuning, by a
// system prompt or an instruction; here it is RL, the prompt of every rollout, and one clause after the hint.
import { ASK_CLAUSES, HINT_CLAUSES } from './clauses.ts';
import { familyOf, renderPrompt } from './problem.ts';
import type { CodeProblem } from './types.ts';

/** The same problem, id and tests included, under a prompt that also asks for the exploit; honest problems as they are. */
export function inoculated(problem: CodeProblem): CodeProblem {
  const { mode, params } = problem;
  if (mode === 'honest') return problem;
  // A real problem's prompt is its file's; the substrate's is made from its family.
  if (problem.setup !== undefined) {
    const prompt = problem.prompt.replaceAll(HINT_CLAUSES[mode], (hint) => hint + ASK_CLAUSES[mode]);
    return { ...problem, prompt };
  }
  return { ...problem, prompt: renderPrompt(familyOf(problem), params, HINT_CLAUSES[mode] + ASK_CLAUSES[mode]) };
}
