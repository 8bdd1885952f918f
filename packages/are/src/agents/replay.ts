// Repeats the recorded acts of a run and then passes control to another agent. A run is its scenario, seed and acts, so going back to a
// step means running to it again, with the same bytes.

import type { Agent, AgentAct, AgentAction, AgentView } from './types.ts';

export class ReplayAgent implements Agent {
  readonly name: string;
  private place = 0;

  /** @param next acts after the recorded acts; without one the agent idles */
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

// An agent with edits: it is asked each time, and at an edit that action is done instead, as if it were the agent's own. A run is thus its
// settings and its edits, and identical to the byte up to the first edit.

export interface Edit {
  /** Index of the act, from 0; idling counts. */
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
