// Jinja under a limit of work. A chat template comes with a model from anywhere, and a loop over `range(20000000)` on the thread that
// reads it could not be stopped by any clock. So the interpreter of `@huggingface/jinja` is run with its work counted: steps, the size
// of every value, and what an operation could make of its operands before it makes it. Counted work is the same on every machine, so a
// template that renders here renders everywhere. A leaf; chat.ts says whose template it was.
import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';

const TEMPLATE_LIMITS = {
  /** Characters. The longest in use have 30,000. */
  length: 131_072,
  /** White space in a row: the lexer's time grows with its square. */
  blanks: 256,
  /** Steps of any template, and more for each character of template and messages: a turn of a few words takes Qwen3's 130. */
  steps: 100_000,
  stepsPerCharacter: 4,
  /** Of one value written out, in characters. */
  size: 2 ** 22,
  /** What one operation could write at most: operand × separator, text × replacement. */
  product: 2 ** 25,
  /** Numbers of one range. */
  items: 10_000,
  /** Pieces of one text. */
  pieces: 100_000,
} as const;

type Value = ReturnType<Interpreter['run']>;
type Node = NonNullable<Parameters<Interpreter['evaluate']>[0]>;

/** Characters that a built-in operation works through while the interpreter takes one step. */
const CHARACTERS_A_STEP = 32;
const STEPS_A_TURN = 8;
/** Characters that an element of a list counts as beside its own. */
const AN_ITEM = 6;
/** Nodes in which built-in operations work through whole values; the others hand them on. */
const WORKING: ReadonlySet<string> = new Set([
  ...[
    'BinaryExpression',
    'CallExpression',
    'FilterExpression',
    'FilterStatement',
    'TestExpression',
    'For',
    'MemberExpression',
  ],
  ...['CallStatement', 'ArrayLiteral', 'TupleLiteral', 'ObjectLiteral'],
]);
/** Nodes that write what they hold into the text. */
const WRITING: ReadonlySet<string> = new Set([
  'Program',
  'If',
  'For',
  'Set',
  'Macro',
  'CallStatement',
  'FilterStatement',
]);

/** @param variables beside Jinja's own names. Throws an Error with what is wrong with the template, or what it takes too much of. */
export function renderTemplate(template: string, variables: Readonly<Record<string, unknown>>): string {
  if (template.length > TEMPLATE_LIMITS.length)
    throw new Error(`it has ${template.length} characters, ${TEMPLATE_LIMITS.length} are allowed`);
  if (hasLongBlank(template)) throw new Error(`it has more than ${TEMPLATE_LIMITS.blanks} blanks in a row`);
  const tokens = tokenize(template, { lstrip_blocks: true, trim_blocks: true });
  const given = JSON.stringify(variables)?.length ?? 0;
  const steps = TEMPLATE_LIMITS.steps + TEMPLATE_LIMITS.stepsPerCharacter * (template.length + given);
  const environment = new Environment();
  const globals = { true: true, True: true, false: false, False: false, none: null, None: null };
  for (const [name, value] of Object.entries({ ...globals, raise_exception: raise, range, ...variables }))
    environment.set(name, value);
  return new BoundedInterpreter(environment, steps, tokens.length).run(parse(tokens)).value as string;
}

function hasLongBlank(text: string): boolean {
  let blanks = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // What is above is rare, and counted as white space whatever it is.
    blanks = code <= 32 || (code > 0x7e && /\s/.test(text[i])) ? blanks + 1 : 0;
    if (blanks > TEMPLATE_LIMITS.blanks) return true;
  }
  return false;
}

function raise(message: unknown): never {
  throw new Error(String(message));
}

/** Python's range, but no longer than is allowed. */
function range(start: number, stop?: number, step = 1): number[] {
  const [from, to] = stop === undefined ? [0, start] : [start, stop];
  if (![from, to, step].every(Number.isInteger) || step === 0) throw new Error('range() takes whole numbers');
  const count = Math.max(0, Math.ceil((to - from) / step));
  if (count > TEMPLATE_LIMITS.items) throw tooMany('range()', count, TEMPLATE_LIMITS.items);
  return Array.from({ length: count }, (_, i) => from + i * step);
}

const tooMany = (what: string, count: number, most: number) =>
  new Error(`${what} gives ${count} items, ${most} are allowed`);

class BoundedInterpreter extends Interpreter {
  /** Steps that are left. */
  #left: number;
  /** Written sizes of lists and maps, which never change once made. */
  readonly #sizes = new WeakMap<object, number>();
  readonly #guarded = new WeakSet<object>();
  /** The node at work, the first value that it was given, and the size of all. */
  #at: { type: string; filter: string | null; first: Value | null; given: number } = noNode('');

  constructor(
    environment: Environment,
    private readonly steps: number,
    private readonly tokens: number,
  ) {
    super(environment);
    this.#left = steps;
  }

  override evaluate(node: Node | undefined, environment: Environment): Value {
    if (!node) return super.evaluate(node, environment);
    this.#charge(node.type === 'Macro' || node.type === 'CallStatement' ? this.tokens : 1);
    const outer = this.#at;
    this.#at = noNode(node.type, filterOf(node));
    let value: Value;
    let given = 0;
    let first: Value | null = null;
    try {
      value = super.evaluate(
        node.type === 'FilterStatement' ? this.#asExpression(node, environment) : node,
        environment,
      );
    } finally {
      // Also where a loop catches its own `break`.
      ({ given, first } = this.#at);
      this.#at = outer;
    }
    const size = this.#sizeOf(value);
    if (size > TEMPLATE_LIMITS.size)
      throw new Error(`a value of it has ${size} characters, ${TEMPLATE_LIMITS.size} are allowed`);
    if (works(node)) this.#charge((given + size) / CHARACTERS_A_STEP);
    // A list that is written into the text is turned into text there.
    if (WRITING.has(outer.type) && value.type !== 'StringValue') this.#charge(size / CHARACTERS_A_STEP);
    if (node.type === 'MemberExpression' && value.type === 'FunctionValue' && first) this.#guard(value, first);
    this.#take(value, size);
    return value;
  }

  /** A filter over a block, as one over a text: else the block would come to the filter unmeasured. */
  #asExpression(node: Node, environment: Environment): Node {
    // The parser's types have no node with members: each kind adds its own.
    const { body, filter } = node as Node & { body: Node[]; filter: Node };
    const { value } = this.evaluate({ type: 'Program', body } as Node, environment);
    // Cast, for the same reason.
    return { type: 'FilterExpression', operand: { type: 'StringLiteral', value }, filter } as unknown as Node;
  }

  #charge(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Error(`it takes more than the ${this.steps} steps that are allowed`);
  }

  /** Told to the node at work: an operand of it, or an argument of its filter. */
  #take(value: Value, size = this.#sizeOf(value)): void {
    const at = this.#at;
    // Each turn of a loop gets a scope and a dozen values before anything is done in it.
    if (at.type === 'For' && at.first === null) this.#charge(STEPS_A_TURN * countOf(value));
    if (at.filter !== null) {
      const operand = at.first ?? value;
      // Sorting compares each with many, in full.
      if (at.first === null && at.filter === 'sort') product(countOf(value), size);
      // A separator, a replacement, or how far to indent.
      if (at.first !== null) product(countOf(operand), weightOf(value));
    }
    at.first ??= value;
    at.given += size;
  }

  /** Methods of texts whose result can be far larger than the text. */
  #guard(method: Value, text: Value): void {
    if (text.type !== 'StringValue' || this.#guarded.has(method)) return;
    this.#guarded.add(method);
    const call = method.value as (args: Value[], scope: Environment) => Value;
    const whole = text.value as string;
    (method as { value: unknown }).value = (args: Value[], scope: Environment): Value => {
      const [first, second] = args;
      if (second) product(whole.length + 1, weightOf(second));
      // Each piece becomes a value of its own; what is no split has few pieces.
      const pieces = piecesOf(whole, first?.type === 'StringValue' ? (first.value as string) : null);
      if (!second && pieces > TEMPLATE_LIMITS.pieces) throw tooMany('split()', pieces, TEMPLATE_LIMITS.pieces);
      this.#charge(pieces);
      return call(args, scope);
    };
  }

  /** Characters of a value written out, counted as often as they would be written. */
  #sizeOf(value: Value, depth = 0): number {
    // Undefined reaches here from filters such as `first` of nothing.
    if (!value) return 1;
    if (value.type === 'StringValue') return (value.value as string).length + 1;
    const held = value.value as unknown;
    if (typeof held !== 'object' || held === null) return 1;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    if (depth > 100) throw new Error('a value of it is nested more than 100 deep');
    let size = 2;
    const items: Iterable<Value> = held instanceof Map ? held.values() : (held as Value[]);
    for (const item of items) {
      size += AN_ITEM + this.#sizeOf(item, depth + 1);
      if (size > TEMPLATE_LIMITS.size) break;
    }
    if (held instanceof Map) for (const key of held.keys()) size += String(key).length;
    this.#charge(2 + (held instanceof Map ? held.size : (held as Value[]).length) / 4);
    // A namespace can be written to, and so can what holds one: these are measured again.
    if (!this.#holdsNamespace(value)) this.#sizes.set(value, size);
    return size;
  }

  #holdsNamespace(value: Value): boolean {
    if (value.type === 'NamespaceValue') return true;
    const held = value.value as unknown;
    if (typeof held !== 'object' || held === null) return false;
    const items: Iterable<Value> = held instanceof Map ? held.values() : (held as Value[]);
    for (const item of items) {
      if (!item || typeof item.value !== 'object' || item.value === null) continue;
      if (!this.#sizes.has(item)) return true;
    }
    return false;
  }
}

/** Filters that look at no more than an end or a length. */
const FREE: ReadonlySet<string> = new Set(['length', 'count', 'first', 'last', 'list', 'safe', 'default', 'd']);

function works(node: Node): boolean {
  if (node.type === 'MemberExpression') return (node as Node & { property: Node }).property.type === 'SliceExpression';
  return WORKING.has(node.type) && !FREE.has(filterOf(node) ?? '');
}

const noNode = (type: string, filter: string | null = null) => ({ type, filter, first: null, given: 0 });

/** Name of the filter that a node applies; null where it applies none. */
function filterOf(node: Node): string | null {
  if (node.type !== 'FilterExpression') return null;
  const { filter } = node as Node & { filter: { value?: unknown; callee?: { value?: unknown } } };
  return String(filter.value ?? filter.callee?.value ?? '');
}

/** Elements of a list, characters of a text. */
function countOf(value: Value): number {
  const held = value.value as unknown;
  return typeof held === 'string' || Array.isArray(held) ? held.length + 1 : 1;
}

/** How far an argument can stretch each of them: characters of a text, or a width. */
function weightOf(value: Value): number {
  const held = value.value as unknown;
  if (typeof held === 'string') return held.length;
  return typeof held === 'number' ? Math.abs(held) : 1;
}

function product(count: number, each: number): void {
  if (count * each <= TEMPLATE_LIMITS.product) return;
  throw new Error(`an operation of it could make ${count * each} characters, ${TEMPLATE_LIMITS.product} are allowed`);
}

/** How many pieces a text falls into, counted up to one more than is allowed. Null: at white space. */
function piecesOf(text: string, separator: string | null): number {
  let pieces = 1;
  if (separator === '') return pieces;
  if (separator === null) {
    for (const _ of text.matchAll(/\s+/g)) if (++pieces > TEMPLATE_LIMITS.pieces) break;
    return pieces;
  }
  for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + separator.length))
    if (++pieces > TEMPLATE_LIMITS.pieces) break;
  return pieces;
}
