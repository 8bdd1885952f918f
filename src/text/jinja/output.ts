// The variables of a running template, and the text that it has written.
import { Undefined, type Value } from './values.ts';
import type { Work } from './work.ts';

export class Scope {
  /** A name mapped to null is hidden: it is undefined even if an outer scope defines it. */
  readonly #names = new Map<string, { value: Value } | null>();

  constructor(
    private readonly outer: Scope | null,
    hidden: readonly string[] = [],
  ) {
    for (const name of hidden) this.#names.set(name, null);
  }

  get(name: string): Value {
    for (let scope: Scope | null = this; scope; scope = scope.outer) {
      const found = scope.#names.get(name);
      if (found) return found.value;
      if (found === null) break;
    }
    return new Undefined(`'${name}' is undefined`);
  }

  set(name: string, value: Value): void {
    this.#names.set(name, { value });
  }
}

/** Collects the pieces of text that a template writes, and their total length. */
export class Output {
  readonly #parts: string[] = [];
  #length = 0;

  constructor(private readonly work: Work) {}

  write(text: string): void {
    if (text === '') return;
    this.#length += text.length;
    this.work.room(this.#length);
    this.work.charge(text.length / 32);
    this.#parts.push(text);
  }

  text(): string {
    return this.#parts.join('');
  }
}
