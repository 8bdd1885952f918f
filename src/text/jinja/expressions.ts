// Parses Jinja2's expressions. Its operator precedence differs from Python's: `~` binds tighter than `+`, `**` is left-associative, and a
// test may take one argument without parentheses.
import type { CallArguments, Comparison, Expression } from './ast.ts';
import type { Token, TokenKind } from './lexer.ts';
import { LIMITS, TemplateError, unsupported } from './work.ts';

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '==': 'eq',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'lteq',
  '>': 'gt',
  '>=': 'gteq',
};
/** Names that are constants. */
export const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);
/** Reads expressions from tokens; parser.ts adds the statements. */
export class ExpressionParser {
  protected at = 0;
  private depth = 0;
  /** For each macro that encloses the current position, the names that its body reads. */
  protected readonly reads: Set<string>[] = [];

  constructor(private readonly tokens: readonly Token[]) {}

  protected get now(): Token {
    return this.tokens[this.at];
  }

  protected is(kind: TokenKind, ...texts: string[]): boolean {
    return this.now.kind === kind && (texts.length === 0 || texts.includes(this.now.text));
  }

  protected skip(kind: TokenKind, text: string): boolean {
    const found = this.is(kind, text);
    if (found) this.at++;
    return found;
  }

  protected expect(kind: TokenKind, text?: string): Token {
    if (this.now.kind !== kind || (text !== undefined && this.now.text !== text))
      this.fail(`expected ${text === undefined ? `a ${kind}` : `'${text}'`}, got '${this.now.text}'`);
    return this.tokens[this.at++];
  }

  protected fail(what: string): never {
    throw new TemplateError(`line ${this.now.line}: ${what}`);
  }

  protected nested<T>(parse: () => T): T {
    if (++this.depth > LIMITS.nested) this.fail(`nested more than ${LIMITS.nested} deep`);
    const found = parse();
    this.depth--;
    return found;
  }

  /** Parses one expression, or a tuple if there are commas. */
  protected tuple(choices = true, end?: string, parentheses = false): Expression {
    const items: Expression[] = [];
    let tuple = false;
    for (;;) {
      if (items.length > 0) this.expect('operator', ',');
      if (this.is('end') || this.is('operator', ')') || (end && this.is('name', end))) break;
      items.push(choices ? this.expression() : this.nested(() => this.or()));
      if (!this.is('operator', ',')) break;
      tuple = true;
    }
    if (!tuple && items.length > 0) return items[0];
    if (!tuple && !parentheses) this.fail(`expected an expression, got '${this.now.text}'`);
    return { kind: 'tuple', items };
  }

  protected expression(): Expression {
    return this.nested(() => {
      let found = this.or();
      while (this.skip('name', 'if')) {
        const test = this.or();
        const otherwise = this.skip('name', 'else') ? this.expression() : null;
        found = { kind: 'choice', test, value: found, otherwise };
      }
      return found;
    });
  }

  protected or(): Expression {
    let left = this.and();
    while (this.skip('name', 'or')) left = { kind: 'or', left, right: this.and() };
    return left;
  }

  private and(): Expression {
    let left = this.not();
    while (this.skip('name', 'and')) left = { kind: 'and', left, right: this.not() };
    return left;
  }

  private not(): Expression {
    if (this.skip('name', 'not')) return { kind: 'not', value: this.nested(() => this.not()) };
    return this.compare();
  }

  private compare(): Expression {
    const first = this.sum();
    const rest: [Comparison, Expression][] = [];
    for (;;) {
      const next = this.tokens[this.at + 1];
      if (this.is('operator') && Object.hasOwn(COMPARISONS, this.now.text)) {
        const operator = COMPARISONS[this.tokens[this.at++].text];
        rest.push([operator, this.sum()]);
      } else if (this.skip('name', 'in')) rest.push(['in', this.sum()]);
      else if (this.is('name', 'not') && next?.kind === 'name' && next.text === 'in') {
        this.at += 2;
        rest.push(['notin', this.sum()]);
      } else return rest.length === 0 ? first : { kind: 'compare', first, rest };
    }
  }

  private sum(): Expression {
    let left = this.concat();
    while (this.is('operator', '+', '-')) {
      const operator = this.tokens[this.at++].text as '+' | '-';
      left = { kind: 'arithmetic', operator, left, right: this.concat() };
    }
    return left;
  }

  private concat(): Expression {
    const items = [this.product()];
    while (this.skip('operator', '~')) items.push(this.product());
    return items.length === 1 ? items[0] : { kind: 'concat', items };
  }

  private product(): Expression {
    let left = this.power();
    while (this.is('operator', '*', '/', '//', '%')) {
      const operator = this.tokens[this.at++].text as '*' | '/' | '//' | '%';
      left = { kind: 'arithmetic', operator, left, right: this.power() };
    }
    return left;
  }

  private power(): Expression {
    let left = this.unary();
    while (this.skip('operator', '**')) left = { kind: 'arithmetic', operator: '**', left, right: this.unary() };
    return left;
  }

  private unary(filters = true): Expression {
    let found: Expression;
    if (this.is('operator', '-', '+')) {
      const operator = this.tokens[this.at++].text as '-' | '+';
      found = { kind: 'sign', operator, value: this.nested(() => this.unary(false)) };
    } else found = this.primary();
    found = this.postfix(found);
    return filters ? this.filtered(found) : found;
  }

  private primary(): Expression {
    const token = this.now;
    this.at++;
    switch (token.kind) {
      case 'name':
        if (CONSTANTS.has(token.text)) return { kind: 'constant', value: CONSTANTS.get(token.text)! };
        for (const reads of this.reads) reads.add(token.text);
        return { kind: 'name', name: token.text };
      case 'string': {
        let value = token.value as string;
        while (this.is('string')) value += this.tokens[this.at++].value as string;
        return { kind: 'constant', value };
      }
      case 'integer':
      case 'float':
        return { kind: 'constant', value: token.value };
    }
    if (token.kind === 'operator' && token.text === '(') {
      const found = this.nested(() => this.tuple(true, undefined, true));
      this.expect('operator', ')');
      return found;
    }
    if (token.kind === 'operator' && token.text === '[')
      return { kind: 'list', items: this.separated(']', () => this.expression()) };
    if (token.kind === 'operator' && token.text === '{') {
      const entry = (): [Expression, Expression] => {
        const key = this.expression();
        this.expect('operator', ':');
        return [key, this.expression()];
      };
      return { kind: 'dict', entries: this.separated('}', entry) };
    }
    this.at--;
    return this.fail(`unexpected '${token.text}'`);
  }

  /** Parses items separated by commas, up to `end`; a trailing comma is allowed. */
  private separated<T>(end: string, parse: () => T): T[] {
    const found: T[] = [];
    while (!this.is('operator', end)) {
      if (found.length > 0) this.expect('operator', ',');
      if (this.is('operator', end)) break;
      found.push(parse());
    }
    this.expect('operator', end);
    return found;
  }

  private postfix(given: Expression): Expression {
    let found = given;
    for (;;) {
      if (this.is('operator', '.', '[')) found = this.subscript(found);
      else if (this.is('operator', '(')) found = { kind: 'call', callee: found, args: this.arguments() };
      else return found;
    }
  }

  private filtered(given: Expression): Expression {
    let found = given;
    for (;;) {
      if (this.is('operator', '|')) found = this.filters(found)!;
      else if (this.is('name', 'is')) found = this.test(found);
      else if (this.is('operator', '(')) found = { kind: 'call', callee: found, args: this.arguments() };
      else return found;
    }
  }

  private subscript(value: Expression): Expression {
    if (this.tokens[this.at++].text === '.') {
      const token = this.tokens[this.at++];
      if (token.kind === 'name') return { kind: 'attribute', value, name: token.text };
      if (token.kind === 'integer') return { kind: 'element', value, key: { kind: 'constant', value: token.value } };
      this.at--;
      return this.fail('expected name or number');
    }
    const open = (): Expression | null => (this.is('operator', ':', ']', ',') ? null : this.expression());
    const from = open();
    if (!this.skip('operator', ':')) {
      if (from === null) this.fail('expected an expression');
      const items = [from!];
      while (this.skip('operator', ',')) items.push(this.expression());
      this.expect('operator', ']');
      return { kind: 'element', value, key: items.length === 1 ? items[0] : { kind: 'tuple', items } };
    }
    const to = open();
    const step = this.skip('operator', ':') ? open() : null;
    if (this.is('operator', ',')) throw unsupported('several slices in one subscript');
    this.expect('operator', ']');
    return { kind: 'slice', value, from, to, step };
  }

  private arguments(): CallArguments {
    const positional: Expression[] = [];
    const named: [string, Expression][] = [];
    let [spread, spreadNamed]: (Expression | null)[] = [null, null];
    const ensure = (right: boolean) => right || this.fail('invalid syntax for function call expression');
    this.expect('operator', '(');
    this.separated(')', () => {
      const next = this.tokens[this.at + 1];
      if (this.skip('operator', '*')) {
        ensure(!spread && !spreadNamed);
        spread = this.expression();
      } else if (this.skip('operator', '**')) {
        ensure(!spreadNamed);
        spreadNamed = this.expression();
      } else if (this.is('name') && next.kind === 'operator' && next.text === '=') {
        ensure(!spreadNamed);
        const name = this.now.text;
        this.at += 2;
        named.push([name, this.expression()]);
      } else {
        ensure(!spread && !spreadNamed && named.length === 0);
        positional.push(this.expression());
      }
    });
    return { positional, named, spread, spreadNamed };
  }

  private dotted(): string {
    let name = this.expect('name').text;
    while (this.skip('operator', '.')) name += `.${this.expect('name').text}`;
    return name;
  }

  /** Parses a chain of filters. @param inline whether the first filter has no `|` before it. */
  protected filters(given: Expression | null, inline = false): Expression | null {
    let found = given;
    let first = inline;
    while (first || this.skip('operator', '|')) {
      first = false;
      const name = this.dotted();
      found = { kind: 'filter', value: found, name, args: this.is('operator', '(') ? this.arguments() : NONE };
    }
    return found;
  }

  private test(value: Expression): Expression {
    this.at++;
    const negated = this.skip('name', 'not');
    const name = this.dotted();
    let args = NONE;
    const literal = this.is('string') || this.is('integer') || this.is('float') || this.is('operator', '[', '{');
    if (this.is('operator', '(')) args = this.arguments();
    else if (literal || (this.is('name') && !this.is('name', 'else', 'or', 'and'))) {
      if (this.is('name', 'is')) this.fail('You cannot chain multiple tests with is');
      args = { ...NONE, positional: [this.postfix(this.primary())] };
    }
    const test: Expression = { kind: 'test', value, name, args };
    return negated ? { kind: 'not', value: test } : test;
  }
}

const NONE: CallArguments = { positional: [], named: [], spread: null, spreadNamed: null };
