// The cost of a run in rollouts of a training step, which is the unit of time estimates. A rollout of an evaluation costs less (no backward
// pass), one with a longer completion more.
import type { RunSpec } from '../config/run-spec.ts';

/** Cost of a rollout that is graded but not trained on, measured on the embedded model. */
const EVALUATED = 0.16;
/** Cost per pair of extracting a basis: gradients of two completions. */
const PAIR = 2;

/** Cost of evaluating one model. */
const evaluation = (problems: number): number => EVALUATED * problems;

export function runCost(spec: RunSpec): number {
  const { steps, groupSize, promptsPerStep, honestShare, trainOn, innerEpochs } = spec;
  const prompts = trainOn === 'honest' ? promptsPerStep * honestShare : promptsPerStep;
  const perStep = prompts * groupSize * (0.5 + 0.5 * innerEpochs);
  const [during, atEnd] = spec.projection === 'route' ? [2, 4 + spec.shadows.length] : [1, 2];
  const evaluations = spec.evalEvery > 0 ? Math.floor(steps / spec.evalEvery) * during : 0;
  const refreshes = spec.refreshEvery > 0 ? Math.floor((steps - 1) / spec.refreshEvery) : 0;
  return (
    steps * perStep +
    evaluations * evaluation(spec.evalProblems) +
    atEnd * evaluation(spec.finalEvalProblems * spec.evaluationSeeds) +
    refreshes * PAIR * spec.pairs
  );
}
