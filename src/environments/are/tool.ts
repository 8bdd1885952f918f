// What a tool is. Schema and function are declared together, once, in the app that has it: the catalogue, the type check, reading of
// JSON actions and of scenario files, and what an agent is told come from the declaration.
import type { App } from './app.ts';
import { typeError } from './python-error.ts';
import { checkType, type PythonType, type PythonTypes } from './python-type.ts';
import type { Arg, Args, Value } from './value.ts';

/** Who may call a tool. `data` is for filling an app before a scenario begins. */
export type Role = 'agent' | 'user' | 'env' | 'data';
export const ROLES: readonly Role[] = ['agent', 'user', 'env', 'data'];

/** What the verifier judges are WRITE calls of the agent. */
export type Operation = 'READ' | 'WRITE';

export interface Param {
  readonly name: string;
  readonly type: PythonType;
  /** Absent: it must be given. */
  readonly default?: Value;
  readonly about?: string;
}

export interface Tool {
  /** Of the method; the public name is `{app.name}__{name}`. */
  readonly name: string;
  readonly roles: readonly Role[];
  /** null: a call leaves nothing in the event log. */
  readonly operation: Operation | null;
  /** As whose event a direct call is logged. */
  readonly logsAs: 'AGENT' | 'USER' | 'ENV';
  /** Arguments are checked against the types before anything is logged; a few tools of the reference lack it. */
  readonly isChecked: boolean;
  /** In Python's words; null where the reference says none. */
  readonly returns: string | null;
  readonly params: readonly Param[];
  readonly about: string;
  /** Bound arguments, marks off. Throws PythonError. Raw: no check, nothing logged; use `App.call` for those. */
  run(app: App, args: Readonly<Record<string, Value>>): Value;
}

type Declared = Readonly<
  Record<string, { readonly type: PythonType; readonly default?: Value; readonly about?: string }>
>;
export type Bound<P extends Declared> = { readonly [K in keyof P]: PythonTypes[P[K]['type']] };

export interface Declaration<A extends App, P extends Declared> {
  name: string;
  roles: readonly Role[];
  operation: Operation | null;
  /** Where it is not the first of AGENT, USER, ENV that the roles name. */
  logsAs?: Tool['logsAs'];
  /** True where the reference has no type check on it. */
  isUnchecked?: boolean;
  returns: string | null;
  /** By name, in order. */
  params: P;
  about: string;
  run(app: A, args: Bound<P>): Value;
}

/** Declares the tools of one class of app: `const tool = toolsOf<CalendarApp>()`, then `tool({ … })` for each. */
export const toolsOf =
  <A extends App>() =>
  <const P extends Declared>(declared: Declaration<A, P>): Tool => {
    const { params, isUnchecked = false, logsAs = usualLog(declared.roles), run, ...rest } = declared;
    return {
      ...rest,
      logsAs,
      isChecked: !isUnchecked,
      params: Object.entries(params).map(([name, param]) => ({ name, ...param })),
      run: (app, args) => run(app as A, args as Bound<P>),
    };
  };

const usualLog = (roles: readonly Role[]): Tool['logsAs'] =>
  roles.includes('agent') ? 'AGENT' : roles.includes('user') ? 'USER' : 'ENV';

/** Arguments as the tool takes them: in its order, defaults filled in, types checked where the tool has a check. Throws TypeError. */
export function bind(tool: Tool, args: Args): Record<string, Arg> {
  const stranger = Object.keys(args).find((name) => !tool.params.some((param) => param.name === name));
  if (stranger !== undefined) throw typeError(`got an unexpected keyword argument '${stranger}'`);
  const bound: Record<string, Arg> = {};
  for (const { name, type, default: usual } of tool.params) {
    const given = Object.hasOwn(args, name) ? args[name] : undefined;
    if (given === undefined) {
      if (usual === undefined) throw typeError(`missing a required argument: '${name}'`);
      bound[name] = usual;
    } else {
      if (tool.isChecked) checkType(name, given, type);
      bound[name] = given;
    }
  }
  return bound;
}
