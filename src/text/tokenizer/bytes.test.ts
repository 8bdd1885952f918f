// Tests the byte-level alphabet with ASCII and other texts.
import { expect, it } from 'vitest';
import { byteCharacters, textOfBytes, tokenBytes } from './bytes.ts';

it('byteCharacters gives a character for each byte of a text’s UTF-8, and textOfBytes gives the text back', () => {
  expect(byteCharacters(' a\n')).toBe('ĠaĊ');
  for (const text of ['', ' def f(x):\n\treturn x\u007f', 'a – b', 'é', '𝒙 = 1', 'x\ufeff', '\0\u0080ÿ']) {
    const characters = byteCharacters(text);
    const bytes = [...new TextEncoder().encode(text)];
    expect(characters).toHaveLength(bytes.length);
    expect(tokenBytes(characters)).toEqual(bytes);
    expect(textOfBytes([characters], () => false)).toBe(text);
  }
});
