// Noise in levels: what comes in that has nothing to do with the task, and calls that fail. The medium one has the reference's usual rates
// (ten events a minute, a tenth of the calls); low and high are half and twice as much.
import type { PlayOptions } from '../agents/play.ts';
import { universeOf } from '../generate/universe.ts';
import { addEnvironmentNoise } from './environment-noise.ts';
import { noiseOfUniverse } from './noise-source.ts';
import { toolFailures, USUAL_FAILURES } from './tool-failures.ts';

const RATES = { none: 0, low: 0.5, medium: 1, high: 2 } as const;
export type NoiseLevel = keyof typeof RATES;
export const NOISE_LEVELS = Object.keys(RATES) as NoiseLevel[];

const PER_MINUTE = 10;
/** Of the universe that noise is made of. */
const UNIVERSE_SEED = 1;

/** What a level changes of a run: for one run, since failures are drawn as calls are made. */
export function atLevel(level: NoiseLevel, seed: number): Pick<PlayOptions, 'augment' | 'interferes'> {
  const rate = RATES[level];
  if (rate === 0) return {};
  const source = noiseOfUniverse(universeOf(UNIVERSE_SEED, true));
  return {
    augment: (scenario) => addEnvironmentNoise(scenario, source, { perMinute: rate * PER_MINUTE, seed }),
    interferes: toolFailures(rate * USUAL_FAILURES, seed),
  };
}
