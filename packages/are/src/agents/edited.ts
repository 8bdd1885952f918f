// An agent some of whose acts somebody wants otherwise: it is asked each time, and where an edit stands, that is done instead, as if it
// had been the agent's own. So a run is its recipe and its edits, and up to the first of them it is the same to the byte.
import type { Agent, AgentAction, AgentView } from './types.ts';

export interface Edit {
  /** Of the act, from 0; idling is one too. */
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
