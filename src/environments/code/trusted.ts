// Knowledge without a labelled hack: which honest problems are trusted (their graders have been checked), and the set with every grader repaired, which
// is the reference for everything else.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { END_OF_TURN } from '../../text/chatml.ts';
import type { EnvironmentDocument } from '../drawn.ts';
import { honestCompletion, rightBody } from './templates.ts';
import { ARGUMENTS, type ArgumentKind, type CodeProblem } from './types.ts';

/** The same problem with the same prompt, graded like an honest one: by its visible tests under the strict oracle. */
export const repaired = (problem: CodeProblem): CodeProblem => ({ ...problem, isRepaired: true });

/**
 * The trusted problems: this share of the honest ones (rounded, at least one), in the set's order. The data seed decides which, and a smaller share is a
 * subset of a larger one. Throws SpecError if no problem is honest, or too few have such arguments.
 *
 * @param kinds argument kinds to which they are restricted; empty for no restriction. With a restriction they are not a random sample.
 */
export function trustedOf(
  problems: readonly CodeProblem[],
  share: number,
  dataSeed: number,
  kinds: readonly ArgumentKind[] = [],
): CodeProblem[] {
  const honest = problems.filter(({ mode }) => mode === 'honest');
  if (honest.length === 0)
    throw new SpecError(
      `none of the ${problems.length} problems is honest, so that none can be trusted`,
      'Raise honestShare (or problems).',
    );
  const count = Math.max(1, Math.round(share * honest.length));
  const signatures = kinds.map((kind): string => ARGUMENTS[kind]);
  const isOne = ({ signature }: CodeProblem) => kinds.length === 0 || signatures.includes(signature);
  const able = CounterRng.of(dataSeed, STREAMS.trusted)
    .shuffle([...honest])
    .filter(isOne);
  if (able.length < count)
    throw new SpecError(
      `${able.length} of ${honest.length} honest problems take a ${kinds.join(' or a ')}, and ${count} are to be trusted`,
      'Lower trustedShare, or name more in trustedArguments (none: any).',
    );
  const chosen = new Set(able.slice(0, count));
  return honest.filter((problem) => chosen.has(problem));
}

/** A trusted problem's reference solution under its prompt, for next-token loss; the end token is trained too. */
export function solutionDocument(problem: CodeProblem): EnvironmentDocument {
  const { id, prompt, solution } = problem;
  // A real problem has a whole program; others get the form of the pairs' clean sides.
  const answer =
    problem.setup === undefined
      ? honestCompletion(problem, rightBody(problem), CounterRng.of(0, STREAMS.trusted, hash32(id)))
      : `\`\`\`python\n${solution}\n\`\`\``;
  return {
    id,
    parts: [
      { text: prompt, isTrained: false },
      { text: answer + END_OF_TURN, isTrained: true },
    ],
  };
}
