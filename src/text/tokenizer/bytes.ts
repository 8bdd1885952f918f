// The alphabet of byte-level tokenizers: a printable character for each byte (GPT-2's).

const PRINTABLE = [...between('!', '~'), ...between('¡', '¬'), ...between('®', 'ÿ')];

function between(from: string, to: string): number[] {
  const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)];
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** [256] The character of each byte. */
const CHARACTERS: readonly string[] = (() => {
  const all = new Array<string>(256).fill('');
  for (const byte of PRINTABLE) all[byte] = String.fromCharCode(byte);
  let next = 256;
  for (let byte = 0; byte < 256; byte++) all[byte] ||= String.fromCharCode(next++);
  return all;
})();
const BYTES: ReadonlyMap<string, number> = new Map(CHARACTERS.map((char, byte) => [char, byte]));

const encoder = new TextEncoder();

/** A text's UTF-8, a character a byte. Every word of every prompt comes through here, and most are ASCII, whose bytes are its units. */
export function byteCharacters(text: string): string {
  let characters = '';
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 127) return Array.from(encoder.encode(text), (byte) => CHARACTERS[byte]).join('');
    characters += CHARACTERS[unit];
  }
  return characters;
}

/** The bytes of a token in that alphabet; its own UTF-8 where a character is none of it, as the Rust library has it. */
export function tokenBytes(token: string): number[] {
  const bytes: number[] = [];
  for (const char of token) {
    const byte = BYTES.get(char);
    if (byte === undefined) return [...encoder.encode(token)];
    bytes.push(byte);
  }
  return bytes;
}

/** The tokens that stand for a text's bytes in a vocabulary that falls back to them. */
export const byteTokens = (text: string): string[] =>
  Array.from(encoder.encode(text), (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);

/** Keeps a U+FEFF, which is a character of the text here. */
const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

/** Tokens in that alphabet as a text; those that stand for themselves keep their characters. */
export const textOfBytes = (tokens: readonly string[], isAdded: (token: string) => boolean): string =>
  lossy.decode(
    Uint8Array.from(tokens.flatMap((token) => (isAdded(token) ? [...encoder.encode(token)] : tokenBytes(token)))),
  );
