// What a run of an environment is where nobody said more: its spec decides the model, the budget and the held-out tasks.
import { parseExperimentSpec, type RunSpec, resolveRuns } from '../../experiments/config/spec.ts';

export const environmentAlone = (environment: string): RunSpec =>
  resolveRuns(parseExperimentSpec({ preset: 'demo', overrides: { environment } }))[0];
