// What `are bench` makes harder: noise of environment and tools in levels, and apps that are in other hands.
import type { PlayOptions } from '@projected-grpo-lab/are/agents/play.ts';
import { appAgents, type Expert, expertApps } from '@projected-grpo-lab/are/augment/app-agents.ts';
import { atLevel, NOISE_LEVELS } from '@projected-grpo-lab/are/augment/levels.ts';
import { number, oneOf, type Values } from '../args.ts';

export const NOISE_FLAGS = {
  noise: oneOf(
    NOISE_LEVELS,
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
  return {
    ...atLevel(noise, seed),
    ...(a2a > 0 && {
      experts: (world) => appAgents(world, expertApps(world.apps, a2a, seed), expert ?? (() => Promise.resolve(''))),
    }),
  };
}
