// Interfaces of apps, tools and the world that apps live in. `AppBase` (app.ts) is what an app extends, `toolsOf` (tool.ts) declares its
// tools, `AppWorld` (world.ts) is the world. One app finds another by a protocol that the other provides (`Protocols`), without knowing its
// class; the first provider wins.

import type { Documents } from './documents.ts';
import type { Outcome } from './python-error.ts';
import type { PythonType } from './python-type.ts';
import type { Arg, Args, Value, Values } from './value.ts';

/** The caller that a tool is for. `data` is for filling an app before a scenario begins. */
export type Role = 'agent' | 'user' | 'env' | 'data';
export const ROLES: readonly Role[] = ['agent', 'user', 'env', 'data'];

/** The verifier judges the agent's WRITE calls. */
export type Operation = 'READ' | 'WRITE';

export interface Param {
  readonly name: string;
  readonly type: PythonType;
  /** Absent: it must be given. */
  readonly default?: Value;
  readonly about?: string;
  /** Takes the arguments that no other parameter takes: Python's `**kwargs`. */
  readonly takesRest?: true;
  /** If it is not given, the tool is not given its default either: another's tool, which has a default of its own. */
  readonly staysAbsent?: true;
  /** The tool has no type check and converts its argument itself. */
  readonly isConverted?: true;
}

export interface Tool {
  /** Name of the method; the public name is `{app.name}__{name}`. */
  readonly name: string;
  readonly roles: readonly Role[];
  /** null: a call leaves nothing in the event log. */
  readonly operation: Operation | null;
  /** Kind of event that a direct call is logged as. */
  readonly logsAs: 'AGENT' | 'USER' | 'ENV';
  /** Arguments are checked against the types before anything is logged; a few tools of the reference lack it. */
  readonly isChecked: boolean;
  /** In Python's words; null where the reference says none. */
  readonly returns: string | null;
  readonly params: readonly Param[];
  readonly about: string;
  /** Text of the result for the agent, where that is not the result itself. */
  tells?(result: Value): string;
  /** Bound arguments, marks off. Throws PythonError. Raw: no check, nothing logged; use `App.call` for those. */
  run(app: App, args: Readonly<Record<string, Value>>): Value;
}

/** A named, stateful object that owns tools. */
export interface App {
  /** Name in scenario files; two apps of one class have different ones. Events and tools are addressed by it. */
  readonly name: string;
  /** The reference's class, by which the verifier and notifications know the app's tools. */
  readonly className: string;
  /** In the catalogue's order; of every role. */
  readonly tools: readonly Tool[];
  /** Protocols by which other apps may find this one. */
  readonly provides: readonly Protocol[];
  /** The reference's get_state; null for an app without any. A copy: the app goes on writing to its own. */
  getState(): Values | null;
  /** The reference's load_state. Throws PythonError on a state that it cannot take. */
  loadState(state: Values): void;
  /** Back to the empty app. */
  reset(): void;
  attach(world: World): void;
  /** Called once all apps of a world are there, so that one may find another by `world.find`. */
  connect(): void;
  /** Called on each tick of the clock: the text to notify the agent of, or null (reminders). */
  poll(): string | null;
  tool(name: string): Tool | undefined;
  /** Calls a tool as its caller does: bound, checked, and logged with what came of it. Also how an app calls a tool of its own or of
   *  another app where the reference's log shows the inner call; a plain method where it does not. */
  call(name: string, args?: Args): Value;
}

/** Makes an app of each importable class by the class's name; `apps/registry.ts` has them as APP_CLASSES. */
export type AppClasses = Readonly<Record<string, (name?: string) => App>>;

/** A call that is logged. */
export interface Call {
  readonly app: App;
  readonly tool: Tool;
  /** Bound, defaults filled in, marks of floats kept. */
  readonly args: Readonly<Record<string, Arg>>;
}

/** A call that has been made. */
export interface Logged extends Call {
  /** `{AGENT|USER|ENV}-{app.name}.{tool}-{id}` */
  readonly eventId: string;
  /** Simulated seconds since 1970, before the call. */
  readonly time: number;
  readonly outcome: Outcome<Value>;
}

/** A source of ids and random numbers. Never Math.random: the same seed and key give the same draws. */
export interface Draws {
  /** 32 hexadecimal digits. */
  id(): string;
  /** In [0, 1). */
  random(): number;
  uniform(from: number, to: number): number;
  /** Both ends belong to it. */
  randint(from: number, to: number): number;
}

export interface World {
  /** In the order in which they were added. */
  readonly apps: readonly App[];
  /** Simulated seconds since 1970. */
  now(): number;
  draws(key: string): Draws;
  /** An id that is no app's: of events, and where the reference draws a fresh uuid. */
  id(): string;
  app(name: string): App | undefined;
  /** The first app that provides it. */
  find<P extends Protocol>(protocol: P): Protocols[P] | undefined;
  /** Jumps the clock to the next notification or by so many seconds: `SystemApp.wait_for_notification`. */
  wait(seconds: number): void;
  /** Runs a call and logs it, also where it raises; only runs it within `quietly`. */
  logged(call: Call, run: () => Value): Value;
  /** Calls made within are not logged: an event of a scenario is logged once, by the environment. */
  quietly<T>(run: () => T): T;
}

/** A file system of the simulated device. Paths are rooted in its sandbox. */
export interface FileSystem {
  /** Texts of the documents that the scenario was loaded with. */
  documents: Documents;
  /** Calls the tool `exists`, which is logged. */
  exists(path: string): boolean;
  /** Throws FileNotFoundError. */
  read(path: string): Uint8Array;
  /** Replaces the contents. Throws FileNotFoundError where the folder is missing. */
  write(path: string, contents: Uint8Array): void;
}

export interface Protocols {
  FILE_SYSTEM: FileSystem;
}
export type Protocol = keyof Protocols;
