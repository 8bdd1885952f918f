// Runs a contestant in its own process, which waits for requests: one line of JSON in, one line out (marked, since libraries print as they like).
// Rounds can then alternate between runtimes that share neither memory, threads nor warmed-up code, and each one's processor time is that of its
// process.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const MARK = '@@';
/** Characters kept of a contestant's stderr, for the error if it ends early. */
const KEPT = 2000;

export class Child {
  private readonly waiting: { resolve: (text: string) => void; reject: (why: Error) => void }[] = [];
  private said = '';
  private gone: Error | null = null;

  private constructor(private readonly process: ChildProcess) {
    createInterface({ input: process.stdout! }).on('line', (line) => {
      if (line.startsWith(MARK)) this.waiting.shift()?.resolve(line.slice(MARK.length));
    });
    process.stderr!.on('data', (data) => {
      this.said = `${this.said}${data}`.slice(-KEPT);
    });
    process.on('error', (error) => this.fail(error));
    process.on('close', (code) => this.fail(new Error(`ended with ${code}: ${this.said.trim()}`)));
  }

  /** Resolves with the contestant's first message once it is ready. */
  static async start<T>(
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>> = {},
  ): Promise<{ child: Child; ready: T }> {
    const child = new Child(spawn(command, [...args], { stdio: 'pipe', env: { ...process.env, ...env } }));
    return { child, ready: (await child.answer()) as T };
  }

  async ask<T>(request: unknown): Promise<T> {
    const answer = this.answer();
    this.process.stdin!.write(`${JSON.stringify(request)}\n`);
    return (await answer) as T;
  }

  end(): void {
    this.process.kill();
  }

  private async answer(): Promise<unknown> {
    if (this.gone) throw this.gone;
    return JSON.parse(await new Promise<string>((resolve, reject) => this.waiting.push({ resolve, reject })));
  }

  private fail(why: Error): void {
    this.gone = why;
    for (const { reject } of this.waiting.splice(0)) reject(why);
  }
}

/** The contestant's side in TypeScript: reports `ready`, then answers each line until the input ends. */
export async function serve(ready: unknown, answer: (request: never) => Promise<unknown>): Promise<void> {
  const say = (value: unknown) => process.stdout.write(`${MARK}${JSON.stringify(value)}\n`);
  say(ready);
  for await (const line of createInterface({ input: process.stdin })) say(await answer(JSON.parse(line) as never));
}
