// Tests a parser of the format against a JSON Schema: with a complete document that the schema allows, then with one change for each
// property of each definition: removed, of a wrong type, null. The parser must agree with the schema.
import type { Value } from '../../value.ts';

type Schema = Readonly<Record<string, Value>>;
type Path = readonly (string | number)[];

interface SchemaCase {
  readonly name: string;
  readonly faults: string[];
}

const VERSION = 'are_simulation_v1';

export function faultsOf(json: Value, accepts: (value: Value) => boolean): SchemaCase[] {
  const root = json as Schema;
  const definitions = (root.$defs ?? {}) as Readonly<Record<string, Schema>>;
  const resolve = (schema: Schema): Schema =>
    typeof schema.$ref === 'string' ? (definitions[schema.$ref.split('/').at(-1) as string] ?? schema) : schema;
  const whole = sample(root, resolve, []);
  const cases = new Map<string, string[]>();
  const ask = (name: string, value: Value, isAllowed: boolean, what: string) => {
    const faults = cases.get(name) ?? [];
    cases.set(name, faults);
    if (accepts(value) !== isAllowed) faults.push(`${what} is ${isAllowed ? 'refused' : 'let through'}`);
  };
  ask('whole document', whole, true, 'a document of the schema');
  walk(root, resolve, [], (schema, path, property, member) => {
    const name = String(schema.title ?? 'ExportedTrace');
    const at = [...path, property];
    const isRequired = ((schema.required ?? []) as readonly string[]).includes(property);
    ask(name, changed(whole, at, undefined), !isRequired, `${property} left out`);
    ask(name, changed(whole, at, null), allows(member, resolve, null), `${property} null`);
    for (const wrong of ['text', 1, 1.5, true, [], {}] as Value[]) {
      const isAllowed = allows(member, resolve, wrong) && property !== 'version';
      // An empty object or list may lack required contents.
      const isDeep = typeof wrong === 'object';
      if (!isDeep || !isAllowed)
        ask(name, changed(whole, at, wrong), isAllowed, `${property} ${JSON.stringify(wrong)}`);
    }
  });
  return [...cases].map(([name, faults]) => ({ name, faults }));
}

type Resolve = (schema: Schema) => Schema;
type Visit = (schema: Schema, path: Path, property: string, member: Schema) => void;

const members = (schema: Schema): Schema[] => ((schema.anyOf as Schema[] | undefined) ?? [schema]).slice();

function walk(schema: Schema, resolve: Resolve, path: Path, visit: Visit): void {
  for (const [property, member] of Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>)) {
    visit(schema, path, property, member);
    // In a union, the sample uses the last member that is not null.
    const chosen = resolve(
      members(member)
        .filter(({ type }) => type !== 'null')
        .at(-1) as Schema,
    );
    const items = chosen.type === 'array' ? resolve(members(chosen.items as Schema).at(-1) as Schema) : null;
    if (items?.properties) walk(items, resolve, [...path, property, 0], visit);
    else if (chosen.properties) walk(chosen, resolve, [...path, property], visit);
  }
}

function sample(schema: Schema, resolve: Resolve, path: Path): Value {
  const chosen = resolve(
    members(schema)
      .filter(({ type }) => type !== 'null')
      .at(-1) as Schema,
  );
  if (path.at(-1) === 'version') return VERSION;
  switch (chosen.type) {
    case 'string':
      return 'x';
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [sample(chosen.items as Schema, resolve, [...path, 0])];
    default:
      return Object.fromEntries(
        Object.entries((chosen.properties ?? {}) as Readonly<Record<string, Schema>>).map(([property, member]) => [
          property,
          sample(member, resolve, [...path, property]),
        ]),
      );
  }
}

function allows(schema: Schema, resolve: Resolve, value: Value): boolean {
  return members(schema).some((member) => {
    const { type } = resolve(member);
    if (value === null) return type === 'null';
    if (Array.isArray(value)) return type === 'array';
    if (typeof value === 'object') return type === 'object';
    if (typeof value === 'number') return type === 'number' || (type === 'integer' && Number.isInteger(value));
    return type === typeof value;
  });
}

/** A copy with one change; undefined removes the value. */
function changed(value: Value, path: Path, to: Value | undefined): Value {
  const [key, ...rest] = path;
  if (key === undefined) return to as Value;
  if (Array.isArray(value)) return value.map((item, place) => (place === key ? changed(item, rest, to) : item));
  return Object.fromEntries(
    Object.entries(value as Readonly<Record<string, Value>>).flatMap(([name, item]) => {
      if (name !== key) return [[name, item]];
      const next = changed(item, rest, to);
      return next === undefined ? [] : [[name, next]];
    }),
  );
}
