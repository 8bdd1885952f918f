// Parses JSON from outside, only here. V8 accepts fifty thousand nested brackets, and code that then walks the value (a schema,
// JSON.stringify for a message) overflows the stack; so the depth of the text is checked first.

/** Nothing written by the lab or Hugging Face is nested deeper than a dozen levels. */
export const MAX_JSON_DEPTH = 64;

/** Like JSON.parse. Throws SyntaxError, also for nesting deeper than `MAX_JSON_DEPTH`; the caller adds what the text is. */
export function parseJsonText(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  const depth = depthOf(text);
  if (depth > MAX_JSON_DEPTH)
    throw new SyntaxError(`it is nested ${depth} deep or deeper, ${MAX_JSON_DEPTH} are allowed`);
  return JSON.parse(text, reviver);
}

/** The name and line of a member that occurs twice in one object of a valid text; null if there is none. JSON.parse takes the last one. */
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

/**
 * Nesting depth of arrays and objects, up to one more than allowed, in linear time. If the text is no JSON the result is arbitrary, and
 * JSON.parse then reports the error.
 */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  for (let i = 0; i < text.length && most <= MAX_JSON_DEPTH; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      // Searching the closing quote is much faster than a loop over the string's characters.
      for (i = text.indexOf('"', i + 1); i >= 0 && isEscaped(text, i); i = text.indexOf('"', i + 1));
      if (i < 0) break;
    } else if (code === OPEN || code === BEGIN) {
      depth++;
      if (depth > most) most = depth;
    } else if (code === CLOSE || code === END) depth--;
  }
  return most;
}

/** Whether an odd number of backslashes precedes this quote. Each backslash is visited only for the quote after it. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (from > 0 && text.charCodeAt(from - 1) === BACKSLASH) from--;
  return (at - from) % 2 === 1;
}

/** Numbers outside strings; a string is matched as a whole. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * Like parseJsonText, but every number becomes its own text, with all its digits: "0.10", "1e21". A double keeps at most seventeen. The
 * text must be valid JSON; otherwise call parseJsonText first.
 */
export function parseJsonNumbersAsTexts(text: string): unknown {
  return parseJsonText(text.replace(STRING_OR_NUMBER, (found) => (found[0] === '"' ? found : `"${found}"`)));
}
