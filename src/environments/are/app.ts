// What an app is: a named, stateful object that owns tools. State goes in and out as the JSON that scenario files carry.
import type { Protocol } from './protocols.ts';
import { attributeError } from './python-error.ts';
import { bind, type Tool } from './tool.ts';
import { type Args, plainArgs, type Value, type Values } from './value.ts';
import type { Draws, World } from './world.ts';

/** Makes an app of each importable class by the class's name; `apps/registry.ts` has them as APP_CLASSES. */
export type AppClasses = Readonly<Record<string, (name?: string) => App>>;

export abstract class App {
  /** As scenario files name it; two apps of one class have different names. Events and tools are addressed by it. */
  readonly name: string;
  private attached: World | null = null;
  private source: Draws | null = null;

  /** @param className the reference's class, by which the verifier and notifications know the app's tools. */
  constructor(
    readonly className: string,
    name: string = className,
  ) {
    this.name = name;
  }

  /** In the catalogue's order; of every role. */
  abstract readonly tools: readonly Tool[];

  /** By what other apps may find this one. */
  readonly provides: readonly Protocol[] = [];

  /** As the reference's get_state; null for an app without any. A copy: the app goes on writing to its own. */
  abstract getState(): Values | null;

  /** As load_state. Throws PythonError on what it cannot take. */
  abstract loadState(state: Values): void;

  /** Back to the empty app. */
  abstract reset(): void;

  /** Called once all apps of a world are there, so that one may find another by `world.find`. */
  connect(): void {}

  /** Called on each tick of the clock: the text to notify the agent of, or null (reminders). */
  poll(): string | null {
    return null;
  }

  /** The world that it lives in: clock, other apps, log. */
  get world(): World {
    if (!this.attached) throw new Error(`${this.name} lives in no world yet; add it to one before calling it.`);
    return this.attached;
  }

  /** Ids and random numbers of its own, by the world's seed and the app's name. */
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

  /** Calls a tool as its caller does: bound, checked, and logged with what came of it. Also how an app calls a tool of its own or of
   *  another app where the reference's log shows the inner call; a plain method where it does not. */
  call(name: string, args: Args = {}): Value {
    const tool = this.tool(name);
    if (!tool) throw attributeError(`'${this.className}' object has no attribute '${name}'`);
    const bound = bind(tool, args);
    const run = () => tool.run(this, plainArgs(bound));
    return tool.operation === null ? run() : this.world.logged({ app: this, tool, args: bound }, run);
  }
}
