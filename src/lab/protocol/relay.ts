// What the page asks of the worker about working for a relay (experiments/sweep/relay/messages.ts), and what it hears of it. A part of
// the table in protocol.ts.
import type { WorkLink } from '../../experiments/sweep/relay/messages.ts';

export interface RelayRequests {
  /** Connects, and takes runs until it is told to stop. Refused while it works for a relay already. */
  workFor: { params: WorkLink & { appVersion: string }; result: null };
  /** The run at work goes back. */
  stopWork: { params: null; result: { stopped: boolean } };
}

export interface RelayState {
  /** `lab.example:8443` */
  relay: string;
  /** `away`: it is tried again; `ended`: it is not. */
  phase: 'connecting' | 'waiting' | 'training' | 'away' | 'ended';
  run: { experimentId: string; key: string; step: number; of: number } | null;
  /** Results that the relay has taken. */
  made: number;
  /** What went wrong last, or why it has ended. */
  message: string | null;
}

export interface RelayEvent {
  type: 'relay';
  state: RelayState;
}
