// An agent outside this program: it calls tools at any time, and the run waits for it. Calls are handled one at a time; each returns the
// tool's result and the notifications since the last call.
import type { Message } from '../notifications/inbox.ts';
import type { Args } from '../value.ts';
import type { AgentStep } from './run.ts';
import type { Agent, AgentAction, AgentView } from './types.ts';

export interface RemoteResult {
  /** Null if the run had ended before the call. */
  readonly step: AgentStep | null;
  readonly messages: readonly Message[];
  readonly isOver: boolean;
}

export class RemoteAgent implements Agent {
  readonly name = 'remote';
  isOver = false;
  private hasLeft = false;
  private step: AgentStep | null = null;
  private inbox: Message[] = [];
  private give: ((act: { action: AgentAction; seconds: number }) => void) | null = null;
  private wake: (() => void) | null = null;
  private turn: Promise<unknown> = Promise.resolve();
  private askedAt = 0;

  /** @param clock milliseconds, for the agent's thinking time */
  constructor(private readonly clock: () => number) {}

  act({ messages }: AgentView): Promise<{ action: AgentAction; seconds: number }> {
    this.inbox.push(...messages);
    this.askedAt = this.clock();
    return new Promise((resolve) => {
      if (this.hasLeft) resolve(IDLE);
      else this.give = resolve;
      this.wake?.();
    });
  }

  /** Must be given to the run as `onStep`. */
  readonly onStep = (step: AgentStep): void => {
    this.step = step;
  };

  /** Must be called when the run has ended. */
  end(): void {
    this.isOver = true;
    this.wake?.();
  }

  /** Stops the agent: the run goes on without it until its time is up. */
  leave(): void {
    this.hasLeft = true;
    const give = this.give;
    this.give = null;
    give?.(IDLE);
  }

  /** Unread messages, once the agent can act. */
  messages(): Promise<RemoteResult> {
    return this.next(async () => ({ step: null, messages: this.taken(), isOver: this.isOver }));
  }

  call(app: string, tool: string, args: Args): Promise<RemoteResult> {
    return this.next(async () => {
      if (this.give === null) return { step: null, messages: this.taken(), isOver: this.isOver };
      this.step = null;
      const give = this.give;
      this.give = null;
      give({ action: { kind: 'call', app, tool, args }, seconds: (this.clock() - this.askedAt) / 1000 });
      await this.ready();
      return { step: this.step, messages: this.taken(), isOver: this.isOver };
    });
  }

  private next<T>(run: () => Promise<T>): Promise<T> {
    const result = this.turn.then(() => this.ready()).then(run);
    this.turn = result.catch(() => {});
    return result;
  }

  /** Resolves when the run asks for an action, or has ended. */
  private ready(): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.give === null && !this.isOver) return;
        this.wake = null;
        resolve();
      };
      this.wake = look;
      look();
    });
  }

  private taken(): readonly Message[] {
    const messages = this.inbox;
    this.inbox = [];
    return messages;
  }
}

const IDLE: { action: AgentAction; seconds: number } = { action: { kind: 'idle' }, seconds: 0 };
