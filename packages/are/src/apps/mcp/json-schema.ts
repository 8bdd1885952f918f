// Reads a server's JSON Schema: whether a value may be null, and where a structured answer breaks its schema. Own code that counts its
// work, because the schema is untrusted: references may be circular and alternatives multiply, and a library's validator has no limit.
// Types, required members, members and items, enum, const, combined schemas and local references are checked; bounds, patterns and formats
// are left to the server.
import type { Value, Values } from '../../value.ts';

/** Most places of a schema that are visited for one value, and their depth: a reference may lead to itself. */
const [MOST_WORK, MOST_DEPTH] = [200_000, 500];
/** A reference outside the schema: its members are in no list of properties, and their types are unknown. */
const UNKNOWN: Values = { $ref: 'unknown' };

/** Where a value breaks its schema (`tags[1]`, "" for the whole), and how. */
interface Found {
  readonly path: string;
  readonly why: string;
}

/** A value that breaks the schema. */
export class Misfit extends Error {
  readonly path: string;
  readonly why: string;

  constructor({ path, why }: Found) {
    super(`${path === '' ? 'it' : path} ${why}`);
    this.path = path;
    this.why = why;
  }
}

export const isValues = (value: Value | undefined): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);

/** @param schema the root, within which references are looked up */
export class SchemaReader {
  private work = 0;
  private depth = 0;

  constructor(private readonly schema: Value) {}

  /** Whether a part of the schema allows null. Throws Misfit if the schema is too complex. */
  allowsNull(part: Value): boolean {
    return this.misfit(null, part, '') === null;
  }

  /** Throws Misfit for the first place that breaks the schema. */
  check(value: Value): void {
    const found = this.misfit(value, this.schema, '');
    if (found) throw new Misfit(found);
  }

  /** The value without optional members that are null where the schema forbids null. Throws Misfit for any other such null. */
  withoutNulls(value: Value): Value {
    return this.fitted(value, this.schema, '');
  }

  private fitted(value: Value, schema: Value, path: string): Value {
    if (isList(value)) {
      return value.map((item, at) => this.placed(item, this.member(schema, value, at), `${path}[${at}]`));
    }
    if (!isValues(value)) return value;
    const kept = Object.entries(value).flatMap(([name, item]): [string, Value][] => {
      const part = this.member(schema, value, name);
      const place = path === '' ? name : `${path}.${name}`;
      if (item === null && !this.allowsNull(part) && !this.isRequired(schema, value, name)) return [];
      return [[name, this.placed(item, part, place)]];
    });
    return Object.fromEntries(kept);
  }

  private placed(value: Value, schema: Value, path: string): Value {
    const wrong = value === null ? this.misfit(null, schema, path) : null;
    if (wrong) throw new Misfit(wrong);
    return this.fitted(value, schema, path);
  }

  /** The schema of an object's member or of a list's item. */
  private member(schema: Value, of: Value, at: string | number): Value {
    return isValues(schema) ? this.counted(() => this.memberOf(schema, of, at)) : schema !== false;
  }

  private memberOf(schema: Values, of: Value, at: string | number): Value {
    const parts: Value[] = [this.ownMember(schema, at)];
    if (schema.$ref !== undefined) parts.push(this.member(this.target(schema), of, at));
    for (const one of listOf(schema.allOf)) parts.push(this.member(one, of, at));
    for (const forms of [listOf(schema.anyOf), listOf(schema.oneOf)])
      if (forms.length > 0) parts.push({ anyOf: this.formsOf(forms, of).map((form) => this.member(form, of, at)) });
    return { allOf: parts };
  }

  private ownMember(schema: Values, at: string | number): Value {
    if (typeof at === 'number') {
      const places = isList(schema.prefixItems) ? schema.prefixItems : listOf(schema.items);
      return places[at] ?? (isList(schema.items) ? (schema.additionalItems ?? true) : (schema.items ?? true));
    }
    const { properties, patternProperties, additionalProperties = true } = schema;
    if (isValues(properties) && Object.hasOwn(properties, at)) return properties[at] ?? true;
    // Patterns are not run, and one of them may match the member.
    return isValues(patternProperties)
      ? { anyOf: [...Object.values(patternProperties), additionalProperties] }
      : additionalProperties;
  }

  private isRequired(schema: Value, of: Value, name: string): boolean {
    return isValues(schema) && this.counted(() => this.requires(schema, of, name));
  }

  private requires(schema: Values, of: Value, name: string): boolean {
    if (listOf(schema.required).includes(name)) return true;
    if (schema.$ref !== undefined && this.isRequired(this.target(schema), of, name)) return true;
    if (listOf(schema.allOf).some((one) => this.isRequired(one, of, name))) return true;
    return [listOf(schema.anyOf), listOf(schema.oneOf)].some(
      (forms) => forms.length > 0 && this.formsOf(forms, of).every((form) => this.isRequired(form, of, name)),
    );
  }

  /** The alternatives that a value may belong to: those that it fits apart from its nulls, else those of its type. */
  private formsOf(forms: readonly Value[], of: Value): readonly Value[] {
    const bare = isList(of)
      ? of.filter((item) => item !== null)
      : Object.fromEntries(Object.entries(of as Values).filter(([, item]) => item !== null));
    const fitting = forms.filter((form) => this.misfit(bare, form, '') === null);
    if (fitting.length > 0) return fitting;
    const empty: Value = isList(of) ? [] : {};
    return forms.filter((form) => {
      const type = isValues(form) ? (form.$ref === undefined ? form.type : undefined) : undefined;
      return type === undefined || this.misfit(empty, { type }, '') === null;
    });
  }

  private misfit(value: Value, schema: Value, path: string): Found | null {
    return this.counted(() => this.misfitOf(value, schema, path));
  }

  private misfitOf(value: Value, schema: Value, path: string): Found | null {
    if (schema === false) return { path, why: 'has no place in the schema' };
    if (!isValues(schema)) return null;
    if (schema.$ref !== undefined) {
      const target = this.target(schema);
      if (target === UNKNOWN) return value === null ? { path, why: 'is null, and its schema is elsewhere' } : null;
      const found = this.misfit(value, target, path);
      if (found) return found;
    }
    if (value === null && schema.nullable === true) return null;
    return (
      this.ofType(value, schema, path) ??
      this.ofValues(value, schema, path) ??
      this.ofForms(value, schema, path) ??
      this.ofMembers(value, schema, path)
    );
  }

  private ofType(value: Value, { type }: Values, path: string): Found | null {
    const types = isList(type) ? type : type === undefined ? [] : [type];
    if (types.length === 0 || types.some((one) => isOfType(value, one))) return null;
    return { path, why: `is ${shown(value)}, and has to be ${types.join(' or ')}` };
  }

  private ofValues(value: Value, schema: Values, path: string): Found | null {
    const allowed = isList(schema.enum) ? schema.enum : Object.hasOwn(schema, 'const') ? [schema.const ?? null] : null;
    if (allowed === null || allowed.some((one) => isSame(one, value))) return null;
    const list = allowed.slice(0, 8).map(shown).join(', ');
    return { path, why: `is ${shown(value)}, and has to be ${allowed.length > 1 ? `one of ${list}` : list}` };
  }

  private ofForms(value: Value, schema: Values, path: string): Found | null {
    for (const one of listOf(schema.allOf)) {
      const found = this.misfit(value, one, path);
      if (found) return found;
    }
    for (const forms of [listOf(schema.anyOf), listOf(schema.oneOf)]) {
      const found = forms.map((form) => this.misfit(value, form, path));
      if (forms.length === 0 || found.includes(null)) continue;
      return forms.length === 1
        ? (found[0] as Found)
        : { path, why: `is ${shown(value)}, none of its ${forms.length} forms` };
    }
    return null;
  }

  private ofMembers(value: Value, schema: Values, path: string): Found | null {
    if (isList(value)) {
      for (const [at, item] of value.entries()) {
        const found = this.misfit(item, this.ownMember(schema, at), `${path}[${at}]`);
        if (found) return found;
      }
      return null;
    }
    if (!isValues(value)) return null;
    const lacking = listOf(schema.required).find((name) => typeof name === 'string' && !Object.hasOwn(value, name));
    if (lacking !== undefined) return { path: path === '' ? String(lacking) : `${path}.${lacking}`, why: 'is missing' };
    for (const [name, item] of Object.entries(value)) {
      const found = this.misfit(item, this.ownMember(schema, name), path === '' ? name : `${path}.${name}`);
      if (found) return found;
    }
    return null;
  }

  /** The target of a reference within the same schema: `#/$defs/Name`. */
  private target({ $ref }: Values): Value {
    if (typeof $ref !== 'string' || !/^#(?:\/|$)/.test($ref)) return UNKNOWN;
    let found: Value | undefined = this.schema;
    for (const step of $ref
      .slice(2)
      .split('/')
      .filter((one) => one !== '')) {
      const name = unescaped(step);
      if (isList(found)) found = found[Number(name)];
      else found = isValues(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    return found === undefined ? UNKNOWN : found;
  }

  private counted<T>(look: () => T): T {
    if (++this.work > MOST_WORK)
      throw new Misfit({ path: '', why: `needs more than ${MOST_WORK} looks at its schema` });
    if (++this.depth > MOST_DEPTH)
      throw new Misfit({ path: '', why: `needs looks at its schema more than ${MOST_DEPTH} deep` });
    try {
      return look();
    } finally {
      this.depth--;
    }
  }
}

/** Decodes a JSON pointer's step (RFC 6901) within a URL. */
function unescaped(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

const listOf = (value: Value | undefined): readonly Value[] => (isList(value) ? value : []);

function isOfType(value: Value, type: Value): boolean {
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return isList(value);
  if (type === 'object') return isValues(value);
  return typeof value === type;
}

function isSame(a: Value, b: Value): boolean {
  if (isList(a) && isList(b)) return a.length === b.length && a.every((item, at) => isSame(item, b[at] ?? null));
  if (!isValues(a) || !isValues(b)) return a === b;
  const names = Object.keys(a);
  const has = (name: string) => Object.hasOwn(b, name) && isSame(a[name] ?? null, b[name] ?? null);
  return names.length === Object.keys(b).length && names.every(has);
}

function shown(value: Value): string {
  const text = isList(value) ? 'a list' : isValues(value) ? 'an object' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
