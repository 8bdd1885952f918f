// Attributes and elements: `a.b` and `a[b]` as Jinja2's immutable sandbox looks them up. A method that Python has but this renderer lacks
// is refused; one that would change a value is unavailable, as in the sandbox.
import { bind, boundOf, type Method, method } from './arguments.ts';
import { equal } from './operators.ts';
import { repr } from './printing.ts';
import { textMethod } from './strings.ts';
import {
  Callable,
  characters,
  Dict,
  Helper,
  integerOf,
  isWide,
  List,
  Markup,
  Namespace,
  numberOf,
  Range,
  Stream,
  Tuple,
  typeError,
  typeOf,
  Undefined,
  type Value,
  View,
} from './values.ts';
import { unsupported, type Work } from './work.ts';

const LIST: Readonly<Record<string, Method<List | Tuple>>> = {
  count: method([['value']], ({ items }, [value], work) =>
    BigInt(items.filter((item) => item === value || equal(item, value, work)).length),
  ),
  index: method([['value']], ({ items }, [value], work) => {
    const at = items.findIndex((item) => item === value || equal(item, value, work));
    if (at < 0) throw typeError(`${repr(value, work)} is not in list`);
    return BigInt(at);
  }),
};

const DICT: Readonly<Record<string, Method<Dict>>> = {
  get: method([['key'], ['default', null]], (dict, [key, fallback], work) => dict.get(key, work) ?? fallback),
  items: method([], (dict) => new View('dict_items', dict)),
  keys: method([], (dict) => new View('dict_keys', dict)),
  values: method([], (dict) => new View('dict_values', dict)),
  copy: method([], (dict) => dict),
};

interface Kind {
  methods: Readonly<Record<string, Method<never>>>;
  /** Methods that the sandbox forbids because they would change the value. */
  changing?: readonly string[];
  refused?: readonly string[];
}
const KINDS: Readonly<Record<string, Kind>> = {
  list: {
    methods: { ...LIST, copy: method<List>([], (list) => list) },
    changing: ['append', 'clear', 'pop', 'reverse', 'insert', 'sort', 'extend', 'remove'],
  },
  tuple: { methods: LIST },
  dict: { methods: DICT, changing: ['clear', 'pop', 'popitem', 'setdefault', 'update'], refused: ['fromkeys'] },
  int: {
    methods: {},
    refused: [
      ...[
        'as_integer_ratio',
        'bit_count',
        'bit_length',
        'conjugate',
        'denominator',
        'from_bytes',
        'imag',
        'is_integer',
      ],
      ...['numerator', 'real', 'to_bytes'],
    ],
  },
  float: {
    methods: {},
    refused: ['as_integer_ratio', 'conjugate', 'from_number', 'fromhex', 'hex', 'imag', 'is_integer', 'real'],
  },
  range: { methods: {}, refused: ['count', 'index'] },
  dict_keys: { methods: {}, refused: ['isdisjoint', 'mapping'] },
  dict_values: { methods: {}, refused: ['mapping'] },
  dict_items: { methods: {}, refused: ['isdisjoint', 'mapping'] },
  generator: { methods: {}, refused: ['close', 'send', 'throw', 'gi_code', 'gi_frame', 'gi_running', 'gi_yieldfrom'] },
};

const unsafe = (value: Value, name: string) =>
  new Undefined(`access to attribute '${name}' of '${typeOf(value)}' object is unsafe.`);

/** Python's getattr() in the sandbox; undefined if there is no such attribute. */
export function attributeOf(value: Value, name: string, work: Work): Value | undefined {
  if (value instanceof Namespace) return value.attributes.get(name, work);
  // Names like __class__ are Python's internal attributes, of which each value has some.
  if (name.startsWith('__') && name.endsWith('__')) return unsafe(value, name);
  if (typeof value === 'string') return textMethod(name, value, work);
  if (value instanceof Markup) throw unsupported(`'.${name}' of a text that 'safe' or 'escape' marked`);
  if (value instanceof Helper) {
    const { attributes } = value.parts;
    return Object.hasOwn(attributes, name) ? attributes[name]() : undefined;
  }
  if (value instanceof Callable) throw unsupported(`'.${name}' of the function '${value.name}'`);
  if (value instanceof Tuple && value.names.includes(name)) return value.items[value.names.indexOf(name)];
  if (value instanceof Range && (name === 'start' || name === 'stop' || name === 'step')) return BigInt(value[name]);
  const type = typeof value === 'boolean' ? 'int' : typeOf(value);
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : null;
  if (kind?.changing?.includes(name)) return unsafe(value, name);
  if (kind?.refused?.includes(name) || (value instanceof Stream && type !== 'generator'))
    throw unsupported(`'.${name}' of a ${type}`);
  if (!kind || !Object.hasOwn(kind.methods, name)) return undefined;
  // The cast is safe: each method is in the table of its own type.
  const own = kind.methods[name] as unknown as Method<Value>;
  return new Callable(name, (args) => own.run(value, bind(name, args, own), work));
}

/** `value.name`, which is looked up as an attribute first, then as an element. */
export function getAttribute(value: Value, name: string, work: Work): Value {
  if (value instanceof Undefined) value.fail();
  const own = attributeOf(value, name, work);
  const found = own === undefined ? element(value, name, work) : own;
  return found === undefined ? nothing(value, `attribute '${name}'`) : found;
}

/** `value[key]`, which is looked up as an element first, then as an attribute. */
export function getElement(value: Value, key: Value, work: Work): Value {
  if (value instanceof Undefined) value.fail();
  const own = element(value, key, work);
  const found = own === undefined && typeof key === 'string' ? attributeOf(value, key, work) : own;
  if (found !== undefined) return found;
  return nothing(value, typeof key === 'string' ? `attribute '${key}'` : `element ${repr(key, work)}`);
}

function nothing(value: Value, what: string): Undefined {
  return new Undefined(value === null ? `None has no ${what}` : `'${typeOf(value)} object' has no ${what}`);
}

function element(value: Value, key: Value, work: Work): Value | undefined {
  if (value instanceof Dict) return key instanceof List || key instanceof Dict ? undefined : value.get(key, work);
  if (typeof numberOf(key) !== 'bigint') return undefined;
  const index = integerOf(key, 'an index');
  const at = (length: number) => (index < 0 ? index + length : index);
  if (value instanceof List || value instanceof Tuple) return value.items[at(value.items.length)];
  if (value instanceof Range) {
    const place = at(value.length);
    return place >= 0 && place < value.length ? value.at(place) : undefined;
  }
  if (value instanceof Markup) throw unsupported("an element of a text that 'safe' or 'escape' marked");
  if (typeof value !== 'string') return undefined;
  const all = isWide(work.text(value)) ? characters(value) : value;
  return all[at(all.length)];
}

/** `value[from:to:step]`. */
export function getSlice(value: Value, from: Value, to: Value, step: Value, work: Work): Value {
  if (value instanceof Undefined) value.fail();
  if (value instanceof Range || value instanceof Markup) throw unsupported(`a slice of a ${typeOf(value)}`);
  const items = value instanceof List || value instanceof Tuple ? value.items : null;
  if (!items && typeof value !== 'string') throw typeError(`'${typeOf(value)}' object is not subscriptable`);
  const [start, stop, by] = [from, to, step].map((part) => boundOf(part, 'a slice'));
  if (by === 0) throw typeError('slice step cannot be zero');
  if (items) {
    const chosen = places(items.length, start, stop, by ?? 1, work).map((i) => items[i]);
    return value instanceof List ? new List(chosen) : new Tuple(chosen);
  }
  const text = work.text(value as string);
  const all = isWide(text) ? characters(text) : text;
  // A slice with step 1 is cut directly, without a list of indices.
  if ((by ?? 1) === 1 && typeof all === 'string') return work.text(all.slice(start ?? 0, stop ?? all.length));
  return work.text(
    places(all.length, start, stop, by ?? 1, work)
      .map((i) => all[i])
      .join(''),
  );
}

function places(length: number, from: number | null, to: number | null, step: number, work: Work): number[] {
  const clamp = (bound: number | null, open: number) => {
    if (bound === null) return open;
    const [low, high] = step < 0 ? [-1, length - 1] : [0, length];
    return Math.min(Math.max(bound < 0 ? bound + length : bound, low), high);
  };
  const [start, stop] = [clamp(from, step < 0 ? length - 1 : 0), clamp(to, step < 0 ? -1 : length)];
  const count = Math.max(0, Math.ceil((stop - start) / step));
  work.charge(count / 8);
  return Array.from({ length: count }, (_, i) => start + i * step);
}
