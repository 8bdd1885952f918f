// Compares what needs no environment: parameter values, actions, checkers, their registry, the file format.
import { AgentError, parseCall, splitAction } from '../../agents/parse-action.ts';
import { APP_ALIASES } from '../../aliases.ts';
import { ScenarioError } from '../../errors.ts';
import { notifiedTools, VERBOSITIES } from '../../notifications/notified.ts';
import { PythonError } from '../../python-error.ts';
import { parsePythonJson } from '../../python-json.ts';
import { parseParameter } from '../../scenario/parameter.ts';
import { checkedTrace } from '../../scenario/schema.ts';
import { type Arg, type Args, plain, type Value } from '../../value.ts';
import { checkHard, checkScripted, isHard, type ScriptedChecker } from '../../verifier/checkers.ts';
import { TOOL_CHECKERS } from '../../verifier/registry.ts';
import { comparedCase } from './calling.ts';
import { faultsOf } from './schema-probes.ts';
import type { Comparison } from './types.ts';

const rowsOf = (text: string): readonly Args[] => parsePythonJson(text) as readonly Args[];
const shown = (value: Arg): string => JSON.stringify(plain(value)) ?? 'null';

export const compareParameters: Comparison = ({ text }) =>
  rowsOf(text).map((row) => {
    const [value, type] = [row.value as string | null, row.type as string | null];
    const name = `${shown(value)} as ${type}`;
    const result = outcome(() => ({ out: plain(parseParameter(value, type)) }));
    return comparedCase('parse_parameter_value.json', name, plain(row), { value, type, ...result });
  });

const outcome = (run: () => Record<string, Value>): Record<string, Value> => {
  try {
    return run();
  } catch (error) {
    if (error instanceof PythonError || error instanceof AgentError) return { error: [error.kind, error.message] };
    throw error;
  }
};

export const compareActions: Comparison = ({ text }) =>
  rowsOf(text).map((row, place) => {
    const output = row.llm_output as string;
    const split = outcome(() => ({ ...splitAction(output) }));
    const { action, ...found } = split;
    if (typeof action === 'string') {
      Object.assign(
        found,
        outcome(() => {
          const { toolName, appName, actionName, input } = parseCall(action);
          return {
            parsed: { tool_name: toolName, app_name: appName, action_name: actionName, arguments: plain(input) },
          };
        }),
      );
    }
    return comparedCase('parse_action.json', `output ${place}`, plain(row), { llm_output: output, ...found });
  });

export const compareCheckers: Comparison = ({ text }) =>
  rowsOf(text).map((row) => {
    const { checker, agent = null, oracle = null, targets, tolerance } = row as Args & { checker: string };
    const name = `${checker} ${shown(agent)} ${shown(targets ?? oracle)}`;
    const result = outcome(() => ({
      pass: isHard(checker)
        ? checkHard(checker, agent, oracle, tolerance === undefined ? [] : (plain(tolerance) as string[]))
        : checkScripted(checker as ScriptedChecker, agent, plain(targets ?? []) as string[]),
    }));
    const { pass: _, error: __, ...given } = plain(row) as Record<string, Value>;
    return comparedCase('hard_checkers.json', name, plain(row), { ...given, ...result });
  });

export const compareRegistry: Comparison = ({ json }) => {
  const args = Object.fromEntries([...TOOL_CHECKERS].map(([tool, entry]) => [tool, { ...entry.args }]));
  const soft = [...TOOL_CHECKERS]
    .filter(([, entry]) => entry.soft)
    .map(([tool, entry]) => [tool, [...(entry.soft ?? [])]]);
  const notified = VERBOSITIES.map((level): [string, Value] => [
    level,
    Object.fromEntries([...notifiedTools(level)].map(([className, tools]) => [className, [...tools]])),
  ]);
  const actual: Readonly<Record<string, Value>> = {
    arg_checkers: args,
    soft_checkers: Object.fromEntries(soft) as Value,
    app_alias: APP_ALIASES,
    notified_tools: Object.fromEntries(notified),
  };
  return Object.entries(json as Readonly<Record<string, Value>>).map(([part, expected]) =>
    comparedCase('checker_registry.json', part, expected, actual[part] ?? null),
  );
};

/** Tests every definition of the schema with valid and invalid values. */
export const compareSchema: Comparison = ({ json }) => {
  const accepts = (value: Value): boolean => {
    try {
      checkedTrace(value);
      return true;
    } catch (error) {
      if (error instanceof ScenarioError) return false;
      throw error;
    }
  };
  return faultsOf(json, accepts).map(({ name, faults }) => ({
    file: 'exported_trace_schema.json',
    name,
    differences: faults,
  }));
};
