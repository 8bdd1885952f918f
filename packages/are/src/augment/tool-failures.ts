// Noise of the tools: a call of the agent fails now and then, before anything has happened, and leaves no event. It may try again.
import { exception, type PythonError } from '../python-error.ts';
import { seededDraws } from '../world.ts';

/** The usual share of calls that fail. */
export const USUAL_FAILURES = 0.1;

/** Asked at each call, with the app's and the tool's name; null lets it through. */
export type Interference = (app: string, tool: string) => PythonError | null;

export function toolFailures(probability: number, seed: number): Interference {
  const draws = seededDraws(seed, 'tool failures');
  return (app, tool) =>
    draws.random() < probability
      ? exception(`Calling ${app}__${tool} failed with error: Internal error - Retry again later`)
      : null;
}
