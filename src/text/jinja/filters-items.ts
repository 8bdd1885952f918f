// Jinja2's filters over the elements of a value. Filters that are generators in Python return streams, which are evaluated lazily and can
// be read only once.

import type { Filter, Rendering } from './arguments.ts';
import { getElement } from './attributes.ts';
import { arithmetic, equal, ordered, sorted } from './operators.ts';
import { soft } from './strings.ts';
import {
  type Arguments,
  characters,
  Dict,
  elementsOf,
  hashOf,
  integerOf,
  List,
  listOf,
  Markup,
  numberOf,
  Range,
  Stream,
  Tuple,
  truth,
  typeError,
  typeOf,
  Undefined,
  type Value,
  View,
} from './values.ts';
import { unsupported, type Work } from './work.ts';

/** A function that looks up a path such as `a.b.0` in an item, each part as an element first; the path null gives the item itself. */
export function getter(attribute: Value, work: Work, fallback: Value = null): (item: Value) => Value {
  const parts: Value[] =
    attribute === null
      ? []
      : typeof attribute === 'string'
        ? attribute.split('.').map((part) => (/^\d+$/.test(part) ? BigInt(part) : part))
        : [attribute];
  return (item) => {
    let found = item;
    for (const part of parts) {
      found = getElement(found, part, work);
      if (fallback !== null && found instanceof Undefined) found = fallback;
    }
    return found;
  };
}

const ignoringCase = (value: Value, work: Work): Value => {
  if (value instanceof Markup) throw unsupported("sorting texts that 'safe' or 'escape' marked");
  return typeof value === 'string' ? work.text(work.text(value).toLowerCase()) : value;
};

/** The key by which elements are ordered. If `several` is true, `attribute` may name several attributes separated by commas. */
function sortKey(attribute: Value, caseSensitive: Value, work: Work, several = false): (item: Value) => Value {
  const own = (get: (item: Value) => Value) => (item: Value) =>
    truth(caseSensitive) ? get(item) : ignoringCase(get(item), work);
  if (!several) return own(getter(attribute, work));
  const getters = (typeof attribute === 'string' ? attribute.split(',') : [attribute]).map((one) =>
    own(getter(one, work)),
  );
  return (item) => new List(getters.map((get) => get(item)));
}

function* stream(value: Value, work: Work): Generator<Value> {
  const elements = elementsOf(value, work);
  if (!elements) throw typeError(`'${typeOf(value)}' object is not iterable`);
  for (let next = elements.next(); !next.done; next = elements.next()) {
    work.charge(1);
    yield next.value;
  }
}

function* mapped(value: Value, args: Arguments, rendering: Rendering): Generator<Value> {
  if (!truth(value)) return;
  const [name, ...rest] = args.positional;
  let apply: (item: Value) => Value;
  if (name === undefined && args.named.has('attribute')) {
    const known = new Set(['attribute', 'default']);
    for (const key of args.named.keys()) if (!known.has(key)) throw typeError(`Unexpected keyword argument '${key}'`);
    apply = getter(args.named.get('attribute')!, rendering.work, args.named.get('default') ?? null);
  } else {
    if (typeof name !== 'string') throw typeError('map requires a filter argument');
    apply = (item) => rendering.filter(name, item, { positional: rest, named: args.named });
  }
  for (const item of stream(value, rendering.work)) yield apply(item);
}

function* chosen(
  value: Value,
  args: Arguments,
  rendering: Rendering,
  wanted: boolean,
  attribute: boolean,
): Generator<Value> {
  if (!truth(value)) return;
  const { positional, named } = args;
  if (attribute && positional.length === 0) throw typeError('Missing parameter for attribute name');
  const get = attribute ? getter(positional[0], rendering.work) : (item: Value) => item;
  const [name, ...rest] = positional.slice(attribute ? 1 : 0);
  if (name !== undefined && typeof name !== 'string') throw typeError('a test is named by a str');
  for (const item of stream(value, rendering.work)) {
    const found = get(item);
    const holds = name === undefined ? truth(found) : rendering.test(name, found, { positional: rest, named });
    if (holds === wanted) yield item;
  }
}

const select = (wanted: boolean, attribute: boolean): Filter => ({
  raw: (value, args, rendering) => new Stream(chosen(value, args, rendering, wanted, attribute)),
});

function* unique(value: Value, key: (item: Value) => Value, work: Work): Generator<Value> {
  const seen = new Set<string>();
  for (const item of stream(value, work)) {
    const hash = hashOf(key(item), work);
    if (!seen.has(hash)) yield item;
    seen.add(hash);
  }
}

function* batched(value: Value, size: number, fill: Value, work: Work): Generator<Value> {
  let row: Value[] = [];
  for (const item of stream(value, work)) {
    if (row.length === size) {
      yield new List(row);
      row = [];
    }
    row.push(item);
  }
  if (row.length === 0) return;
  const missing = fill === null ? 0 : Math.max(0, size - row.length);
  work.items('batch()', missing);
  yield new List([...row, ...Array<Value>(missing).fill(fill)]);
}

function* sliced(value: Value, count: number, fill: Value, work: Work): Generator<Value> {
  const items = listOf(value, work);
  if (count === 0) throw typeError('integer division or modulo by zero');
  const [each, extra] = [Math.floor(items.length / count), ((items.length % count) + count) % count];
  let from = 0;
  for (let i = 0; i < count; i++) {
    work.charge(1);
    const to = from + each + (i < extra ? 1 : 0);
    const part = items.slice(from, to);
    yield new List(fill !== null && i >= extra ? [...part, fill] : part);
    from = to;
  }
}

function* pairs(value: Value): Generator<Value> {
  if (value instanceof Undefined) return;
  if (!(value instanceof Dict)) throw typeError('Can only get item pairs from a mapping.');
  yield* new View('dict_items', value).items();
}

function reversed(value: Value, work: Work): readonly Value[] | null {
  const ordered =
    value instanceof List ||
    value instanceof Tuple ||
    value instanceof Range ||
    value instanceof Dict ||
    value instanceof View;
  return ordered || typeof value === 'string' ? [...listOf(value, work)].reverse() : null;
}

/** The filters `min` and `max`, which return the first of several equal extremes. */
const extreme = (operator: '<' | '>'): Filter => ({
  parameters: [
    ['case_sensitive', false],
    ['attribute', null],
  ],
  run(value, [caseSensitive, attribute], { work }) {
    const items = listOf(value, work);
    if (items.length === 0) return new Undefined('No aggregated item, sequence was empty.');
    const key = sortKey(attribute, caseSensitive, work);
    let best = { item: items[0], key: key(items[0]) };
    for (const item of items.slice(1)) {
      const own = key(item);
      if (ordered(own, operator, best.key, work)) best = { item, key: own };
    }
    return best.item;
  },
});

function summed(items: readonly Value[], start: Value, work: Work): Value {
  if (typeof start === 'string') throw typeError("sum() can't sum strings [use ''.join(seq) instead]");
  let total: Value = start;
  let [plain, lost] = [0, 0];
  for (const item of items) {
    total = arithmetic(total, '+', item, work);
    const float = Number(numberOf(item) ?? 0);
    // Python 3.12 corrects a sum of floats for rounding errors (Neumaier's algorithm), earlier versions do not; `lost` is that correction.
    const next = plain + float;
    lost += Math.abs(plain) >= Math.abs(float) ? plain - next + float : float - next + plain;
    plain = next;
  }
  if (typeof total === 'number' && lost !== 0 && plain + lost !== plain)
    throw unsupported('a sum of floats that versions of Python round differently');
  return total;
}

export const ITEM_FILTERS: Readonly<Record<string, Filter>> = {
  list: { parameters: [], run: (value, _, { work }) => new List(listOf(value, work)) },
  first: {
    parameters: [],
    run(value, _, { work }) {
      const next = stream(value, work).next();
      return next.done ? new Undefined('No first item, sequence was empty.') : next.value;
    },
  },
  last: {
    parameters: [],
    run(value, _, { work }) {
      const items = value instanceof Undefined ? [] : reversed(value, work);
      if (!items) throw typeError(`'${typeOf(value)}' object is not reversible`);
      return items[0] ?? (items.length > 0 ? null : new Undefined('No last item, sequence was empty.'));
    },
  },
  reverse: {
    parameters: [],
    run(value, _, { work }) {
      if (typeof value === 'string' || value instanceof Markup)
        return work.text([...characters(soft(value, 'reverse', work))].reverse().join(''));
      const items = value instanceof Undefined ? [] : reversed(value, work);
      if (items) return new Stream(items[Symbol.iterator](), 'reversed iterator');
      return new List([...listOf(value, work)].reverse());
    },
  },
  items: { parameters: [], run: (value) => new Stream(pairs(value)) },
  map: { raw: (value, args, rendering) => new Stream(mapped(value, args, rendering)) },
  select: select(true, false),
  reject: select(false, false),
  selectattr: select(true, true),
  rejectattr: select(false, true),
  sort: {
    parameters: [
      ['reverse', false],
      ['case_sensitive', false],
      ['attribute', null],
    ],
    run: (value, [reverse, caseSensitive, attribute], { work }) =>
      new List(sorted(listOf(value, work), sortKey(attribute, caseSensitive, work, true), truth(reverse), work)),
  },
  unique: {
    parameters: [
      ['case_sensitive', false],
      ['attribute', null],
    ],
    run: (value, [caseSensitive, attribute], { work }) =>
      new Stream(unique(value, sortKey(attribute, caseSensitive, work), work)),
  },
  min: extreme('<'),
  max: extreme('>'),
  sum: {
    parameters: [
      ['attribute', null],
      ['start', 0n],
    ],
    run: (value, [attribute, start], { work }) => summed(listOf(value, work).map(getter(attribute, work)), start, work),
  },
  groupby: {
    parameters: [['attribute'], ['default', null], ['case_sensitive', false]],
    run(value, [attribute, fallback, caseSensitive], { work }) {
      const own = getter(attribute, work, fallback);
      const key = (item: Value) => (truth(caseSensitive) ? own(item) : ignoringCase(own(item), work));
      const groups: { key: Value; items: Value[] }[] = [];
      for (const item of sorted(listOf(value, work), key, false, work)) {
        const last = groups.at(-1);
        const found = key(item);
        if (last && equal(last.key, found, work)) last.items.push(item);
        else groups.push({ key: found, items: [item] });
      }
      const pair = ({ items }: { items: Value[] }) => new Tuple([own(items[0]), new List(items)], ['grouper', 'list']);
      return new List(groups.map(pair));
    },
  },
  dictsort: {
    parameters: [
      ['case_sensitive', false],
      ['by', 'key'],
      ['reverse', false],
    ],
    run(value, [caseSensitive, by, reverse], { work }) {
      if (by !== 'key' && by !== 'value') throw typeError('You can only sort by either "key" or "value"');
      if (value instanceof Undefined) value.fail();
      if (!(value instanceof Dict)) throw typeError(`'${typeOf(value)}' object has no attribute 'items'`);
      const key = ([name, item]: readonly [Value, Value]) => {
        const own = by === 'key' ? name : item;
        return truth(caseSensitive) ? own : ignoringCase(own, work);
      };
      const entries = sorted([...value.entries.values()], key, truth(reverse), work);
      return new List(entries.map((entry) => new Tuple(entry)));
    },
  },
  batch: {
    parameters: [['linecount'], ['fill_with', null]],
    run: (value, [size, fill], { work }) =>
      new Stream(batched(value, integerOf(size, "the filter 'batch'"), fill, work)),
  },
  slice: {
    parameters: [['slices'], ['fill_with', null]],
    run: (value, [count, fill], { work }) =>
      new Stream(sliced(value, integerOf(count, "the filter 'slice'"), fill, work)),
  },
};
