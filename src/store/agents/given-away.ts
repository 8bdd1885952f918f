// A run given away: as the part of an address in which it is played again.

import type { AgentsWorker } from '../../lab/agents/client.ts';
import { hasModel, type Recipe } from '../../lab/protocol/agents.ts';
import { MAX_JSON } from '../../share/pack.ts';
import { areHash } from './link.ts';
import type { AreState } from './state.ts';

/** Whether nobody else had a hand in the run: experts, or the tools of a reader's own server. What they did is in no link. */
export const isAlone = ({ a2a, mcp }: Pick<Recipe, 'a2a' | 'mcp'>): boolean => a2a === 0 && mcp === null;

/** The part after # of an address in which this run is played again. null: without a run, where it is too long for a link, or where others had a hand in it. */
export async function linkOf(
  { played, scenario }: Pick<AreState, 'played' | 'scenario'>,
  worker: Pick<AgentsWorker, 'trace'> | null,
): Promise<string | null> {
  if (!played || !scenario || !worker || !isAlone(played.recipe)) return null;
  const { agent, seed, noise, window, maxSteps, edits } = played.recipe;
  const { generated, source: name } = scenario;
  // What is longer is not read from a link.
  const trace = generated ? null : await worker.trace({ most: MAX_JSON });
  if (!generated && !trace) return null;
  return areHash({
    scenario: generated ? { generated } : { trace: trace as NonNullable<typeof trace>, name },
    agent,
    seed,
    window,
    maxSteps,
    noise,
    edits,
    acts: hasModel(agent) ? played.acts : null,
  });
}
