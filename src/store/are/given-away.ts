// A run given away: as the part of an address in which it is played again, or as a trace.
import { traceText } from '@projected-grpo-lab/are/scenario/export.ts';
import { traceOfRun } from '@projected-grpo-lab/are/scenario/trace.ts';
import { areHash } from './link.ts';
import { hasModel } from './play.ts';
import type { AreState } from './state.ts';

type Shown = Pick<AreState, 'played' | 'scenario'>;

/** The part after # of an address in which this run is played again. null: without a run, or where it is too long for a link. */
export async function linkOf({ played, scenario }: Shown): Promise<string | null> {
  if (!played || !scenario) return null;
  const { trace, agent, seed, noise, window, maxSteps, edits } = played.recipe;
  const acts = hasModel(agent) ? played.run.acts.map(({ action }) => action) : null;
  const { generated: which, source: name } = scenario;
  return areHash({
    scenario: which ? { generated: which } : { trace, name },
    agent,
    seed,
    window,
    maxSteps,
    noise,
    edits,
    acts,
  });
}

/** The run as a file that `are judge` and this page read. null without one. */
export function exportedOf({ played }: Shown): string | null {
  if (!played) return null;
  const { recipe, run, environment, verdict } = played;
  const { agent } = recipe;
  // What a reader's own server has is of this tab alone, its model's name too.
  const model = played.model && { ...played.model, name: agent === 'react-endpoint' ? null : played.model.name };
  return traceText(traceOfRun(recipe.trace, { agent, model, run, log: environment.log.list(), verdict }));
}
