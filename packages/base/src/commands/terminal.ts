// The terminal's door: what a scenario, a model, a file's name or a server wrote may hold escape codes (`ESC ]0;…` renames the window,
// `ESC [2J` clears it) or marks that turn the line about. They are printed as `\u001b`, which within JSON is the same text.

/** Line breaks and tabs alone stay. */
export const terminalText = (text: string): string =>
  text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Each text on lines of its own. */
export const printer =
  (write: (text: string) => void) =>
  (text: string): void =>
    write(`${terminalText(text).replace(/\n$/, '')}\n`);
