// What the page asks of the worker about working for a relay (experiments/sweep/relay/messages.ts), and what it hears of it. A part of
// the table in protocol.ts.
import type { Board, WorkLink } from '../../experiments/sweep/relay/messages.ts';

export interface RelayRequests {
  /** Connects, and takes runs until stopped; `isWatching`: hears what goes on, and takes none. Refused while it works for a
   *  relay already. */
  workFor: { params: WorkLink & { appVersion: string; isWatching: boolean }; result: null };
  /** The run at work goes back. */
  stopWork: { params: null; result: { stopped: boolean } };
}

export interface RelayState {
  /** `lab.example:8443` */
  relay: string;
  /** `away`: it is tried again; `ended`: it is not. */
  phase: 'connecting' | 'watching' | 'waiting' | 'training' | 'away' | 'ended';
  run: { experimentId: string; key: string; step: number; of: number } | null;
  /** Results that the relay has taken. */
  made: number;
  /** What goes on at its queue; null before it has said so. */
  board: Board | null;
  /** What went wrong last, or why it has ended. */
  message: string | null;
}

export interface RelayEvent {
  type: 'relay';
  state: RelayState;
}
