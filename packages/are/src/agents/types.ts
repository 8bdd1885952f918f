// The interface between a run and an agent: the run asks for one action after another and passes on what has happened since.
import type { EventLog } from '../events/completed.ts';
import type { Message } from '../notifications/inbox.ts';
import type { Outcome } from '../python-error.ts';
import type { App } from '../types.ts';
import type { Args, Value } from '../value.ts';

/** One action; `idle` waits until there is a message. */
export type AgentAction =
  | {
      readonly kind: 'call';
      readonly app: string;
      readonly tool: string;
      readonly args: Args;
      readonly thought?: string;
    }
  | { readonly kind: 'idle' };

export interface AgentView {
  /** Simulated seconds since 1970, before the agent thinks. */
  readonly now: number;
  /** Simulated time of the action, as far as it is known beforehand. */
  readonly callTime: number;
  /** Messages since the last action. */
  readonly messages: readonly Message[];
  /** Outcome of the last action; null before the first one and after idling. */
  readonly outcome: Outcome<Value> | null;
  readonly apps: readonly App[];
  /** The whole log, which only scripted controls read. */
  readonly log: EventLog;
}

/** An agent's act, and the simulated seconds charged for it. */
export interface AgentAct {
  readonly action: AgentAction;
  readonly seconds: number;
}

/** A call of an agent's model, and its answer. */
export interface Exchange {
  /** Index of the act that the call was for, from 0; idling counts. */
  readonly act: number;
  /** Simulated seconds since 1970, before the agent thought. */
  readonly time: number;
  readonly input: readonly { readonly role: string; readonly content: string }[];
  readonly output: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Seconds of the host's clock. */
  readonly seconds: number;
  /** Why the answer is no action; null if it is one. */
  readonly fault: { readonly kind: string; readonly message: string } | null;
}

export interface Agent {
  readonly name: string;
  /** Chooses an action. `seconds`: time that the answer took, for runs that charge measured time. */
  act(view: AgentView): Promise<{ action: AgentAction; seconds?: number }> | { action: AgentAction; seconds?: number };
}

/** How much of an agent's thinking time passes on the simulated clock. */
export type GenerationTime =
  | { readonly mode: 'measured' }
  | { readonly mode: 'fixed'; readonly seconds: number }
  | { readonly mode: 'instant' };
