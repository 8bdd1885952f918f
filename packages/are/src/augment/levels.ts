// Levels of noise: events unrelated to the task, and failing tool calls. The medium level has the reference's default rates (ten events per
// minute, a tenth of the calls); low and high have half and twice as much.

import type { PlayOptions } from '../agents/play.ts';
import { universeOf } from '../generate/universe.ts';
import { exception, type PythonError } from '../python-error.ts';
import { seededDraws } from '../world.ts';
import { addEnvironmentNoise } from './environment-noise.ts';
import { noiseOfUniverse } from './noise-source.ts';

const RATES = { none: 0, low: 0.5, medium: 1, high: 2 } as const;
export type NoiseLevel = keyof typeof RATES;
export const NOISE_LEVELS = Object.keys(RATES) as NoiseLevel[];

const PER_MINUTE = 10;
/** Seed of the universe from which noise is drawn. */
const UNIVERSE_SEED = 1;

/** Options that give a run this level of noise. They are for one run only, since failures are drawn call by call. */
export function atLevel(level: NoiseLevel, seed: number): Pick<PlayOptions, 'augment' | 'interferes'> {
  const rate = RATES[level];
  if (rate === 0) return {};
  const source = noiseOfUniverse(universeOf(UNIVERSE_SEED, true));
  return {
    augment: (scenario) => addEnvironmentNoise(scenario, source, { perMinute: rate * PER_MINUTE, seed }),
    interferes: toolFailures(rate * DEFAULT_FAILURES, seed),
  };
}

// Tool failures: a call may fail before it has any effect, and leaves no event. The agent may try again.

/** Default share of calls that fail. */
export const DEFAULT_FAILURES = 0.1;

/** Called before each call with the names of app and tool; returns the error of a failing call, or null. */
export type Interference = (app: string, tool: string) => PythonError | null;

export function toolFailures(probability: number, seed: number): Interference {
  const draws = seededDraws(seed, 'tool failures');
  return (app, tool) =>
    draws.random() < probability
      ? exception(`Calling ${app}__${tool} failed with error: Internal error - Retry again later`)
      : null;
}
