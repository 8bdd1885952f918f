// Tools of apps in the format of a Model Context Protocol server: their parameters as JSON Schema, and a call's JSON as arguments.
import type { Param, Tool } from '../../types.ts';
import { type Arg, type Args, Float, type Value, type Values } from '../../value.ts';

const SCHEMAS: Readonly<Record<string, Values>> = {
  str: { type: 'string' },
  int: { type: 'integer' },
  float: { type: 'number' },
  bool: { type: 'boolean' },
  None: { type: 'null' },
  dict: { type: 'object' },
  'dict[str, Any]': { type: 'object' },
  'dict[str, float]': { type: 'object', additionalProperties: { type: 'number' } },
  'list[str]': { type: 'array', items: { type: 'string' } },
  'list[dict[str, Any]]': { type: 'array', items: { type: 'object' } },
};

/** A parameter that takes anything has no type. */
const schemaOfType = (type: string): Values => {
  const members = type.split(' | ').map((member) => SCHEMAS[member] ?? {});
  return members.length === 1 ? (members[0] as Values) : { anyOf: members };
};

export function inputSchema({ params }: Tool): Values {
  const named = params.filter(({ takesRest }) => !takesRest);
  const properties = named.map(({ name, type, about, default: fallback }): [string, Value] => [
    name,
    {
      ...schemaOfType(type),
      ...(about && { description: about }),
      ...(fallback !== undefined && { default: fallback }),
    },
  ]);
  const required = named.filter((param) => param.default === undefined).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

/**
 * JSON does not distinguish 800 from 800.0: a whole number becomes a float if one is required. null means the default if null is not
 * allowed.
 */
export function argsOfJson({ params }: Tool, json: Values): Args {
  const entries = Object.entries(json).flatMap(([name, value]): [string, Arg][] => {
    const param = params.find((one) => one.name === name);
    if (value === null && param?.default !== undefined && !allowsNull(param)) return [];
    return [[name, param ? asFloats(value, param.type) : value]];
  });
  return Object.fromEntries(entries);
}

const allowsNull = ({ type }: Param): boolean => type === 'Any' || type.split(' | ').includes('None');

function asFloats(value: Value, type: string): Arg {
  if (/^float(?: \| None)?$/.test(type)) return typeof value === 'number' ? new Float(value) : value;
  if (type !== 'dict[str, float]' || value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asFloats(item, 'float')]));
}
