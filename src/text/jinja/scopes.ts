// Finds the names that are hidden in a block until the block sets them. Jinja2 compiles the names of a block to Python's local variables. So
// a name that a block sets before reading it, and that no enclosing block mentions, is undefined in the block until it is set, even if
// the caller gives a variable of that name: in `{% for m in messages %}{{ tools }}{% endfor %}{% set tools = 1 %}` the loop prints nothing.
import type { Block, CallArguments, Expression, Statement, Target } from './ast.ts';
import { LIMITS, TemplateError } from './work.ts';

/** Tracks the names that a block mentions, in order, as jinja2/idtracking.py does. */
class Names {
  constructor(
    readonly outer: Names | null,
    readonly known = new Set<string>(),
    readonly stored = new Set<string>(),
    readonly hidden = new Set<string>(),
  ) {}

  has(name: string): boolean {
    return this.known.has(name) || (this.outer?.has(name) ?? false);
  }

  load(name: string): void {
    if (!this.has(name)) this.known.add(name);
  }

  store(name: string): void {
    this.stored.add(name);
    if (this.known.has(name)) return;
    if (!this.outer?.has(name)) this.hidden.add(name);
    this.known.add(name);
  }

  parameter(name: string): void {
    this.stored.add(name);
    this.known.add(name);
  }

  copy(): Names {
    return new Names(this.outer, new Set(this.known), new Set(this.stored), new Set(this.hidden));
  }

  /** Merges the names of branches, of which at most one runs: names that only branches set are not hidden but looked up outside. */
  join(branches: readonly Names[]): void {
    const set = branches.flatMap(({ stored }) => [...stored]).filter((name) => !this.stored.has(name));
    for (const { known, stored, hidden } of branches) {
      for (const name of known) this.known.add(name);
      for (const name of stored) this.stored.add(name);
      for (const name of hidden) this.hidden.add(name);
    }
    for (const name of set) this.hidden.delete(name);
  }
}

/** Fills `hidden` of a template and of every block in it. */
export function findHidden(template: Block): void {
  visitBlock(template, null);
}

/** @param before adds the names that belong to the block besides its body: loop variables, parameters. */
function visitBlock(block: Block, outer: Names | null, before?: (names: Names) => void): void {
  const names = new Names(outer);
  before?.(names);
  for (const statement of block.body) mention(statement, names);
  (block as { hidden: readonly string[] }).hidden = [...names.hidden];
  for (const statement of block.body) visitInner(statement, names);
}

/** Records the names that a statement mentions in its enclosing block. */
function mention(statement: Statement, names: Names): void {
  switch (statement.kind) {
    case 'output':
      read(statement.value, names);
      return;
    case 'if': {
      // `elif` tests belong to the branch in which the first test is false.
      const [{ test, body }, ...rest] = statement.branches;
      read(test, names);
      const inner = (statements: readonly Statement[]) => {
        const own = names.copy();
        for (const one of statements) mention(one, own);
        return own;
      };
      const otherwise = names.copy();
      if (rest.length > 0) {
        for (const branch of rest) mention({ kind: 'if', branches: [branch], otherwise: [] }, otherwise);
      }
      names.join([inner(body), otherwise, inner(statement.otherwise)]);
      return;
    }
    case 'for':
      read(statement.items, names);
      return;
    case 'set':
      read(statement.value, names);
      store(statement.target, names);
      return;
    case 'setBlock':
      store(statement.target, names);
      return;
    case 'with':
      for (const value of statement.values) read(value, names);
      return;
    case 'macro':
      names.store(statement.name);
      return;
    case 'call':
      read(statement.call, names);
      return;
    case 'filter':
      read(statement.filter, names);
      return;
  }
}

function visitInner(statement: Statement, names: Names): void {
  switch (statement.kind) {
    case 'if':
      for (const { body } of statement.branches) for (const one of body) visitInner(one, names);
      for (const one of statement.otherwise) visitInner(one, names);
      return;
    case 'for':
      visitBlock(statement.block, names, (own) => {
        own.parameter('loop');
        store(statement.target, own, true);
      });
      if (statement.otherwise) visitBlock(statement.otherwise, names);
      return;
    case 'setBlock':
    case 'filter':
      visitBlock(statement.block, names);
      return;
    case 'with':
      visitBlock(statement.block, names, (own) => {
        for (const target of statement.targets) store(target, own, true);
      });
      return;
    case 'macro':
    case 'call':
    case 'generation':
      visitBlock(statement.block, names, (own) => {
        for (const name of [...statement.parameters, ...statement.special]) own.parameter(name);
        for (const value of statement.defaults) read(value, own);
      });
  }
}

function store(target: Target, names: Names, parameter = false): void {
  if (target.kind === 'tuple') for (const item of target.items) store(item, names, parameter);
  else if (target.kind === 'member') names.load(target.namespace);
  else if (parameter) names.parameter(target.name);
  else names.store(target.name);
}

function read(expression: Expression | null, names: Names, depth = 0): void {
  if (depth > LIMITS.calls) throw new TemplateError(`an expression of it is nested more than ${LIMITS.calls} deep`);
  if (expression?.kind === 'name') names.load(expression.name);
  else if (expression) for (const part of partsOf(expression)) read(part, names, depth + 1);
}

function partsOf(expression: Expression): readonly (Expression | null)[] {
  switch (expression.kind) {
    case 'list':
    case 'tuple':
    case 'concat':
      return expression.items;
    case 'dict':
      return expression.entries.flat();
    case 'attribute':
    case 'not':
    case 'sign':
      return [expression.value];
    case 'element':
      return [expression.value, expression.key];
    case 'slice':
      return [expression.value, expression.from, expression.to, expression.step];
    case 'call':
      return [expression.callee, ...argumentsOf(expression.args)];
    case 'filter':
    case 'test':
      return [expression.value, ...argumentsOf(expression.args)];
    case 'arithmetic':
    case 'and':
    case 'or':
      return [expression.left, expression.right];
    case 'compare':
      return [expression.first, ...expression.rest.map(([, value]) => value)];
    case 'choice':
      return [expression.test, expression.value, expression.otherwise];
  }
  return [];
}

function argumentsOf({ positional, named, spread, spreadNamed }: CallArguments): readonly (Expression | null)[] {
  return [...positional, ...named.map(([, value]) => value), spread, spreadNamed];
}
