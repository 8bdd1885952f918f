// Errors that tools raise. An agent reads class and text, and the verifier and recorded runs compare them, so both are the reference's
// (ARE, arXiv 2509.17158), which is written in Python: an error is a Python class name and `str(error)`.

const PYTHON_ERRORS = [
  'Exception',
  'ValueError',
  'TypeError',
  'KeyError',
  'IndexError',
  'AttributeError',
  'AssertionError',
  'RuntimeError',
  'NotImplementedError',
  'FileNotFoundError',
  'FileExistsError',
  'IsADirectoryError',
  'NotADirectoryError',
  'PermissionError',
  'OSError',
  'OverflowError',
  // Python's re and shutil use this name.
  'error',
  'Error',
] as const;
export type PythonErrorClass = (typeof PYTHON_ERRORS)[number];

/** An error of the simulated world, not of the lab: it is logged and shown to the agent, and the run goes on. */
export class PythonError extends Error {
  constructor(
    readonly kind: PythonErrorClass,
    text: string,
  ) {
    super(text);
    this.name = kind;
  }
}

export const valueError = (text: string): PythonError => new PythonError('ValueError', text);
export const typeError = (text: string): PythonError => new PythonError('TypeError', text);
export const indexError = (text: string): PythonError => new PythonError('IndexError', text);
export const attributeError = (text: string): PythonError => new PythonError('AttributeError', text);
export const assertionError = (text: string): PythonError => new PythonError('AssertionError', text);
export const exception = (text: string): PythonError => new PythonError('Exception', text);

/** Turns an error caused by an app's invalid state into one of the simulated world, so that the run goes on. Null for any other error. */
export function pythonErrorOf(error: unknown): PythonError | null {
  if (error instanceof PythonError) return error;
  return error instanceof TypeError || error instanceof RangeError
    ? new PythonError('RuntimeError', error.message)
    : null;
}

export type Outcome<T> = { readonly value: T } | { readonly error: PythonError };

/** Result of a call: its value or its PythonError. Any other error is thrown. */
export function outcomeOf<T>(run: () => T): Outcome<T> {
  try {
    return { value: run() };
  } catch (raised) {
    const error = pythonErrorOf(raised);
    if (error === null) throw raised;
    return { error };
  }
}

/** The text of a KeyError is the repr of its key or message: `'SPAM'`. */
export const keyError = (key: string): PythonError => new PythonError('KeyError', quoted(key));

/** Python's repr of a string: single quotes, or double ones if the text contains only single ones. */
export function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let inside = '';
  for (const character of text) inside += escaped(character, quote);
  return quote + inside + quote;
}

const NAMED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string, quote: string): string {
  if (character === quote) return `\\${quote}`;
  const named = NAMED[character];
  if (named !== undefined) return named;
  const code = character.codePointAt(0) as number;
  const isControl = code < 32 || (code >= 127 && code < 161) || code === 173;
  return isControl ? `\\x${code.toString(16).padStart(2, '0')}` : character;
}
