// JSON from outside: the one place that parses it. V8 accepts fifty thousand nested brackets, and whatever then walks the value (a schema,
// JSON.stringify for a message) overflows the stack: so the depth is counted first, on the text.

/** Nothing that the lab or Hugging Face writes is nested deeper than a dozen. */
export const MAX_JSON_DEPTH = 64;

/** Like JSON.parse. Throws SyntaxError, also for nesting deeper than `MAX_JSON_DEPTH`; the caller adds what the text is. */
export function parseJsonText(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  const depth = depthOf(text);
  if (depth > MAX_JSON_DEPTH)
    throw new SyntaxError(`it is nested ${depth} deep or deeper, ${MAX_JSON_DEPTH} are allowed`);
  return JSON.parse(text, reviver);
}

/** A member that occurs twice in one object of a valid text, and its line; null if there is none. JSON.parse takes the last of them. */
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

/** Nesting depth of arrays and objects, counted up to one more than allowed. Linear; for a text that is not JSON the result is
 *  arbitrary, and JSON.parse then reports the error. */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  for (let i = 0; i < text.length && most <= MAX_JSON_DEPTH; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      // Jumps to the string's end by its quotes, which is much faster than by its characters.
      for (i = text.indexOf('"', i + 1); i >= 0 && isEscaped(text, i); i = text.indexOf('"', i + 1));
      if (i < 0) break;
    } else if (code === OPEN || code === BEGIN) {
      depth++;
      if (depth > most) most = depth;
    } else if (code === CLOSE || code === END) depth--;
  }
  return most;
}

/** Whether an odd number of backslashes precedes this quote. Each backslash is looked at only for the quote behind it. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (from > 0 && text.charCodeAt(from - 1) === BACKSLASH) from--;
  return (at - from) % 2 === 1;
}

/** Numbers outside strings; a string is matched as a whole. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * Like parseJsonText, but every number is its own text: "0.10", "1e21", all digits of twenty. A double keeps no more than seventeen. The
 * text must be valid JSON; a caller that is not sure parses it first.
 */
export function parseJsonNumbersAsTexts(text: string): unknown {
  return parseJsonText(text.replace(STRING_OR_NUMBER, (found) => (found[0] === '"' ? found : `"${found}"`)));
}
