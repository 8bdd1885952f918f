// Makes text safe for the terminal: a scenario, a model, a file's name or a server may contain escape codes (`ESC ]0;…` renames the window,
// `ESC [2J` clears it) or characters that reverse the line. They are printed as `\u001b`, which in JSON is the same text.

/** Keeps line breaks and tabs. */
export const terminalText = (text: string): string =>
  text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Prints each text on its own lines. */
export const printer =
  (write: (text: string) => void) =>
  (text: string): void =>
    write(`${terminalText(text).replace(/\n$/, '')}\n`);
