// An agent that does again what was done before, to the point where somebody wants it otherwise, and then hands over. A run is its
// scenario, seed and acts, so that going back to a step is running to it anew: the same bytes up to there.
import type { Agent, AgentAct, AgentView } from './types.ts';

export class ReplayAgent implements Agent {
  readonly name: string;
  private place = 0;

  /** @param next goes on where the acts end; without one the agent idles */
  constructor(
    private readonly acts: readonly AgentAct[],
    private readonly next: Agent | null = null,
  ) {
    this.name = next?.name ?? 'replay';
  }

  act(view: AgentView): ReturnType<Agent['act']> {
    const act = this.acts[this.place++];
    if (act) return act;
    return this.next?.act(view) ?? { action: { kind: 'idle' } };
  }
}

/** The acts before a place, with another one there. */
export const amended = (acts: readonly AgentAct[], place: number, act: AgentAct): AgentAct[] => [
  ...acts.slice(0, place),
  act,
];
