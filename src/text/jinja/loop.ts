// Jinja2's variable `loop` in the body of a loop.
import { equal } from './operators.ts';
import { repr } from './printing.ts';
import { type Arguments, Callable, Helper, Tuple, typeError, Undefined, type Value } from './values.ts';
import { LIMITS, type Work } from './work.ts';

/** Iterates over elements, and reads one element ahead only when the template asks for `loop.last` or `loop.nextitem`. */
export class Loop {
  #index = -1;
  #before: Value | undefined;
  #current: Value | undefined;
  /** The next element if it has been read ahead (null if there is none); undefined if not. */
  #after: { value: Value } | null | undefined;
  #changed: Value | undefined;

  constructor(
    private elements: Iterator<Value>,
    private size: number | null,
    private readonly depth: number,
    private readonly again: ((items: Value) => Value) | null,
    private readonly work: Work,
  ) {}

  #take(): { value: Value } | null {
    const next = this.elements.next();
    return next.done ? null : { value: next.value };
  }

  #peek(): { value: Value } | null {
    if (this.#after === undefined) this.#after = this.#take();
    return this.#after;
  }

  next(): { value: Value } | null {
    const found = this.#after ?? this.#take();
    this.#after = undefined;
    if (found === null) return null;
    this.#index++;
    [this.#before, this.#current] = [this.#current, found.value];
    return found;
  }

  #length(): number {
    if (this.size === null) {
      const rest: Value[] = [];
      for (let next = this.#take(); next !== null; next = this.#take()) {
        rest.push(next.value);
        if (rest.length > LIMITS.items) this.work.items('a loop', rest.length);
        this.work.charge(1);
      }
      this.elements = rest[Symbol.iterator]();
      this.size = rest.length + this.#index + 1 + (this.#after ? 1 : 0);
    }
    return this.size;
  }

  helper(): Helper {
    const { work } = this;
    const count = (value: () => number) => () => BigInt(value());
    const cycle = ({ positional }: Arguments): Value => {
      if (positional.length === 0) throw typeError('no items for cycling given');
      return positional[this.#index % positional.length];
    };
    const changed = ({ positional }: Arguments): Value => {
      const value = new Tuple(positional);
      const differs = this.#changed === undefined || !equal(this.#changed, value, work);
      this.#changed = value;
      return differs;
    };
    return new Helper('LoopContext', {
      attributes: {
        index: count(() => this.#index + 1),
        index0: count(() => this.#index),
        revindex: count(() => this.#length() - this.#index),
        revindex0: count(() => this.#length() - this.#index - 1),
        length: count(() => this.#length()),
        depth: count(() => this.depth + 1),
        depth0: count(() => this.depth),
        first: () => this.#index === 0,
        last: () => this.#peek() === null,
        previtem: () => (this.#index === 0 ? new Undefined('there is no previous item') : this.#before!),
        nextitem: () => {
          const next = this.#peek();
          return next === null ? new Undefined('there is no next item') : next.value;
        },
        cycle: () => new Callable('cycle', cycle),
        changed: () => new Callable('changed', changed),
      },
      call: ({ positional }) => {
        if (!this.again) throw typeError("The loop must have the 'recursive' marker to be called recursively.");
        if (positional.length !== 1) throw typeError('loop() takes one argument');
        return this.again(positional[0]);
      },
      length: () => this.#length(),
      print: () => `<LoopContext ${repr(BigInt(this.#index + 1), work)}/${this.#length()}>`,
    });
  }
}
