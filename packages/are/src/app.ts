// Base class of apps: how their tools are called, and their place in the world. Each app implements the abstract members.

import { attributeError } from './python-error.ts';
import { bind } from './tool.ts';
import type { App, Draws, Protocol, Tool, World } from './types.ts';
import { type Args, plainArgs, type Value, type Values } from './value.ts';

export abstract class AppBase implements App {
  readonly name: string;
  private attached: World | null = null;
  private source: Draws | null = null;

  /** @param name default: the class name, for scenarios that do not name the app */
  constructor(
    readonly className: string,
    name: string = className,
  ) {
    this.name = name;
  }

  abstract readonly tools: readonly Tool[];
  abstract getState(): Values | null;
  abstract loadState(state: Values): void;
  abstract reset(): void;

  readonly provides: readonly Protocol[] = [];

  connect(): void {}

  poll(): string | null {
    return null;
  }

  /** The world that contains the app: clock, other apps, log. */
  get world(): World {
    if (!this.attached) throw new Error(`${this.name} lives in no world yet; add it to one before calling it.`);
    return this.attached;
  }

  /** Ids and random numbers of this app, from the world's seed and the app's name. */
  get draws(): Draws {
    this.source ??= this.world.draws(this.name);
    return this.source;
  }

  attach(world: World): void {
    this.attached = world;
    this.source = null;
  }

  tool(name: string): Tool | undefined {
    return this.tools.find((tool) => tool.name === name);
  }

  call(name: string, args: Args = {}): Value {
    const tool = this.tool(name);
    if (!tool) throw attributeError(`'${this.className}' object has no attribute '${name}'`);
    const bound = bind(tool, args);
    const run = () => tool.run(this, plainArgs(bound));
    return tool.operation === null ? run() : this.world.logged({ app: this, tool, args: bound }, run);
  }
}

/** An app without state in a scenario. */
export abstract class StatelessApp extends AppBase {
  getState(): null {
    return null;
  }

  loadState(): void {}

  reset(): void {}
}
