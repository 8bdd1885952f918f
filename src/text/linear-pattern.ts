// Checks that a third-party regular expression takes time linear in the text on JavaScript's engine, which backtracks: `(a|a)*$` takes
// exponential time on a text that almost matches, `\s+$` time quadratic in the length of a run of blanks. The library that runs a
// tokenizer.json compiles its patterns itself, so they cannot run on RE2 as all others do (packages/are/src/apps/messaging/pattern.ts).
// A pattern passes if its form alone shows that it is linear; all others are refused, with the part that is to blame.

/** Limit of (ways to match at one place of the text) × (characters per way), summed over all alternatives. */
const MOST_TRIES = 500;
const MOST_DEPTH = 50;

/** Says why a pattern may take more than linear time, or which syntax in it is not understood here. */
export class PatternProblem extends Error {}

interface Term {
  readonly text: string;
  readonly node: Node;
  readonly min: number;
  readonly max: number;
}
type Node =
  /** One character. */
  | { readonly kind: 'atom'; readonly text: string }
  /** Matches no characters but has a condition: an anchor or a look-around, whose content is `alternatives`. */
  | { readonly kind: 'assertion'; readonly text: string; readonly alternatives: readonly Sequence[] }
  | { readonly kind: 'group'; readonly alternatives: readonly Sequence[] };
type Sequence = readonly Term[];

/**
 * Throws PatternProblem if matching may take more than linear time, or if that cannot be decided.
 *
 * A pattern passes if nothing that can fail follows an unbounded repeat, so that a greedy repeat never gives anything back, and if the part
 * before the repeat can match in a bounded number of ways. A match then costs time proportional to its length, and a failure constant time.
 * One more form passes because all published patterns have it: `\s*[\r\n]+|\s+(?!\S)|\s+`, where the first alternatives may scan a run
 * of blanks without matching, but a later alternative is sure to consume the run.
 */
export function checkLinear(pattern: string): void {
  const alternatives = new Parser(pattern).whole();
  let tries = 0;
  for (const [place, alternative] of alternatives.entries()) {
    try {
      const { ways, length } = costOf(alternative);
      tries += ways * Math.max(1, length);
      bounded(tries, 1, 'all alternatives');
    } catch (error) {
      if (!(error instanceof PatternProblem) || !isConsumedLater(alternatives, place)) throw error;
    }
  }
}

// ---- cost ------------------------------------------------------------------------------------------------------------------------

interface Cost {
  /** Whether it can match the empty string, and so cannot fail. */
  readonly isNullable: boolean;
  /** Upper bound on the number of ways in which the part before the first unbounded repeat can match. */
  readonly ways: number;
  /** Most characters matched, not counting those of unbounded repeats. */
  readonly length: number;
  readonly isEndless: boolean;
}

function costOf(sequence: Sequence): Cost {
  let [isNullable, isEndless, ways, length] = [true, false, 1, 0];
  let endless = '';
  for (const term of sequence) {
    const cost = termCost(term);
    if (isEndless && !cost.isNullable)
      throw new PatternProblem(`has ${term.text} after ${endless}, which may be tried again and again`);
    isNullable &&= cost.isNullable;
    ways = bounded(ways * cost.ways, length + cost.length, term.text);
    length += cost.length;
    if (cost.isEndless) [isEndless, endless] = [true, term.text];
  }
  return { isNullable, isEndless, ways, length };
}

function bounded(ways: number, length: number, text: string): number {
  if (ways * Math.max(1, length) <= MOST_TRIES) return ways;
  throw new PatternProblem(`may be tried in more than ${MOST_TRIES} ways at one place (${text})`);
}

function termCost({ text, node, min, max }: Term): Cost {
  const once = nodeCost(node);
  if (max === 1 && min === 1) return once;
  if (node.kind === 'assertion') throw new PatternProblem(`repeats a condition: ${text}`);
  if (max > 1 && once.isEndless && !(max === Number.POSITIVE_INFINITY && min <= 1))
    throw new PatternProblem(`repeats a repeat: ${text}`);
  const isNullable = min === 0 || once.isNullable;
  if (max === Number.POSITIVE_INFINITY) {
    if (once.isNullable) throw new PatternProblem(`repeats what may be empty: ${text}`);
    const least = Math.max(1, min);
    const ways = bounded(once.ways ** least, once.length * least, text);
    return { isNullable, isEndless: true, ways, length: once.length * least };
  }
  let ways = 0;
  for (let count = min; count <= max; count++) ways = bounded(ways + once.ways ** count, once.length * count, text);
  return { isNullable, isEndless: once.isEndless, ways, length: once.length * max };
}

function nodeCost(node: Node): Cost {
  if (node.kind === 'atom') return { isNullable: false, isEndless: false, ways: 1, length: 1 };
  const costs = node.alternatives.map(costOf);
  const ways = costs.reduce((sum, cost) => sum + cost.ways, 0);
  const length = costs.reduce((most, cost) => Math.max(most, cost.length), 0);
  const isEndless = costs.some((cost) => cost.isEndless);
  if (node.kind === 'group') return { isNullable: costs.some((cost) => cost.isNullable), isEndless, ways, length };
  if (isEndless) throw new PatternProblem(`has a repeat without end in a condition: ${node.text}`);
  // A look-around can fail, and the characters that it read are read again by what follows.
  return { isNullable: false, isEndless: false, ways, length };
}

/**
 * Whether the alternative at `place` has the form `A?X*Y+…` or `\s+(?!\S)`, and the alternatives directly after it have the same A and X
 * and end with `A?X+…`, which cannot fail on a run of X. If the alternative scans a run without matching, that last one consumes the
 * run. If it matches, then because `X*` gives characters back from its end, the rest of the run contains no Y or is one character.
 */
function isConsumedLater(alternatives: readonly Sequence[], place: number): boolean {
  const run = runOf(alternatives[place]);
  if (run === null || !isRetried(run)) return false;
  for (const later of alternatives.slice(place + 1)) {
    const next = runOf(later);
    if (next === null || next.head !== run.head || next.of !== run.of) return false;
    if (isRetried(next)) continue;
    return next.min === 1 && isLinear(later);
  }
  return false;
}

interface Run {
  /** Pattern text before the run, which matches at most one character and is optional; '' if there is none. */
  readonly head: string;
  readonly of: string;
  readonly min: number;
  readonly rest: Sequence;
}

function runOf(sequence: Sequence): Run | null {
  const isHead = (term: Term | undefined) => term?.node.kind === 'atom' && term.min === 0 && term.max === 1;
  const at = isHead(sequence[0]) ? 1 : 0;
  const run = sequence[at];
  if (run?.node.kind !== 'atom' || run.max !== Number.POSITIVE_INFINITY || run.min > 1) return null;
  // A lazy repeat takes one character per match, so it would scan the same run again at each of them.
  if (run.text.endsWith('?')) return null;
  const head = at === 1 ? (sequence[0]?.text ?? '') : '';
  return { head, of: run.node.text, min: run.min, rest: sequence.slice(at + 1) };
}

function isRetried({ of, rest: [next, ...after] }: Run): boolean {
  if (next === undefined) return false;
  if (next.node.kind === 'assertion') return of === '\\s' && next.text === '(?!\\S)' && after.length === 0;
  const isSure = after.every((term) => termCost(term).isNullable) && isLinear(after);
  return next.node.kind === 'atom' && next.min === 1 && next.max === Number.POSITIVE_INFINITY && isSure;
}

function isLinear(sequence: Sequence): boolean {
  try {
    costOf(sequence);
    return true;
  } catch (error) {
    if (error instanceof PatternProblem) return false;
    throw error;
  }
}

// ---- syntax ----------------------------------------------------------------------------------------------------------------------

/** Escapes that match one character, in Oniguruma's syntax (that of tokenizer.json) and in JavaScript's, to which the library converts it. */
const ESCAPE =
  /^\\(?:[sSdDwWhHnrtfv]|[pP]\{\^?[\w=]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|x\{[0-9a-fA-F]{1,6}\}|[^A-Za-z0-9])/u;
const ANCHOR = /^(?:\^|\$|\\[bB])/;
const QUANTIFIER = /^(?:[*+?]|\{(\d*)(,?)(\d*)\})/;
const LOOK = /^\(\?<?[=!]/;
const GROUP = /^\((?:\?:|\?i:|\?<[A-Za-z_]\w*>|(?!\?))/;

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  whole(): Sequence[] {
    const found = this.alternatives(0);
    if (this.at < this.text.length) throw this.unknown();
    return found;
  }

  private get rest(): string {
    return this.text.slice(this.at, this.at + 64);
  }

  private unknown(): PatternProblem {
    return new PatternProblem(`has ${this.rest.slice(0, 8)} at ${this.at}, which is not judged here`);
  }

  private alternatives(depth: number): Sequence[] {
    if (depth > MOST_DEPTH) throw new PatternProblem(`has more than ${MOST_DEPTH} groups in groups`);
    const found: Term[][] = [[]];
    for (; this.at < this.text.length && this.text[this.at] !== ')'; ) {
      if (this.text[this.at] === '|') {
        this.at++;
        found.push([]);
      } else (found.at(-1) as Term[]).push(this.term(depth));
    }
    return found;
  }

  private term(depth: number): Term {
    const start = this.at;
    const node = this.node(depth);
    const [all = '', from, comma, to] = QUANTIFIER.exec(this.rest) ?? [];
    this.at += all.length;
    // A lazy repeat is judged as a greedy one: nothing that follows may fail.
    if (all !== '' && this.text[this.at] === '?') this.at++;
    if (all !== '' && QUANTIFIER.test(this.rest)) throw this.unknown();
    const text = this.text.slice(start, this.at);
    if (all === '') return { text, node, min: 1, max: 1 };
    if (from === undefined)
      return { text, node, min: all === '+' ? 1 : 0, max: all === '?' ? 1 : Number.POSITIVE_INFINITY };
    if (from === '' && to === '') throw this.unknown();
    const min = Number(from);
    const max = comma === '' ? min : to === '' ? Number.POSITIVE_INFINITY : Number(to);
    if (max < min || (max !== Number.POSITIVE_INFINITY && max > MOST_TRIES) || min > MOST_TRIES) throw this.unknown();
    return { text, node, min, max };
  }

  private node(depth: number): Node {
    const { rest, at } = this;
    if (rest[0] === '[') return { kind: 'atom', text: this.characterClass() };
    const [anchor] = ANCHOR.exec(rest) ?? [];
    if (anchor !== undefined) return this.take(anchor, { kind: 'assertion', text: anchor, alternatives: [[]] });
    const [look] = LOOK.exec(rest) ?? [];
    const [open = look] = GROUP.exec(rest) ?? [];
    if (open !== undefined) {
      this.at += open.length;
      const alternatives = this.alternatives(depth + 1);
      if (this.text[this.at] !== ')') throw this.unknown();
      this.at++;
      if (look === undefined) return { kind: 'group', alternatives };
      return { kind: 'assertion', text: this.text.slice(at, this.at), alternatives };
    }
    const escaped = ESCAPE.exec(rest)?.[0];
    if (escaped !== undefined) return this.take(escaped, { kind: 'atom', text: escaped });
    const character = String.fromCodePoint(this.text.codePointAt(at) ?? 0);
    if ('\\()*+?{'.includes(character)) throw this.unknown();
    return this.take(character, { kind: 'atom', text: character });
  }

  private take(text: string, node: Node): Node {
    this.at += text.length;
    return node;
  }

  /** Reads a character class up to its closing `]`, with nested classes; any class matches exactly one character. */
  private characterClass(): string {
    const start = this.at;
    let depth = 0;
    do {
      const character = this.text[this.at];
      if (character === undefined) throw this.unknown();
      if (character === '[') {
        depth++;
        // A `]` directly after `[` or `[^` is a literal character.
        const [head = ''] = /^\^?\]?/.exec(this.text.slice(this.at + 1)) ?? [];
        this.at += head.length;
      } else if (character === ']') depth--;
      else if (character === '\\') this.at++;
      this.at++;
    } while (depth > 0);
    return this.text.slice(start, this.at);
  }
}
