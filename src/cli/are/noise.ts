// What `are bench` makes harder: noise of environment and tools in levels, and apps that are in other hands. The medium level has the
// reference's usual rates (ten events a minute, a tenth of the calls); low and high are half and twice as much.
import type { PlayOptions } from '../../environments/are/agents/play.ts';
import { appAgents, type Expert, expertApps } from '../../environments/are/augment/app-agents.ts';
import { addEnvironmentNoise } from '../../environments/are/augment/environment-noise.ts';
import { noiseOfUniverse } from '../../environments/are/augment/noise-source.ts';
import { toolFailures, USUAL_FAILURES } from '../../environments/are/augment/tool-failures.ts';
import { universeOf } from '../../environments/are/generate/universe.ts';
import { number, oneOf, type Values } from '../args.ts';

const LEVELS = { none: 0, low: 0.5, medium: 1, high: 2 } as const;
type Level = keyof typeof LEVELS;
const PER_MINUTE = 10;
/** Of the universe that noise is made of. */
const NOISE_SEED = 1;

export const NOISE_FLAGS = {
  noise: oneOf(
    Object.keys(LEVELS) as Level[],
    'Mails, messages, products and flats that have nothing to do with the task, and calls that fail: 10 a minute and a tenth at medium.',
    'none',
  ),
  a2a: number('Agent-to-agent: the share of apps that an expert has in the agent’s place.', 0, 0, 1),
} as const;
type NoiseFlags = Values<typeof NOISE_FLAGS>;

/** In rows and headings; null where nothing is harder. */
export function noiseName({ noise, a2a }: NoiseFlags): string | null {
  const names = [...(noise === 'none' ? [] : [`noise ${noise}`]), ...(a2a === 0 ? [] : [`agent-to-agent ${a2a}`])];
  return names.length === 0 ? null : names.join(', ');
}

/** What it changes of a run. Beside an agent without a model, an app in other hands answers nothing. */
export function noisy({ noise, a2a }: NoiseFlags, seed: number, expert: Expert | null): Partial<PlayOptions> {
  const level = LEVELS[noise];
  const source = noiseOfUniverse(universeOf(NOISE_SEED, true));
  return {
    ...(level > 0 && {
      augment: (scenario) => addEnvironmentNoise(scenario, source, { perMinute: level * PER_MINUTE, seed }),
      interferes: toolFailures(level * USUAL_FAILURES, seed),
    }),
    ...(a2a > 0 && {
      experts: (world) => appAgents(world, expertApps(world.apps, a2a, seed), expert ?? (() => Promise.resolve(''))),
    }),
  };
}
