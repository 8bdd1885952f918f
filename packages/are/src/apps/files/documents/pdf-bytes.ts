// Bytes of a PDF file: as characters, and as they are unpacked from hexadecimal digits and from base 85 (ISO 32000-1, 7.4.2 and 7.4.3).
import type { Work } from './work.ts';

/** Bytes as characters of the same numbers: `latin1` of a decoder is Windows' own. */
export function binary(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 4096) parts.push(String.fromCharCode(...bytes.subarray(at, at + 4096)));
  return parts.join('');
}

export function fromHex(digits: string): Uint8Array {
  const clean = digits.replace(/>[\s\S]*$/, '').replace(/[^0-9a-fA-F]/g, '');
  return Uint8Array.from({ length: Math.ceil(clean.length / 2) }, (_, at) =>
    Number.parseInt(clean.slice(2 * at, 2 * at + 2).padEnd(2, '0'), 16),
  );
}

/** Groups of five digits are four bytes, `z` is four zeros. */
export function from85(text: string, work: Work): Uint8Array {
  const digits = text.replace(/~[\s\S]*$/, '').replace(/[^!-uz]/g, '');
  const zeros = digits.length - digits.replaceAll('z', '').length;
  const found = new Uint8Array(work.unpack(4 * zeros + 4 * Math.ceil((digits.length - zeros) / 5)));
  let length = 0;
  let [value, count] = [0, 0];
  const flush = (bytes: number) => {
    for (let n = 0; n < bytes; n++) found[length++] = Math.floor(value / 256 ** (3 - n)) & 255;
    [value, count] = [0, 0];
  };
  for (let at = 0; at < digits.length; at++) {
    const digit = digits.charCodeAt(at) - 33;
    if (digit === Z) {
      if (count === 0) length += 4;
      continue;
    }
    value = 85 * value + digit;
    if (++count === 5) flush(4);
  }
  const rest = count;
  for (; count > 0 && count < 5; count++) value = 85 * value + 84;
  if (rest > 1) flush(rest - 1);
  return found.subarray(0, length);
}

const Z = 'z'.charCodeAt(0) - 33;
