// What an objective needs of its environment, refused by name before anything is trained.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Stage } from '../config/stages.ts';
import type { TrainingEnvironment } from '../step/environment.ts';

/** Throws SpecError. */
export function refuseMissing<Task, State, Verdict>(
  { objective, environment }: Stage,
  { documents, documentOf, demonstrations }: TrainingEnvironment<Task, State, Verdict>,
): void {
  const missing = {
    grpo: null,
    nll: (documents ? documents.length > 0 : documentOf) ? null : 'documents',
    distill: demonstrations ? null : 'demonstrations',
  }[objective];
  if (missing)
    throw new SpecError(
      `objective = ${objective}, and the environment ${environment} offers no ${missing}`,
      `Choose an environment that has ${missing}, or another objective for this stage.`,
    );
}
