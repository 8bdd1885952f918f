// Arbitrates the loaded model outside experiments, since every use sets its adapter parameters. One answer is written at a time, and yields
// to anything else; one task of the user runs at a time, and refuses another. A starting experiment ends both; during training, short
// answers are written between its steps. The page's own measurements yield to all of them, since the user neither requested them nor can
// cancel them.

import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { LabSession } from './session.ts';

type Session = Pick<LabSession, 'isBusy' | 'quiet' | 'between'>;
type Work<T> = (signal: AbortSignal) => Promise<T>;
/** Reserves the model for one part of an answer. */
export type Part = <T>(work: Work<T>) => Promise<T>;
type Kind = 'answer' | 'task' | 'measurement';
interface AtWork {
  name: string;
  stop: AbortController;
  ended: Promise<void>;
}

/** Abort reason of a measurement that will be repeated. */
const GAVE_WAY = new StoppedError('The measurement gives way to a request.', 'It is repeated by itself.');

export class ModelGate {
  readonly #lab: () => Promise<{ session: Session }>;
  readonly #now: Record<Kind, AtWork | null> = { answer: null, task: null, measurement: null };
  /** The user's requests, running or waiting; a measurement waits for all of them. */
  readonly #asked = new Set<Promise<unknown>>();
  /** Work that needs the model exclusively; an answer waits for it. */
  readonly #claims = new Set<Promise<unknown>>();
  /** Work with priority; a task waits for it. */
  readonly #first = new Set<Promise<unknown>>();

  constructor(lab: () => Promise<{ session: Session }>) {
    this.#lab = lab;
  }

  /**
   * An answer restores the model afterwards: during training it runs between two steps. If two wait for the same work, the later one ends
   * the earlier, which throws StoppedError.
   */
  answer<T>(name: string, work: Work<T>): Promise<T> {
    return this.answerInParts(name, (part) => part(work));
  }

  /** A long answer: during training, a step may run between two parts. */
  answerInParts<T>(name: string, work: (part: Part, signal: AbortSignal) => Promise<T>): Promise<T> {
    return whileListed(this.#asked, async () => {
      const { session } = await this.#lab();
      await this.#quiet(session);
      while (this.#now.answer || this.#claims.size > 0) {
        await this.#end('answer');
        await Promise.allSettled(this.#claims);
      }
      return this.#run('answer', name, (signal) => work((one) => session.between(one, signal), signal));
    });
  }

  /** Throws SpecError if another task runs, StoppedError if it was ended. */
  task<T>(name: string, work: Work<T>): Promise<T> {
    return whileListed(this.#asked, async () => {
      const { session } = await this.#lab();
      while (this.#first.size > 0) await Promise.allSettled(this.#first);
      if (this.#now.task)
        throw new SpecError('The model is busy with another request.', 'Wait until it ends, or cancel it.');
      return this.#run('task', name, (signal) =>
        whileListed(this.#claims, async () => {
          // Checked before and after the answer's end: a refused task ends none, and an experiment may have begun meanwhile.
          refuseWhileTraining(session);
          await this.#end('answer');
          refuseWhileTraining(session);
          await this.#quiet(session);
          return work(signal);
        }),
      );
    });
  }

  /** Ends the current answer and task; new ones wait. */
  first<T>(work: () => Promise<T>): Promise<T> {
    const alone = async () => {
      await this.#end('measurement', GAVE_WAY);
      await this.#end('answer');
      const reason = 'Stopped: an experiment or a change of device needs the model.';
      await this.#end('task', new StoppedError(reason, 'Ask again when the experiment has ended.'));
      return work();
    };
    return whileListed(this.#asked, () => whileListed(this.#claims, () => whileListed(this.#first, alone)));
  }

  /**
   * Work that the page starts by itself. It waits for all of the user's requests, is ended by a new one, and is then repeated; one runs at
   * a time. Null while an experiment runs.
   */
  async measurement<T>(work: Work<T>): Promise<T | null> {
    const { session } = await this.#lab();
    for (;;) {
      while (this.#asked.size > 0 || this.#now.measurement) {
        await Promise.allSettled(this.#asked);
        await this.#now.measurement?.ended;
      }
      if (session.isBusy) return null;
      const stop = new AbortController();
      try {
        return await this.#run('measurement', '', work, stop);
      } catch (error) {
        if (stop.signal.reason !== GAVE_WAY) throw error;
      }
    }
  }

  /** Returns whether there was something to stop. */
  stop(name: string): boolean {
    const found = [this.#now.answer, this.#now.task].find((work) => work?.name === name);
    found?.stop.abort(new StoppedError('stopped', 'Ask again.'));
    return found !== undefined;
  }

  #run<T>(kind: Kind, name: string, work: Work<T>, stop = new AbortController()): Promise<T> {
    const done = work(stop.signal);
    const clear = () => {
      this.#now[kind] = null;
    };
    this.#now[kind] = { name, stop, ended: done.then(clear, clear) };
    return done;
  }

  /** Ends the current measurement, and resolves when the model is free. */
  async #quiet(session: Session): Promise<void> {
    await this.#end('measurement', GAVE_WAY);
    await session.quiet();
  }

  async #end(kind: Kind, reason = new StoppedError()): Promise<void> {
    this.#now[kind]?.stop.abort(reason);
    await this.#now[kind]?.ended;
  }
}

function refuseWhileTraining({ isBusy }: Session): void {
  if (isBusy)
    throw new SpecError('The model is training.', 'Wait for the end of the experiment, or stop it: it can be resumed.');
}

async function whileListed<T>(works: Set<Promise<unknown>>, work: () => Promise<T>): Promise<T> {
  const mine = work();
  works.add(mine);
  try {
    return await mine;
  } finally {
    works.delete(mine);
  }
}
