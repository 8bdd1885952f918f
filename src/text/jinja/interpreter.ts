// Runs a parsed template. Scopes are those of Jinja2: each iteration of a loop, each macro and each block has its own scope, `if` has none;
// a macro sees the scope in which it is defined. Every step is counted (work.ts).

import { bind, type Rendering } from './arguments.ts';
import type { Block, CallArguments, Comparison, Expression, MacroParts, Statement, Target } from './ast.ts';
import { getAttribute, getElement, getSlice } from './attributes.ts';
import { FILTERS, REFUSED_FILTERS } from './filters.ts';
import { Loop } from './loop.ts';
import { arithmetic, contains, equal, type Order, ordered, signed } from './operators.ts';
import { Output, Scope } from './output.ts';
import { str } from './printing.ts';
import { runTest } from './tests.ts';
import {
  type Arguments,
  Callable,
  Dict,
  elementsOf,
  Helper,
  List,
  lengthOf,
  listOf,
  Namespace,
  NO_ARGUMENTS,
  Tuple,
  truth,
  typeError,
  typeOf,
  Undefined,
  type Value,
} from './values.ts';
import { LIMITS, TemplateError, unsupported, type Work } from './work.ts';

/** Steps that each iteration of a loop costs in addition to its body. */
const STEPS_A_PASS = 8;

/** How a list of statements ended: normally, or with a `break` or `continue` of the enclosing loop. */
type End = 'end' | 'break' | 'continue';

export class Interpreter implements Rendering {
  #depth = 0;

  constructor(readonly work: Work) {}

  /** @param variables by name: those that the caller gives, and Jinja2's built-in functions. */
  render(template: Block, variables: ReadonlyMap<string, Value>): string {
    const globals = new Scope(null);
    for (const [name, value] of variables) globals.set(name, value);
    return this.#textOf(template, new Scope(globals, template.hidden)).text;
  }

  filter(name: string, value: Value, args: Arguments): Value {
    if (REFUSED_FILTERS.has(name)) throw unsupported(`the filter '${name}'`);
    if (!Object.hasOwn(FILTERS, name)) throw new TemplateError(`No filter named '${name}'`);
    const filter = FILTERS[name];
    this.work.charge(1);
    if ('raw' in filter) return filter.raw(value, args, this);
    return filter.run(value, bind(`the filter '${name}'`, args, filter), this);
  }

  test(name: string, value: Value, args: Arguments): boolean {
    this.work.charge(1);
    return runTest(name, value, args, this.work);
  }

  #nested<T>(run: () => T): T {
    if (++this.#depth > LIMITS.calls) throw new TemplateError(`it is nested more than ${LIMITS.calls} deep as it runs`);
    const found = run();
    this.#depth--;
    return found;
  }

  #textOf({ body }: Block, scope: Scope): { text: string; end: End } {
    const output = new Output(this.work);
    const end = this.#run(body, scope, output);
    return { text: output.text(), end };
  }

  #run(body: readonly Statement[], scope: Scope, output: Output): End {
    for (const statement of body) {
      this.work.charge(1);
      const end = this.#nested(() => this.#statement(statement, scope, output));
      if (end !== 'end') return end;
    }
    return 'end';
  }

  #statement(statement: Statement, scope: Scope, output: Output): End {
    switch (statement.kind) {
      case 'text':
        output.write(statement.text);
        return 'end';
      case 'output':
        output.write(str(this.#value(statement.value, scope), this.work));
        return 'end';
      case 'if':
        for (const { test, body } of statement.branches)
          if (truth(this.#value(test, scope))) return this.#run(body, scope, output);
        return this.#run(statement.otherwise, scope, output);
      case 'for':
        return this.#for(statement, scope, output);
      case 'set':
        this.#assign(statement.target, this.#value(statement.value, scope), scope);
        return 'end';
      case 'setBlock': {
        const inner = new Scope(scope, statement.block.hidden);
        const { text, end } = this.#textOf(statement.block, inner);
        if (end !== 'end') return end;
        this.#assign(statement.target, this.#value(statement.filter, inner, text), scope);
        return 'end';
      }
      case 'with': {
        const inner = new Scope(scope, statement.block.hidden);
        statement.targets.forEach((target, i) => {
          this.#assign(target, this.#value(statement.values[i], scope), inner);
        });
        return this.#run(statement.block.body, inner, output);
      }
      case 'macro':
        scope.set(statement.name, this.#macro(statement.name, statement, scope));
        return 'end';
      case 'call': {
        const { callee, args } = statement.call as Expression & { kind: 'call' };
        const caller = this.#macro(null, statement, scope);
        const { positional, named } = this.#arguments(args, scope);
        if (named.has('caller')) throw typeError("a call block has a 'caller' of its own");
        const given = { positional, named: new Map([...named, ['caller', caller]]) };
        output.write(str(this.#call(this.#value(callee, scope), given), this.work));
        return 'end';
      }
      case 'filter': {
        const inner = new Scope(scope, statement.block.hidden);
        const { text, end } = this.#textOf(statement.block, inner);
        if (end !== 'end') return end;
        output.write(str(this.#value(statement.filter, inner, text), this.work));
        return 'end';
      }
      case 'generation':
        output.write(str(this.#macro(null, statement, scope).call(NO_ARGUMENTS), this.work));
        return 'end';
    }
    return statement.kind;
  }

  #assign(target: Target, value: Value, scope: Scope): void {
    if (target.kind === 'name') {
      scope.set(target.name, value);
      return;
    }
    if (target.kind === 'member') {
      const namespace = scope.get(target.namespace);
      if (!(namespace instanceof Namespace)) throw typeError('cannot assign attribute on non-namespace object');
      namespace.attributes.set(target.name, value, this.work);
      return;
    }
    const items = listOf(value, this.work);
    const [wanted, found] = [target.items.length, items.length];
    if (found < wanted) throw typeError(`not enough values to unpack (expected ${wanted}, got ${found})`);
    if (found > wanted) throw typeError(`too many values to unpack (expected ${wanted})`);
    target.items.forEach((item, i) => {
      this.#assign(item, items[i], scope);
    });
  }

  #for(statement: Statement & { kind: 'for' }, scope: Scope, output: Output): End {
    const run = (items: Value, depth: number, into: Output): End => {
      const again = (inner: Value): Value => {
        const own = new Output(this.work);
        this.#nested(() => run(inner, depth + 1, own));
        return own.text();
      };
      return this.#loop(statement, items, scope, into, depth, statement.recursive ? again : null);
    };
    const end = run(this.#value(statement.items, scope), 0, output);
    return statement.recursive ? 'end' : end;
  }

  #loop(
    { target, test, block, otherwise }: Statement & { kind: 'for' },
    items: Value,
    scope: Scope,
    output: Output,
    depth: number,
    again: ((items: Value) => Value) | null,
  ): End {
    const elements = elementsOf(items, this.work);
    if (!elements) throw typeError(`'${typeOf(items)}' object is not iterable`);
    const passing = test === null ? elements : this.#passing(elements, target, test, scope);
    // The length of a loop with an `if` condition is not known before it has run.
    const loop = new Loop(passing, test === null ? lengthOf(items, this.work) : null, depth, again, this.work);
    const helper = loop.helper();
    // As in Jinja2, `else` runs unless some iteration reached the end of the body without `break` or `continue`.
    let passed = false;
    for (let next = loop.next(); next !== null; next = loop.next()) {
      this.work.charge(STEPS_A_PASS);
      const inner = new Scope(scope, block.hidden);
      inner.set('loop', helper);
      this.#assign(target, next.value, inner);
      const end = this.#run(block.body, inner, output);
      if (end === 'break') break;
      if (end === 'end') passed = true;
    }
    if (passed || !otherwise) return 'end';
    // A `break` in `else` belongs to the enclosing loop.
    return this.#run(otherwise.body, new Scope(scope, otherwise.hidden), output);
  }

  *#passing(elements: Iterator<Value>, target: Target, test: Expression, scope: Scope): Generator<Value> {
    for (let next = elements.next(); !next.done; next = elements.next()) {
      this.work.charge(STEPS_A_PASS);
      const inner = new Scope(scope);
      this.#assign(target, next.value, inner);
      if (truth(this.#value(test, inner))) yield next.value;
    }
  }

  #macro(name: string | null, { parameters, defaults, block, special }: MacroParts, scope: Scope): Callable {
    const label = name === null ? 'None' : `'${name}'`;
    const call = ({ positional, named }: Arguments): Value => {
      const inner = new Scope(scope, block.hidden);
      const rest = new Map(named);
      const missing: [name: string, fallback: Expression][] = [];
      parameters.forEach((parameter, i) => {
        const given = i < positional.length ? positional[i] : rest.get(parameter);
        if (i >= positional.length) rest.delete(parameter);
        const fallback = defaults[i - parameters.length + defaults.length];
        if (given === undefined && fallback) missing.push([parameter, fallback]);
        inner.set(
          parameter,
          given ?? (given === null ? null : new Undefined(`parameter '${parameter}' was not provided`)),
        );
      });
      if (special.has('caller')) {
        const caller = rest.get('caller') ?? null;
        inner.set('caller', caller === null ? new Undefined('No caller defined') : caller);
        rest.delete('caller');
      }
      if (special.has('kwargs')) {
        const kwargs = new Dict();
        for (const [key, value] of rest) kwargs.set(key, value, this.work);
        inner.set('kwargs', kwargs);
      } else if (rest.size > 0) throw typeError(`macro ${label} takes no keyword argument '${[...rest.keys()][0]}'`);
      if (special.has('varargs')) inner.set('varargs', new Tuple(positional.slice(parameters.length)));
      else if (positional.length > parameters.length)
        throw typeError(`macro ${label} takes not more than ${parameters.length} argument(s)`);
      for (const [parameter, fallback] of missing) inner.set(parameter, this.#value(fallback, inner));
      return this.#textOf(block, inner).text;
    };
    return new Callable(name ?? 'caller', call, `<Macro ${name === null ? 'anonymous' : label}>`);
  }

  #call(callee: Value, args: Arguments): Value {
    this.work.charge(1);
    if (callee instanceof Undefined) callee.fail();
    const call = callee instanceof Callable ? callee.call : callee instanceof Helper ? callee.parts.call : undefined;
    if (!call) throw typeError(`'${typeOf(callee)}' object is not callable`);
    return this.#nested(() => call(args));
  }

  #arguments({ positional, named, spread, spreadNamed }: CallArguments, scope: Scope): Arguments {
    const values = positional.map((value) => this.#value(value, scope));
    const byName = new Map(named.map(([name, value]): [string, Value] => [name, this.#value(value, scope)]));
    if (byName.size < named.length) throw typeError('keyword argument repeated');
    if (spread) values.push(...listOf(this.#value(spread, scope), this.work));
    if (spreadNamed) {
      const dict = this.#value(spreadNamed, scope);
      if (!(dict instanceof Dict)) throw typeError('argument after ** must be a mapping');
      for (const [key, value] of dict.entries.values()) {
        if (typeof key !== 'string') throw typeError('keywords must be strings');
        if (byName.has(key)) throw typeError(`got multiple values for keyword argument '${key}'`);
        byName.set(key, value);
      }
    }
    return { positional: values, named: byName };
  }

  /** @param expression null stands for the text `block`, to which a filter of a block is applied. */
  #value(expression: Expression | null, scope: Scope, block = ''): Value {
    if (expression === null) return block;
    this.work.charge(1);
    return this.#nested(() => this.#evaluate(expression, scope, block));
  }

  #evaluate(expression: Expression, scope: Scope, block: string): Value {
    const { work } = this;
    const value = (part: Expression) => this.#value(part, scope, block);
    const optional = (part: Expression | null) => (part === null ? null : value(part));
    switch (expression.kind) {
      case 'constant':
        return expression.value;
      case 'name':
        return scope.get(expression.name);
      case 'list':
        return new List(expression.items.map(value));
      case 'tuple':
        return new Tuple(expression.items.map(value));
      case 'concat': {
        const parts = expression.items.map((item) => str(value(item), work));
        work.room(parts.reduce((sum, part) => sum + part.length, 0));
        return work.text(parts.join(''));
      }
      case 'dict': {
        const dict = new Dict();
        for (const [key, item] of expression.entries) dict.set(value(key), value(item), work);
        return dict;
      }
      case 'attribute':
        return getAttribute(value(expression.value), expression.name, work);
      case 'element':
        return getElement(value(expression.value), value(expression.key), work);
      case 'slice': {
        const { from, to, step } = expression;
        return getSlice(value(expression.value), optional(from), optional(to), optional(step), work);
      }
      case 'call': {
        const callee = value(expression.callee);
        return this.#call(callee, this.#arguments(expression.args, scope));
      }
      case 'filter': {
        const given = this.#value(expression.value, scope, block);
        return this.filter(expression.name, given, this.#arguments(expression.args, scope));
      }
      case 'test': {
        const given = value(expression.value);
        return this.test(expression.name, given, this.#arguments(expression.args, scope));
      }
      case 'not':
        return !truth(value(expression.value));
      case 'sign':
        return signed(expression.operator, value(expression.value));
      case 'arithmetic':
        return arithmetic(value(expression.left), expression.operator, value(expression.right), work);
      case 'and': {
        const left = value(expression.left);
        return truth(left) ? value(expression.right) : left;
      }
      case 'or': {
        const left = value(expression.left);
        return truth(left) ? left : value(expression.right);
      }
      case 'compare': {
        let left = value(expression.first);
        for (const [operator, part] of expression.rest) {
          const right = value(part);
          if (!compared(left, operator, right, work)) return false;
          left = right;
        }
        return true;
      }
      case 'choice':
        if (truth(value(expression.test))) return value(expression.value);
        if (expression.otherwise) return value(expression.otherwise);
        return new Undefined('the inline if-expression evaluated to false and no else section was defined.');
    }
  }
}

const ORDERS: Readonly<Record<string, Order>> = { lt: '<', lteq: '<=', gt: '>', gteq: '>=' };

function compared(left: Value, operator: Comparison, right: Value, work: Work): boolean {
  if (operator === 'eq') return equal(left, right, work);
  if (operator === 'ne') return !equal(left, right, work);
  if (operator === 'in') return contains(right, left, work);
  return operator === 'notin' ? !contains(right, left, work) : ordered(left, ORDERS[operator], right, work);
}
