// Finds the variables that a chat template reads: every name that it reads before setting it itself, as Jinja2's
// `meta.find_undeclared_variables` does. A name that is read in only one branch counts, whatever the conversation is.
import type { Block, CallArguments, Expression, MacroParts, Statement, Target } from './ast.ts';
import { parse } from './parser.ts';

/** The `names` that the template never reads; none for a template that cannot be parsed, since rendering it reports the error. */
export function unreadOf(template: string, names: readonly string[]): string[] {
  let read: ReadonlySet<string>;
  try {
    read = variablesOf(template);
  } catch {
    return [];
  }
  return names.filter((name) => !read.has(name));
}

/** The variables that a template reads. Throws TemplateError if the template cannot be parsed. */
export function variablesOf(template: string): ReadonlySet<string> {
  const reader = new Reader();
  reader.statements(parse(template).body, new Set());
  return reader.read;
}

class Reader {
  readonly read = new Set<string>();

  /** Visits statements in order: a name that one statement sets is not a variable of the caller in those after it. */
  statements(body: readonly Statement[], outer: ReadonlySet<string>): void {
    const own = new Set(outer);
    for (const statement of body) {
      this.#statement(statement, own);
      if (statement.kind === 'set' || statement.kind === 'setBlock')
        for (const name of namesOf(statement.target)) own.add(name);
      if (statement.kind === 'macro') own.add(statement.name);
    }
  }

  #block({ body }: Block, own: ReadonlySet<string>, names: readonly string[] = []): void {
    this.statements(body, new Set([...own, ...names]));
  }

  #statement(statement: Statement, own: ReadonlySet<string>): void {
    switch (statement.kind) {
      case 'output':
        this.#each(own, statement.value);
        break;
      case 'if':
        for (const { test, body } of statement.branches) {
          this.#each(own, test);
          this.statements(body, own);
        }
        this.statements(statement.otherwise, own);
        break;
      case 'for': {
        const names = [...namesOf(statement.target), 'loop'];
        this.#each(own, statement.items);
        // The condition of a loop can read the loop's variables.
        this.#each(new Set([...own, ...names]), statement.test);
        this.#block(statement.block, own, names);
        if (statement.otherwise) this.#block(statement.otherwise, own);
        break;
      }
      case 'set':
        this.#member(statement.target, own);
        this.#each(own, statement.value);
        break;
      case 'setBlock':
        this.#member(statement.target, own);
        this.#each(own, statement.filter);
        this.#block(statement.block, own);
        break;
      case 'with':
        this.#each(own, ...statement.values);
        this.#block(statement.block, own, statement.targets.flatMap(namesOf));
        break;
      case 'call':
        this.#each(own, statement.call);
        this.#macro(statement, own);
        break;
      case 'macro':
      case 'generation':
        this.#macro(statement, own);
        break;
      case 'filter':
        this.#each(own, statement.filter);
        this.#block(statement.block, own);
        break;
    }
  }

  #macro({ parameters, defaults, block, special }: MacroParts, own: ReadonlySet<string>): void {
    this.#each(own, ...defaults);
    this.#block(block, own, [...parameters, ...special]);
  }

  /** Setting a member of a namespace reads the namespace. */
  #member(target: Target, own: ReadonlySet<string>): void {
    if (target.kind === 'member') this.#name(target.namespace, own);
    if (target.kind === 'tuple') for (const item of target.items) this.#member(item, own);
  }

  #name(name: string, own: ReadonlySet<string>): void {
    if (!own.has(name)) this.read.add(name);
  }

  #arguments({ positional, named, spread, spreadNamed }: CallArguments, own: ReadonlySet<string>): void {
    this.#each(own, ...positional, ...named.map(([, value]) => value), spread, spreadNamed);
  }

  #each(own: ReadonlySet<string>, ...values: readonly (Expression | null)[]): void {
    for (const value of values) if (value) this.#expression(value, own);
  }

  #expression(value: Expression, own: ReadonlySet<string>): void {
    switch (value.kind) {
      case 'name':
        this.#name(value.name, own);
        break;
      case 'list':
      case 'tuple':
      case 'concat':
        this.#each(own, ...value.items);
        break;
      case 'dict':
        this.#each(own, ...value.entries.flat());
        break;
      case 'attribute':
      case 'not':
      case 'sign':
        this.#each(own, value.value);
        break;
      case 'element':
        this.#each(own, value.value, value.key);
        break;
      case 'slice':
        this.#each(own, value.value, value.from, value.to, value.step);
        break;
      case 'call':
        this.#each(own, value.callee);
        this.#arguments(value.args, own);
        break;
      // The names of filters and tests are no variables, but their arguments may read some.
      case 'filter':
      case 'test':
        this.#each(own, value.value);
        this.#arguments(value.args, own);
        break;
      case 'arithmetic':
      case 'and':
      case 'or':
        this.#each(own, value.left, value.right);
        break;
      case 'compare':
        this.#each(own, value.first, ...value.rest.map(([, operand]) => operand));
        break;
      case 'choice':
        this.#each(own, value.test, value.value, value.otherwise);
        break;
    }
  }
}

function namesOf(target: Target): string[] {
  if (target.kind === 'name') return [target.name];
  return target.kind === 'tuple' ? target.items.flatMap(namesOf) : [];
}
