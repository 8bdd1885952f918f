// GPT-2's alphabet, in which byte-level tokenizers write each byte as a printable character.

const PRINTABLE = [...between('!', '~'), ...between('¡', '¬'), ...between('®', 'ÿ')];

function between(from: string, to: string): number[] {
  const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)];
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** [256] The character that stands for each byte. */
const CHARACTERS: readonly string[] = (() => {
  const all = new Array<string>(256).fill('');
  for (const byte of PRINTABLE) all[byte] = String.fromCharCode(byte);
  let next = 256;
  for (let byte = 0; byte < 256; byte++) all[byte] ||= String.fromCharCode(next++);
  return all;
})();
const BYTES: ReadonlyMap<string, number> = new Map(CHARACTERS.map((char, byte) => [char, byte]));

const encoder = new TextEncoder();

/** The UTF-8 bytes of a text in this alphabet, one character per byte. Every word of every prompt passes here and most are ASCII, so ASCII texts
 *  are converted without an encoder. */
export function byteCharacters(text: string): string {
  let characters = '';
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 127) return Array.from(encoder.encode(text), (byte) => CHARACTERS[byte]).join('');
    characters += CHARACTERS[unit];
  }
  return characters;
}

/** The bytes that a token in this alphabet stands for; its UTF-8 if it has other characters, as in the Rust library. */
export function tokenBytes(token: string): number[] {
  const bytes: number[] = [];
  for (const char of token) {
    const byte = BYTES.get(char);
    if (byte === undefined) return [...encoder.encode(token)];
    bytes.push(byte);
  }
  return bytes;
}

/** The tokens for a text's bytes in a vocabulary with byte fallback. */
export const byteTokens = (text: string): string[] =>
  Array.from(encoder.encode(text), (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);

/** Decodes UTF-8 and keeps U+FEFF, which is part of the text here and no byte-order mark. */
const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of tokens in this alphabet; added tokens are literal text. */
export const textOfBytes = (tokens: readonly string[], isAdded: (token: string) => boolean): string =>
  lossy.decode(
    Uint8Array.from(tokens.flatMap((token) => (isAdded(token) ? [...encoder.encode(token)] : tokenBytes(token)))),
  );
