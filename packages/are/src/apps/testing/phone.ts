// A set of apps for tests: short calls, their errors as text, and the log as lines.
import { PythonError } from '../../python-error.ts';
import type { App, Logged } from '../../types.ts';
import type { Args, Value, Values } from '../../value.ts';
import { AppWorld } from '../../world.ts';

/** Tuesday, 2024-10-15 07:00:00 */
export const START = 1728975600;

export class Phone {
  now = START;
  readonly log: Logged[] = [];
  /** Seconds of each wait. */
  readonly waits: number[] = [];
  readonly world: AppWorld;

  constructor(seed: number, ...apps: readonly App[]) {
    this.world = new AppWorld({
      now: () => this.now,
      seed,
      record: (logged) => void this.log.push(logged),
      wait: (seconds) => void this.waits.push(seconds),
    });
    this.world.add(...apps);
  }

  app(name: string): App {
    return this.world.app(name) as App;
  }

  /** Calls a tool by app and name: `Calendar.get_all_tags`. */
  call(tool: string, args: Args = {}): Value {
    const [app = '', name = ''] = tool.split('.');
    return this.app(app).call(name, args);
  }

  id(tool: string, args: Args = {}): string {
    return this.call(tool, args) as string;
  }

  record(tool: string, args: Args = {}): Values {
    return this.call(tool, args) as Values;
  }

  /** The error text `ValueError: …` of a call, or "nothing was raised". */
  raised(tool: string, args: Args = {}): string {
    try {
      this.call(tool, args);
    } catch (error) {
      if (error instanceof PythonError) return `${error.kind}: ${error.message}`;
      throw error;
    }
    return 'nothing was raised';
  }

  /** The log as lines `app.tool`, with `!` for a call that raised. */
  lines(): string[] {
    return this.log.map(({ app, tool, outcome }) => `${app.name}.${tool.name}${'error' in outcome ? '!' : ''}`);
  }
}
