// CPython in the page's sandboxed frame, opened when it is first needed: the worker asks, the page opens the frame and transfers its port.
// The grader checks itself before its verdicts are used.
import { GraderError } from '@projected-grpo-lab/python-sandbox/pool.ts';
import { createPyodidePortGrader } from '../../environments/code/grading/pool-grader.ts';
import { selfCheck } from '../../environments/code/grading/self-check.ts';
import type { Grader } from '../../environments/code/types.ts';

export class Python {
  readonly #ask: () => void;
  readonly #open: (port: MessagePort) => Grader;
  #grader: Promise<Grader> | null = null;
  #waiting: { resolve(port: MessagePort): void; reject(error: GraderError): void } | null = null;

  /** @param ask makes the page answer by calling `give` */
  constructor(ask: () => void, open: (port: MessagePort) => Grader = createPyodidePortGrader) {
    this.#ask = ask;
    this.#open = open;
  }

  /** All callers share one grader; after a failure the next call tries again. Throws GraderError. */
  grader(): Promise<Grader> {
    this.#grader ??= this.#start().catch((error: unknown) => {
      this.#grader = null;
      throw error;
    });
    return this.#grader;
  }

  /** Takes the page's answer: the port, or why the frame did not open. */
  give(port: MessagePort | undefined, failure: string | null): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (port) waiting?.resolve(port);
    else waiting?.reject(new GraderError(failure ?? 'The frame for CPython gave no port.', 'Reload the page.'));
  }

  async #start(): Promise<Grader> {
    const port = await new Promise<MessagePort>((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#ask();
    });
    const grader = this.#open(port);
    try {
      await selfCheck(grader);
      return grader;
    } catch (error) {
      await grader.close();
      throw error;
    }
  }
}
