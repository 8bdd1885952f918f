// Noise in levels: what comes in that has nothing to do with the task, and calls that fail. The medium one has the reference's usual rates
// (ten events a minute, a tenth of the calls); low and high are half and twice as much.

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
/** Seed of the universe that noise is made of. */
const UNIVERSE_SEED = 1;

/** Changes of a run at a level: for one run, since failures are drawn as calls are made. */
export function atLevel(level: NoiseLevel, seed: number): Pick<PlayOptions, 'augment' | 'interferes'> {
  const rate = RATES[level];
  if (rate === 0) return {};
  const source = noiseOfUniverse(universeOf(UNIVERSE_SEED, true));
  return {
    augment: (scenario) => addEnvironmentNoise(scenario, source, { perMinute: rate * PER_MINUTE, seed }),
    interferes: toolFailures(rate * DEFAULT_FAILURES, seed),
  };
}

// Noise of the tools: a call of the agent fails now and then, before anything has happened, and leaves no event. It may try again.

/** The usual share of calls that fail. */
export const DEFAULT_FAILURES = 0.1;

/** Asked at each call, with the app's and the tool's name; null lets it through. */
export type Interference = (app: string, tool: string) => PythonError | null;

export function toolFailures(probability: number, seed: number): Interference {
  const draws = seededDraws(seed, 'tool failures');
  return (app, tool) =>
    draws.random() < probability
      ? exception(`Calling ${app}__${tool} failed with error: Internal error - Retry again later`)
      : null;
}
