// JSON from outside: the one place that parses it. V8 reads fifty thousand brackets in one another without a word, and whatever
// then walks the value (a schema, JSON.stringify for a message) runs out of stack: so the depth is counted first, on the text.

/** Nothing that the lab or Hugging Face writes is nested deeper than a dozen. */
export const MAX_JSON_DEPTH = 64;

/** As JSON.parse. Throws SyntaxError, also for what is nested deeper than `MAX_JSON_DEPTH`; the caller says what the text is of. */
export function parseJsonText(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  const depth = depthOf(text);
  if (depth > MAX_JSON_DEPTH)
    throw new SyntaxError(`it is nested ${depth} deep or deeper, ${MAX_JSON_DEPTH} are allowed`);
  return JSON.parse(text, reviver);
}

/** A member that stands twice in one object of a valid text, and its line; null where none does. JSON.parse takes the last of them. */
export function repeatedMember(text: string): { name: string; line: number } | null {
  const open: Set<string>[] = [];
  for (const { 0: token, 1: member, index } of text.matchAll(
    /("[^"\\]*(?:\\.[^"\\]*)*")\s*:|"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/gs,
  )) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (member !== undefined) {
      const name = JSON.parse(member) as string;
      const names = open.at(-1);
      if (names?.has(name)) return { name, line: text.slice(0, index).split('\n').length };
      names?.add(name);
    }
  }
  return null;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE, BEGIN, END] = [...'"\\[]{}'].map((char) => char.charCodeAt(0));

/** How deep arrays and objects are in one another, counted up to one more than is allowed. Linear; of text that is no JSON it says
 *  something, and JSON.parse then says the rest. */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  for (let i = 0; i < text.length && most <= MAX_JSON_DEPTH; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      // To the string's end: by its quotes, which is much faster than by its characters.
      for (i = text.indexOf('"', i + 1); i >= 0 && isEscaped(text, i); i = text.indexOf('"', i + 1));
      if (i < 0) break;
    } else if (code === OPEN || code === BEGIN) {
      depth++;
      if (depth > most) most = depth;
    } else if (code === CLOSE || code === END) depth--;
  }
  return most;
}

/** Whether an odd number of backslashes is before this quote. Each backslash is looked at once for the quote behind it. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (from > 0 && text.charCodeAt(from - 1) === BACKSLASH) from--;
  return (at - from) % 2 === 1;
}

/** Outside of strings, numbers; a string is matched as a whole. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * As parseJsonText, and every number is its own text: "0.10", "1e21", all digits of twenty. A double keeps no more than seventeen.
 * The text is JSON: whoever is not sure parses it first.
 */
export function parseJsonNumbersAsTexts(text: string): unknown {
  return parseJsonText(text.replace(STRING_OR_NUMBER, (found) => (found[0] === '"' ? found : `"${found}"`)));
}
