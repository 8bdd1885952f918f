// Interfaces of apps, tools and the world that apps live in. `AppBase` (app.ts) is what an app extends, `toolsOf` (tool.ts) declares its
// tools, `AppWorld` (world.ts) is the world. One app finds another by a protocol that the other provides (`Protocols`), without knowing its
// class; the first provider wins.

import type { Documents } from './documents.ts';
import type { Outcome } from './python-error.ts';
import type { PythonType } from './python-type.ts';
import type { Arg, Args, Value, Values } from './value.ts';

/** The caller that a tool is for. `data` fills an app before a scenario begins. */
export type Role = 'agent' | 'user' | 'env' | 'data';
export const ROLES: readonly Role[] = ['agent', 'user', 'env', 'data'];

/** The verifier judges the agent's WRITE calls. */
export type Operation = 'READ' | 'WRITE';

export interface Param {
  readonly name: string;
  readonly type: PythonType;
  /** Absent if the argument is required. */
  readonly default?: Value;
  readonly about?: string;
  /** Whether it collects the remaining arguments: Python's `**kwargs`. */
  readonly takesRest?: true;
  /** Whether an omitted argument gets no default here, because the external tool has its own default. */
  readonly staysAbsent?: true;
  /** Whether the tool has no type check and converts its argument itself. */
  readonly isConverted?: true;
}

export interface Tool {
  /** Name of the method; the public name is `{app.name}__{name}`. */
  readonly name: string;
  readonly roles: readonly Role[];
  /** Null if a call leaves nothing in the event log. */
  readonly operation: Operation | null;
  /** Event type of a direct call in the log. */
  readonly logsAs: 'AGENT' | 'USER' | 'ENV';
  /** Whether arguments are type-checked before anything is logged; a few tools of the reference lack it. */
  readonly isChecked: boolean;
  /** Python's name of the return type; null if the reference declares none. */
  readonly returns: string | null;
  readonly params: readonly Param[];
  readonly about: string;
  /** Text of the result for the agent, if it is not the result itself. */
  tells?(result: Value): string;
  /** Takes bound arguments, with whole floats as numbers. Throws PythonError. Makes no check and logs nothing; use `App.call` for those. */
  run(app: App, args: Readonly<Record<string, Value>>): Value;
}

/** A named, stateful object that owns tools. */
export interface App {
  /** Name in scenario files, by which events and tools refer to it; two apps of one class have different ones. */
  readonly name: string;
  /** The reference's class, by which the verifier and notifications know the app's tools. */
  readonly className: string;
  /** Tools of every role, in the catalogue's order. */
  readonly tools: readonly Tool[];
  /** Protocols by which other apps may find this one. */
  readonly provides: readonly Protocol[];
  /** The reference's get_state; null for an app without state. Returns a copy, since the app changes its own state. */
  getState(): Values | null;
  /** The reference's load_state. Throws PythonError for an invalid state. */
  loadState(state: Values): void;
  /** Empties the app. */
  reset(): void;
  attach(world: World): void;
  /** Called once all apps of a world exist, so that one may find another by `world.find`. */
  connect(): void;
  /** Called on each tick of the clock: the text of a notification to the agent, or null (reminders). */
  poll(): string | null;
  tool(name: string): Tool | undefined;
  /**
   * Calls a tool: with bound, checked arguments, logged with its outcome. An app uses it too, for its own or another app's tool, where the
   * reference's log shows the inner call; otherwise it calls a plain method.
   */
  call(name: string, args?: Args): Value;
}

/** Creates an app of each class by the class's name; APP_CLASSES in `apps/registry.ts` has them. */
export type AppClasses = Readonly<Record<string, (name?: string) => App>>;

/** A call that is logged. */
export interface Call {
  readonly app: App;
  readonly tool: Tool;
  /** Bound, with defaults, and whole floats marked. */
  readonly args: Readonly<Record<string, Arg>>;
}

/** A call that has been made and logged. */
export interface Logged extends Call {
  /** `{AGENT|USER|ENV}-{app.name}.{tool}-{id}` */
  readonly eventId: string;
  /** Simulated seconds since 1970, before the call. */
  readonly time: number;
  readonly outcome: Outcome<Value>;
}

/** A source of ids and random numbers. Never Math.random: the same seed and key give the same draws. */
export interface Draws {
  /** Returns 32 hexadecimal digits. */
  id(): string;
  /** Returns a number in [0, 1). */
  random(): number;
  uniform(from: number, to: number): number;
  /** Includes both ends. */
  randint(from: number, to: number): number;
}

export interface World {
  /** In the order in which they were added. */
  readonly apps: readonly App[];
  /** Simulated seconds since 1970. */
  now(): number;
  draws(key: string): Draws;
  /** An id that belongs to no app: of events, and where the reference draws a new uuid. */
  id(): string;
  app(name: string): App | undefined;
  /** The first app that provides the protocol. */
  find<P extends Protocol>(protocol: P): Protocols[P] | undefined;
  /** Moves the clock to the next notification, at most by `seconds`: `SystemApp.wait_for_notification`. */
  wait(seconds: number): void;
  /** Runs a call and logs it, even if it raises; within `quietly` it only runs it. */
  logged(call: Call, run: () => Value): Value;
  /** Calls made within are not logged: the environment logs a scenario's event once. */
  quietly<T>(run: () => T): T;
}

/** A file system of the simulated device. Paths are relative to its sandbox. */
export interface FileSystem {
  /** Texts of the documents that the scenario was loaded with. */
  documents: Documents;
  /** Calls the tool `exists`, which is logged. */
  exists(path: string): boolean;
  /** Throws FileNotFoundError. */
  read(path: string): Uint8Array;
  /** Replaces the contents. Throws FileNotFoundError if the folder is missing. */
  write(path: string, contents: Uint8Array): void;
}

export interface Protocols {
  FILE_SYSTEM: FileSystem;
}
export type Protocol = keyof Protocols;
