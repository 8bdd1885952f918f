// A tool's schema and function are declared together, once, in its app: the catalogue, the type check, the parsing of JSON actions and
// scenario files, and the agent's prompt follow from the declaration.
import { typeError } from './python-error.ts';
import { checkType, type PythonTypes } from './python-type.ts';
import type { App, Operation, Param, Role, Tool } from './types.ts';
import type { Arg, Args, Value } from './value.ts';

type Declared = Readonly<Record<string, Pick<Param, 'type' | 'default' | 'about' | 'takesRest' | 'isConverted'>>>;
export type Bound<P extends Declared> = { readonly [K in keyof P]: PythonTypes[P[K]['type']] };

export interface Declaration<A extends App, P extends Declared> {
  name: string;
  /** Default: the agent only. */
  roles?: readonly Role[];
  operation: Operation | null;
  /** Given if it is not the first of AGENT, USER, ENV among the roles. */
  logsAs?: Tool['logsAs'];
  /** Whether the reference has no type check on it. */
  isUnchecked?: boolean;
  returns: string | null;
  /** Parameters by name, in order. */
  params: P;
  about: string;
  /** Text of the result for the agent, if it is not the result itself. */
  tells?(result: Value): string;
  run(app: A, args: Bound<P>): Value;
}

/** Declares the tools of one class of app: `const tool = toolsOf<CalendarApp>()`, then `tool({ … })` for each. */
export const toolsOf =
  <A extends App>() =>
  <const P extends Declared>(declared: Declaration<A, P>): Tool => {
    const {
      params: byName,
      isUnchecked = false,
      roles = ['agent'],
      logsAs = defaultLog(roles),
      run,
      ...rest
    } = declared;
    const params = Object.entries(byName).map(([name, param]) => ({ name, ...param }));
    return {
      ...rest,
      roles,
      logsAs,
      isChecked: !isUnchecked,
      params,
      run: (app, args) => {
        // If the reference has no check, a wrong argument fails inside its call, which is then logged.
        if (isUnchecked)
          for (const { name, type, isConverted } of params) if (!isConverted) checkType(name, args[name] ?? null, type);
        return run(app as A, args as Bound<P>);
      },
    };
  };

const defaultLog = (roles: readonly Role[]): Tool['logsAs'] =>
  roles.includes('agent') ? 'AGENT' : roles.includes('user') ? 'USER' : 'ENV';

/**
 * Arguments in the tool's order, with defaults except for those that stay absent, and type-checked if the tool has a check. Throws
 * TypeError.
 */
export function bind(tool: Tool, args: Args): Record<string, Arg> {
  const unexpected = Object.entries(args).filter(([name]) => !tool.params.some((param) => param.name === name));
  const lacking = tool.params.find(
    (param) => param.default === undefined && !param.takesRest && !Object.hasOwn(args, param.name),
  );
  if (lacking) throw typeError(`missing a required argument: '${lacking.name}'`);
  if (unexpected[0] && !tool.params.some(({ takesRest }) => takesRest))
    throw typeError(`got an unexpected keyword argument '${unexpected[0][0]}'`);
  const argOf = ({ name, type, default: fallback, takesRest }: Param): Arg => {
    const given = Object.hasOwn(args, name) ? args[name] : undefined;
    if (takesRest) return Object.fromEntries(unexpected);
    if (given === undefined) return fallback ?? null;
    if (tool.isChecked) checkType(name, given, type);
    return given;
  };
  const bound = tool.params.filter(({ name, staysAbsent }) => !staysAbsent || Object.hasOwn(args, name));
  return Object.fromEntries(bound.map((param) => [param.name, argOf(param)]));
}
