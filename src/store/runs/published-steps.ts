// Runs of the published demo whose optimizer steps are published too. Their models are built from those steps, without training.
import type { PublishedDemo } from '../../experiments/analysis/demo.ts';
import { keptStepsPath } from '../../experiments/analysis/demo-steps.ts';
import { environmentOf } from '../../experiments/config/preset-in.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { resolveRuns } from '../../experiments/config/spec.ts';
import { canTryBases } from '../../experiments/kinds/run/own-choice.ts';
import type { PublishedSteps } from '../../lab/protocol/trials.ts';
import { publishedFiles, readExisting } from '../published-file.ts';

export interface PublishedRun {
  /** Path of its steps below the page's address. */
  path: string;
  spec: RunSpec;
  /** Fetches its steps. Throws FormatError if they cannot be loaded. */
  source(): Promise<PublishedSteps>;
}

/** @param base the page's own address */
export function publishedRuns({ spec: experiment, modelSha256 }: PublishedDemo, base: string): PublishedRun[] {
  const environment = environmentOf(experiment);
  return resolveRuns(experiment)
    .filter(canTryBases)
    .map((spec) => {
      const path = keptStepsPath(environment, spec);
      const source = async () => {
        const bytes = await readExisting(path, publishedFiles(base).bytes);
        return { kind: 'published', path, spec, modelSha256, steps: new Blob([bytes]) } as const;
      };
      return { path, spec, source };
    });
}
