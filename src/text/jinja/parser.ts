// Parses Jinja2's statements from tokens into a syntax tree. The expressions in them are parsed by expressions.ts.
import type { Block, Expression, MacroParts, Statement, Target } from './ast.ts';
import { CONSTANTS, ExpressionParser } from './expressions.ts';
import { tokenize } from './lexer.ts';
import { findHidden } from './scopes.ts';
import { unsupported } from './work.ts';

/** Statements of Jinja2 that are not supported because they need other templates or change how values are written. */
const REFUSED = new Set(['autoescape', 'block', 'extends', 'from', 'import', 'include']);
const SPECIAL = ['caller', 'kwargs', 'varargs'];

/** Parses a template. Throws TemplateError with the line of a syntax error. */
export function parse(template: string): Block {
  const parser = new Parser(tokenize(template));
  const block = { body: parser.statements([]), hidden: [] };
  findHidden(block);
  return block;
}

class Parser extends ExpressionParser {
  /** Number of loops that enclose the current position within the innermost macro. */
  private loops = 0;

  /** Parses statements up to a tag with one of the names `ends`, and stops at that name; if `ends` is empty, up to the end of the template. */
  statements(ends: readonly string[]): Statement[] {
    const found: Statement[] = [];
    for (;;) {
      const token = this.now;
      if (token.kind === 'eof') {
        if (ends.length > 0) this.fail(`the template ends before '${ends.at(-1)}'`);
        return found;
      }
      this.at++;
      if (token.kind === 'data') found.push({ kind: 'text', text: token.text });
      else if (token.text === '{{') {
        found.push({ kind: 'output', value: this.tuple() });
        this.expect('end', '}}');
      } else {
        if (this.is('name', ...ends) && ends.length > 0) return found;
        found.push(...this.nested(() => this.statement()));
        this.expect('end', '%}');
      }
    }
  }

  /** Parses the body of a statement, from the end of its opening tag through the name of its end tag. */
  private body(...ends: string[]): { body: Statement[]; end: string } {
    this.skip('operator', ':');
    this.expect('end', '%}');
    const body = this.statements(ends);
    return { body, end: this.expect('name').text };
  }

  private block(...ends: string[]): Block {
    return { body: this.body(...ends).body, hidden: [] };
  }

  private statement(): Statement[] {
    const name = this.expect('name').text;
    switch (name) {
      case 'for':
        return [this.for()];
      case 'if':
        return [this.if()];
      case 'set':
        return [this.set()];
      case 'macro':
        return [{ kind: 'macro', name: this.expect('name').text, ...this.macro('endmacro') }];
      case 'call':
        return [this.call()];
      case 'filter':
        return [{ kind: 'filter', filter: this.filters(null, true)!, block: this.block('endfilter') }];
      case 'with':
        return [this.with()];
      case 'generation':
        return [{ kind: 'generation', ...this.macro('endgeneration', { parameters: [], defaults: [] }) }];
      case 'print': {
        const values: Statement[] = [];
        while (!this.is('end')) {
          if (values.length > 0) this.expect('operator', ',');
          values.push({ kind: 'output', value: this.expression() });
        }
        return values;
      }
      case 'break':
      case 'continue':
        if (this.loops === 0) this.fail(`'${name}' outside a loop`);
        return [{ kind: name }];
    }
    if (REFUSED.has(name)) throw unsupported(`the statement '${name}'`);
    return this.fail(`unknown tag '${name}'`);
  }

  private outsideLoops<T>(parse: () => T): T {
    const loops = this.loops;
    this.loops = 0;
    const found = parse();
    this.loops = loops;
    return found;
  }

  private for(): Statement {
    const target = this.target(false, 'in');
    this.expect('name', 'in');
    const items = this.tuple(false, 'recursive');
    const test = this.skip('name', 'if') ? this.expression() : null;
    const recursive = this.skip('name', 'recursive');
    this.loops++;
    const { body, end } = this.body('endfor', 'else');
    this.loops--;
    // Jinja2 compiles a recursive loop to a function, so a `break` in its `else` has no enclosing loop.
    const rest = () => this.block('endfor');
    const otherwise = end !== 'else' ? null : recursive ? this.outsideLoops(rest) : rest();
    return { kind: 'for', target, items, test, recursive, block: { body, hidden: [] }, otherwise };
  }

  private if(): Statement {
    const branches: { test: Expression; body: Statement[] }[] = [];
    for (;;) {
      const test = this.tuple(false);
      const { body, end } = this.body('elif', 'else', 'endif');
      branches.push({ test, body });
      if (end === 'elif') continue;
      return { kind: 'if', branches, otherwise: end === 'else' ? this.body('endif').body : [] };
    }
  }

  private set(): Statement {
    const target = this.target(true);
    if (this.skip('operator', '=')) return { kind: 'set', target, value: this.tuple() };
    const filter = this.filters(null);
    return { kind: 'setBlock', target, filter, block: this.block('endset') };
  }

  private with(): Statement {
    const targets: Target[] = [];
    const values: Expression[] = [];
    while (!this.is('end')) {
      if (targets.length > 0) this.expect('operator', ',');
      targets.push(this.target(false));
      this.expect('operator', '=');
      values.push(this.expression());
    }
    return { kind: 'with', targets, values, block: this.block('endwith') };
  }

  private call(): Statement {
    // The parameters of the caller are written before the call, its body after it.
    const signature = this.is('operator', '(') ? this.signature() : { parameters: [], defaults: [] };
    const call = this.expression();
    if (call.kind !== 'call') this.fail('expected a call');
    return { kind: 'call', call, ...this.macro('endcall', signature) };
  }

  private signature(): Pick<MacroParts, 'parameters' | 'defaults'> {
    const parameters: string[] = [];
    const defaults: Expression[] = [];
    this.expect('operator', '(');
    while (!this.is('operator', ')')) {
      if (parameters.length > 0) this.expect('operator', ',');
      const name = this.expect('name').text;
      if (CONSTANTS.has(name)) this.fail(`can't assign to '${name}'`);
      parameters.push(name);
      if (this.skip('operator', '=')) defaults.push(this.expression());
      else if (defaults.length > 0) this.fail('non-default argument follows default argument');
    }
    this.expect('operator', ')');
    return { parameters, defaults };
  }

  private macro(end: string, signature = this.signature()): MacroParts {
    const reads = new Set<string>();
    this.reads.push(reads);
    const block = this.outsideLoops(() => this.block(end));
    this.reads.pop();
    const special = new Set(SPECIAL.filter((name) => reads.has(name) && !signature.parameters.includes(name)));
    if (reads.has('caller') && signature.parameters.includes('caller')) throw unsupported("a parameter named 'caller'");
    return { ...signature, block, special };
  }

  private target(members: boolean, end?: string): Target {
    const items: Target[] = [];
    let tuple = false;
    do {
      if (items.length > 0 && (this.is('end') || this.is('operator', ')') || (end && this.is('name', end)))) break;
      items.push(this.nested(() => this.oneTarget(members)));
      if (this.is('operator', ',')) tuple = true;
    } while (this.skip('operator', ','));
    return tuple ? { kind: 'tuple', items } : items[0];
  }

  private oneTarget(members: boolean): Target {
    if (this.skip('operator', '(')) {
      const target = this.target(false);
      this.expect('operator', ')');
      return target;
    }
    const { text } = this.expect('name');
    if (CONSTANTS.has(text)) this.fail(`can't assign to '${text}'`);
    if (members && this.skip('operator', '.'))
      return { kind: 'member', namespace: text, name: this.expect('name').text };
    return { kind: 'name', name: text };
  }
}
