// Children of a command: processes that run this same program with other arguments, take one request after another from their
// parent, tell it what they are at, and end with it. A study's jobs and an experiment's runs are shared out among them.
import { type ChildProcess, fork } from 'node:child_process';
import { DeviceError, LabError, StoppedError } from '../lib/errors.ts';
import { diskError } from '../storage/disk.node.ts';
import { StorageError } from '../storage/kv.ts';

/** A failure as it crosses the border: what it says, and what kind of end it is. */
type Why = 'stopped' | 'device' | 'disk' | 'lab' | 'other';
type ToChild<Request> = { kind: 'request'; request: Request } | { kind: 'told'; news: unknown } | { kind: 'stop' };
type FromChild<Note> =
  | { kind: 'ready' }
  | { kind: 'note'; note: Note }
  | { kind: 'done' }
  | { kind: 'failed'; message: string; remedy: string; why: Why };

/** The parent's side. Requests, notes: whatever structured clone carries. */
export class Child<Request, Note> {
  readonly #child: ChildProcess;
  readonly #remedy: string;

  private constructor(child: ChildProcess, remedy: string) {
    this.#child = child;
    this.#remedy = remedy;
  }

  /** Resolves when it is ready for requests. `remedy`: what to do when it ends by itself. Throws DeviceError, StoppedError. */
  static async start<Request, Note>(
    args: readonly string[],
    signal: AbortSignal,
    remedy: string,
  ): Promise<Child<Request, Note>> {
    const [, script] = process.argv;
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
    const process_ = fork(script, [...args], { stdio: [...stdio], serialization: 'advanced' });
    const child = new Child<Request, Note>(process_, remedy);
    const stop = () => child.stop();
    signal.addEventListener('abort', stop, { once: true });
    process_.once('exit', () => signal.removeEventListener('abort', stop));
    await child.#answer(() => {}, 'ready');
    return child;
  }

  /** Until it is done. Rejects with what it failed with, or when it ends. */
  async ask(request: Request, onNote: (note: Note) => void): Promise<void> {
    const over = this.#answer(onNote, 'done');
    this.#send({ kind: 'request', request });
    await over;
  }

  /** Something that it should know in the midst of its work. */
  tell(news: unknown): void {
    this.#send({ kind: 'told', news });
  }

  /** What it is at ends at the next place from which it can go on. */
  stop(): void {
    this.#send({ kind: 'stop' });
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => void this.#child.once('exit', () => resolve()));
    if (this.#child.connected) this.#child.disconnect();
    await gone;
  }

  #send(message: ToChild<Request>): void {
    if (this.#child.connected) this.#child.send(message as object);
  }

  #answer(onNote: (note: Note) => void, until: FromChild<Note>['kind']): Promise<void> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const settle = (done: () => void) => {
        child.off('message', heard);
        child.off('exit', ended);
        done();
      };
      const ended = (code: number | null, signal: string | null) =>
        settle(() =>
          reject(
            signal === 'SIGINT' || signal === 'SIGTERM' || code === 130
              ? new StoppedError()
              : new DeviceError(`A worker process ended (${signal ?? `code ${code}`}).`, this.#remedy),
          ),
        );
      const heard = (raw: unknown) => {
        const message = raw as FromChild<Note>;
        if (message.kind === 'note') onNote(message.note);
        else if (message.kind === until) settle(resolve);
        else if (message.kind === 'failed') settle(() => reject(this.#failure(message)));
      };
      child.on('message', heard);
      child.on('exit', ended);
      if (child.exitCode !== null || child.signalCode !== null) ended(child.exitCode, child.signalCode);
    });
  }

  #failure({ message, remedy, why }: Extract<FromChild<Note>, { kind: 'failed' }>): Error {
    if (why === 'stopped') return new StoppedError();
    if (why === 'device') return new DeviceError(message, remedy || this.#remedy);
    if (why === 'disk') return new StorageError(message, remedy || this.#remedy);
    return why === 'lab' ? new LabError(message, remedy) : new Error(message);
  }
}

/** The child's side: takes requests until its parent is gone. `stop` is aborted when the parent says so or ends; `told`: its news. */
export function serveAsChild<Request, Note>(
  handle: (request: Request, note: (note: Note) => void) => Promise<void>,
  stop: AbortController,
  told: (news: unknown) => void = () => {},
): Promise<void> {
  const say = (message: FromChild<Note>) => {
    if (process.connected) process.send?.(message);
  };
  let working: Promise<void> = Promise.resolve();
  return new Promise((resolve) => {
    process.on('message', (raw) => {
      const message = raw as ToChild<Request>;
      if (message.kind === 'stop') return stop.abort(new StoppedError());
      if (message.kind === 'told') return told(message.news);
      working = handle(message.request, (note) => say({ kind: 'note', note })).then(
        () => say({ kind: 'done' }),
        (raw: unknown) => {
          const error = diskError(raw);
          const [message, remedy] = error instanceof LabError ? [error.message, error.remedy] : [explain(error), ''];
          say({ kind: 'failed', message, remedy, why: whyOf(error) });
        },
      );
    });
    process.once('disconnect', () => {
      stop.abort(new StoppedError());
      void working.then(() => resolve());
    });
    say({ kind: 'ready' });
  });
}

function whyOf(error: unknown): Why {
  if (error instanceof StoppedError) return 'stopped';
  if (error instanceof DeviceError) return 'device';
  if (error instanceof StorageError) return 'disk';
  return error instanceof LabError ? 'lab' : 'other';
}

/** A failure in one text, for people. */
export function explain(raw: unknown): string {
  const error = diskError(raw);
  if (error instanceof LabError) return `${error.message} ${error.remedy}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
