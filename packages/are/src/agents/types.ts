// The interface between a run and an agent: the run asks for one action after another and shows what has happened since.
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
  /** Simulated time at which the action will happen, as far as that is known. */
  readonly callTime: number;
  /** Messages since the last action. */
  readonly messages: readonly Message[];
  /** Outcome of the last action; null before the first, and after an idle one. */
  readonly outcome: Outcome<Value> | null;
  readonly apps: readonly App[];
  /** The whole log, which scripted controls read and a model never does. */
  readonly log: EventLog;
}

/** An agent's act, and its charge on the simulated clock. */
export interface AgentAct {
  readonly action: AgentAction;
  readonly seconds: number;
}

/** A question to an agent's model, and its answer. */
export interface Exchange {
  /** Index of the act that it was for, from 0; idling counts. */
  readonly act: number;
  /** Simulated seconds since 1970, before the agent thought. */
  readonly time: number;
  readonly input: readonly { readonly role: string; readonly content: string }[];
  readonly output: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Seconds of the host's clock. */
  readonly seconds: number;
  /** Reason for which the answer is no action; null if it is one. */
  readonly fault: { readonly kind: string; readonly message: string } | null;
}

export interface Agent {
  readonly name: string;
  /** Chooses an action. `seconds`: duration of the answer, for runs that charge measured time. */
  act(view: AgentView): Promise<{ action: AgentAction; seconds?: number }> | { action: AgentAction; seconds?: number };
}

/** The part of an agent's thinking time that passes on the simulated clock. */
export type GenerationTime =
  | { readonly mode: 'measured' }
  | { readonly mode: 'fixed'; readonly seconds: number }
  | { readonly mode: 'instant' };
