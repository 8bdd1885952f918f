// Renders chat templates as Jinja2 3.1.6 does with the settings of transformers: `trim_blocks`, `lstrip_blocks`, the immutable sandbox,
// `break` and `continue`, `{% generation %}`, `tojson`, `raise_exception` and `strftime_now`. A feature of Jinja2 that this renderer
// lacks is refused with an error that names it (`unsupported`), never rendered differently. chat.ts adds the model's name to errors.
// Sources: jinja2 3.1.6 (lexer, parser, compiler, runtime, filters, tests, sandbox), transformers' utils/chat_template_utils.py.
import { bind, textOf } from './arguments.ts';
import { Interpreter } from './interpreter.ts';
import { parse } from './parser.ts';
import { str } from './printing.ts';
import { strftime } from './strftime.ts';
import {
  type Arguments,
  Callable,
  checkDepth,
  Dict,
  Helper,
  integerOf,
  List,
  listOf,
  Namespace,
  Range,
  typeError,
  type Value,
} from './values.ts';
import { LIMITS, TemplateError, unsupported, Work } from './work.ts';

/** @param variables JSON values, in addition to Jinja's built-in names. Throws an Error that says what is wrong with the template, or which
 *  limit it exceeds. */
export function renderTemplate(template: string, variables: Readonly<Record<string, unknown>>): string {
  if (template.length > LIMITS.length)
    throw new TemplateError(`it has ${template.length} characters, ${LIMITS.length} are allowed`);
  const given = JSON.stringify(variables)?.length ?? 0;
  const work = new Work(LIMITS.steps + LIMITS.stepsPerCharacter * (template.length + given));
  const values = globals(work);
  for (const [name, value] of Object.entries(variables)) values.set(name, fromJson(value, work));
  return new Interpreter(work).render(parse(template), values);
}

/** Converts JSON values to Python's. A whole number becomes an int, since 1.0 and 1 are the same number here. */
function fromJson(value: unknown, work: Work, depth = 0): Value {
  checkDepth(depth);
  if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'string')
    return value ?? null;
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return value;
    if (!Number.isSafeInteger(value)) throw unsupported('a whole number beyond 2^53 among the arguments of a template');
    return BigInt(value);
  }
  if (Array.isArray(value)) return new List(value.map((item) => fromJson(item, work, depth + 1)));
  if (typeof value !== 'object') throw unsupported(`a ${typeof value} among the arguments of a template`);
  return dictOf(
    Object.entries(value).map(([key, item]) => [key, fromJson(item, work, depth + 1)]),
    work,
  );
}

function dictOf(entries: Iterable<readonly [Value, Value]>, work: Work): Dict {
  const dict = new Dict();
  for (const [key, value] of entries) dict.set(key, value, work);
  return dict;
}

/** Python's dict(…), made of a mapping or of pairs, and of named arguments. */
function dictionary({ positional, named }: Arguments, work: Work): Dict {
  if (positional.length > 1) throw typeError(`dict expected at most 1 argument, got ${positional.length}`);
  const [from] = positional;
  const pairs = (): (readonly [Value, Value])[] => {
    if (from === undefined) return [];
    if (from instanceof Dict) return [...from.entries.values()];
    return listOf(from, work).map((item) => {
      const pair = listOf(item, work);
      if (pair.length !== 2)
        throw typeError(`dictionary update sequence element has length ${pair.length}; 2 is required`);
      return [pair[0], pair[1]];
    });
  };
  return dictOf([...pairs(), ...named], work);
}

/** Python's range(), with a limit on its length. */
function range({ positional, named }: Arguments, work: Work): Range {
  if (named.size > 0 || positional.length < 1 || positional.length > 3)
    throw typeError('range() takes 1 to 3 arguments');
  const numbers = positional.map((value) => integerOf(value, 'range()'));
  const [start, stop, step = 1] = numbers.length === 1 ? [0, numbers[0]] : numbers;
  if (step === 0) throw typeError('range() arg 3 must not be zero');
  const found = new Range(start, stop, step);
  work.items('range()', found.length, LIMITS.range);
  return found;
}

function cycler({ positional, named }: Arguments): Helper {
  if (named.size > 0 || positional.length === 0) throw typeError('at least one item has to be provided');
  let at = 0;
  const step = (): Value => {
    const found = positional[at];
    at = (at + 1) % positional.length;
    return found;
  };
  const reset = (): Value => {
    at = 0;
    return null;
  };
  return new Helper('Cycler', {
    attributes: {
      current: () => positional[at],
      next: () => new Callable('next', step),
      reset: () => new Callable('reset', reset),
    },
  });
}

function joiner(args: Arguments, work: Work): Helper {
  const [separator] = bind('joiner', args, { parameters: [['sep', ', ']] });
  let used = false;
  const call = (): Value => {
    const found = used ? separator : '';
    used = true;
    return found;
  };
  work.charge(1);
  return new Helper('Joiner', { attributes: {}, call });
}

function globals(work: Work): Map<string, Value> {
  const functions: Record<string, (args: Arguments) => Value> = {
    range: (args) => range(args, work),
    dict: (args) => dictionary(args, work),
    namespace: (args) => new Namespace(dictionary(args, work)),
    cycler,
    joiner: (args) => joiner(args, work),
    lipsum: () => {
      throw unsupported("the function 'lipsum'");
    },
    raise_exception(args) {
      const [message] = bind('raise_exception', args, { parameters: [['message']] });
      throw new TemplateError(str(message, work));
    },
    strftime_now(args) {
      const [format] = bind('strftime_now', args, { parameters: [['format']] });
      return work.text(strftime(work.text(textOf(format, 'strftime_now()'))));
    },
  };
  return new Map(Object.entries(functions).map(([name, call]) => [name, new Callable(name, call)]));
}
