// An agent that does again what was done before, to the point where somebody wants it otherwise, and then hands over. A run is its
// scenario, seed and acts, so that going back to a step is running to it anew: the same bytes up to there.

import type { Agent, AgentAct, AgentAction, AgentView } from './types.ts';

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

// An agent some of whose acts somebody wants otherwise: it is asked each time, and where an edit stands, that is done instead, as if it
// had been the agent's own. So a run is its recipe and its edits, and up to the first of them it is the same to the byte.

export interface Edit {
  /** Place of the act, from 0; idling is one too. */
  readonly at: number;
  readonly action: AgentAction;
}

export class EditedAgent implements Agent {
  readonly name: string;
  private place = 0;

  constructor(
    private readonly agent: Agent,
    private readonly edits: readonly Edit[],
  ) {
    this.name = agent.name;
  }

  async act(view: AgentView): Promise<{ action: AgentAction; seconds?: number }> {
    const at = this.place++;
    const own = await this.agent.act(view);
    const edit = this.edits.find((one) => one.at === at);
    return edit ? { ...own, action: edit.action } : own;
  }
}
