// Compares the port's results with the reference's. Ids are drawn from a counter on both sides, and the reference draws more than a port
// needs, so ids are equal up to a bijection: `id0003` may be `id0002` here, if it is so throughout a case.
import { type Arg, isDict, isList, plain, type Value } from '../../value.ts';

const ID = /id\d{4,}/g;

export class Bijection {
  private readonly to = new Map<string, string>();
  private readonly from = new Map<string, string>();

  /** Whether two texts are equal except for ids; learns new pairs of ids. */
  same(expected: string, actual: string): boolean {
    const [a, b] = [expected.match(ID) ?? [], actual.match(ID) ?? []];
    if (a.length !== b.length || expected.replace(ID, 'id') !== actual.replace(ID, 'id')) return false;
    return a.every((id, place) => this.pair(id, b[place] as string));
  }

  /** The arguments of a recorded call, with recorded ids replaced by the port's. */
  translated(value: Arg): Arg {
    if (typeof value === 'string') return value.replace(ID, (id) => this.to.get(id) ?? id);
    if (isList(value)) return value.map((item) => this.translated(item));
    if (!isDict(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.translated(key) as string, this.translated(item)]),
    );
  }

  private pair(expected: string, actual: string): boolean {
    const [known, back] = [this.to.get(expected), this.from.get(actual)];
    if (known === undefined && back === undefined) {
      this.to.set(expected, actual);
      this.from.set(actual, expected);
      return true;
    }
    return known === actual && back === expected;
  }
}

/** The two sides add some floats in another order. */
const TOLERANCE = 1e-6;

const shown = (value: Value | undefined): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

/** Each difference with its path; empty if there are none. */
export function differences(expected: Value, actual: Value | undefined, ids: Bijection, path = ''): string[] {
  const wrong = () => [`${path || 'value'}: expected ${shown(expected)}, got ${shown(actual)}`];
  if (typeof expected === 'string') return typeof actual === 'string' && ids.same(expected, actual) ? [] : wrong();
  if (typeof expected === 'number') {
    return typeof actual === 'number' && Math.abs(expected - actual) <= TOLERANCE ? [] : wrong();
  }
  if (expected === null || typeof expected === 'boolean') return expected === actual ? [] : wrong();
  if (actual === null || typeof actual !== 'object' || Array.isArray(expected) !== Array.isArray(actual))
    return wrong();
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) return wrong();
    if (isReordered(expected, actual, ids))
      return [`${path}: in another order: expected ${shown(expected)}, got ${shown(actual)}`];
    return expected.flatMap((item, place) => differences(item, actual[place], ids, `${path}[${place}]`));
  }
  return recordDifferences(expected as Record<string, Value>, actual as Record<string, Value>, ids, path);
}

/** Whether two lists have the same entries, given the known ids, in another order: Python's sets are unordered. */
function isReordered(expected: readonly Value[], actual: readonly Value[], ids: Bijection): boolean {
  const known = expected.map((item) => JSON.stringify(plain(ids.translated(item))));
  const given = actual.map((item) => JSON.stringify(item));
  const isSame = known.every((text, place) => text === given[place]);
  return !isSame && known.sort().every((text, place) => text === given.sort()[place]);
}

/** Keys may be ids: ids are paired in order, other keys by name. */
function recordDifferences(
  expected: Record<string, Value>,
  actual: Record<string, Value>,
  ids: Bijection,
  path: string,
): string[] {
  const hasId = (key: string) => key.search(ID) >= 0;
  const byId = (record: Record<string, Value>) => Object.keys(record).filter(hasId);
  const [expectedIds, actualIds] = [byId(expected), byId(actual)];
  const found: string[] = [];
  for (const [key, value] of Object.entries(expected)) {
    const other = hasId(key) ? actualIds[expectedIds.indexOf(key)] : key;
    if (other === undefined || !Object.hasOwn(actual, other) || !ids.same(key, other)) {
      found.push(`${path}.${key}: missing`);
    } else found.push(...differences(value, actual[other], ids, `${path}.${key}`));
  }
  for (const key of Object.keys(actual)) {
    if (!hasId(key) && !Object.hasOwn(expected, key)) found.push(`${path}.${key}: not expected`);
  }
  if (actualIds.length > expectedIds.length)
    found.push(`${path}: ${actualIds.length - expectedIds.length} more ids than expected`);
  return found;
}
