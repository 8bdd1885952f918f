// Arbitrates the loaded model outside experiments, since every use sets its adapter parameters. One answer is written at a time, and yields
// to anything else; one task of a person runs at a time, and refuses another. A starting experiment ends both.

import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { LabSession } from './session.ts';

type Session = Pick<LabSession, 'isBusy' | 'quiet'>;
type Work<T> = (signal: AbortSignal) => Promise<T>;
interface AtWork {
  name: string;
  stop: AbortController;
  ended: Promise<void>;
}

export class ModelGate {
  readonly #lab: () => Promise<{ session: Session }>;
  readonly #now: Record<'answer' | 'task', AtWork | null> = { answer: null, task: null };
  /** Work that needs the model for itself; an answer waits for it. */
  readonly #claims = new Set<Promise<unknown>>();
  /** Work with priority; a task waits for it. */
  readonly #first = new Set<Promise<unknown>>();

  constructor(lab: () => Promise<{ session: Session }>) {
    this.#lab = lab;
  }

  /** If two answers wait for the same work, the later one ends the earlier. Throws StoppedError when it was ended. */
  async answer<T>(name: string, work: Work<T>): Promise<T> {
    const { session } = await this.#lab();
    await session.quiet();
    while (this.#now.answer || this.#claims.size > 0) {
      await this.#end('answer');
      await Promise.allSettled(this.#claims);
    }
    refuse(session);
    return this.#run('answer', name, work);
  }

  /** `waits`: waits for the current answer instead of ending it. Throws SpecError if another task runs, StoppedError when it was ended. */
  async task<T>(name: string, work: Work<T>, waits = false): Promise<T> {
    const { session } = await this.#lab();
    while (this.#first.size > 0) await Promise.allSettled(this.#first);
    if (this.#now.task)
      throw new SpecError('The model is busy with another request.', 'Wait until it ends, or cancel it.');
    return this.#run('task', name, async (signal) => {
      if (waits) await this.#over('answer');
      return among(this.#claims, async () => {
        await this.#end('answer');
        refuse(session);
        await session.quiet();
        return work(signal);
      });
    });
  }

  /** Ends the current answer and task; new ones wait. */
  first<T>(work: () => Promise<T>): Promise<T> {
    const alone = async () => {
      await this.#end('answer');
      const reason = 'Stopped: an experiment or a change of device needs the model.';
      await this.#end('task', new StoppedError(reason, 'Ask again when the experiment has ended.'));
      return work();
    };
    return among(this.#claims, () => among(this.#first, alone));
  }

  /** Waits for the current answer and task to finish. */
  async after<T>(work: () => Promise<T>): Promise<T> {
    await this.#over('answer');
    return among(this.#claims, async () => {
      await this.#over('task');
      return work();
    });
  }

  /** Returns whether there was something to stop. */
  stop(name: string): boolean {
    const asked = Object.values(this.#now).find((work) => work?.name === name);
    asked?.stop.abort(new StoppedError('stopped', 'Ask again.'));
    return asked !== undefined;
  }

  #run<T>(kind: 'answer' | 'task', name: string, work: Work<T>): Promise<T> {
    const stop = new AbortController();
    const done = work(stop.signal);
    const clear = () => {
      this.#now[kind] = null;
    };
    this.#now[kind] = { name, stop, ended: done.then(clear, clear) };
    return done;
  }

  async #end(kind: 'answer' | 'task', reason = new StoppedError()): Promise<void> {
    this.#now[kind]?.stop.abort(reason);
    await this.#now[kind]?.ended;
  }

  async #over(kind: 'answer' | 'task'): Promise<void> {
    while (this.#now[kind]) await this.#now[kind].ended;
  }
}

function refuse({ isBusy }: Session): void {
  if (isBusy)
    throw new SpecError('The model is training.', 'Wait for the end of the experiment, or stop it: it can be resumed.');
}

async function among<T>(works: Set<Promise<unknown>>, work: () => Promise<T>): Promise<T> {
  const mine = work();
  works.add(mine);
  try {
    return await mine;
  } finally {
    works.delete(mine);
  }
}
