// Tests recognising files of every supported kind by their first bytes.
import { describe, expect, it } from 'vitest';
import { fileKind } from './file-kind.ts';

const bytes = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const safetensors = (header: string) => {
  const file = new Uint8Array(8 + header.length);
  new DataView(file.buffer).setBigUint64(0, BigInt(header.length), true);
  file.set(bytes(header), 8);
  return file;
};

describe('a file’s kind', () => {
  it.each([
    ['safetensors', 'a safetensors file', safetensors('{"a":{}}')],
    ['zip', 'a zip archive', bytes('PK\x03\x04 and more')],
    ['log', 'a log of Inspect', bytes(`PK\x03\x04${'.'.repeat(26)}_journal/start.json`)],
    ['log', 'a log of Inspect', bytes('{\n  "version": 2,\n  "status": "success",\n  "eval": {')],
    ['json', 'a JSON file', bytes('{"version": 2, "name": "status"}')],
    ['gzip', 'a gzip file', Uint8Array.from([0x1f, 0x8b, 8, 0])],
    ['foreign', 'a PDF', bytes('%PDF-1.7\n%\xe2\xe3')],
    ['foreign', 'a PNG picture', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0])],
    ['foreign', 'a Python pickle', Uint8Array.from([0x80, 0x02, 0x8a])],
    ['foreign', 'a tar archive', Uint8Array.from([...new Uint8Array(257).fill(97), ...bytes('ustar')])],
    ['foreign', 'a web page', bytes('\n<!DOCTYPE html><title>x</title>')],
    ['jsonl', 'JSON lines', bytes('{"a": 1}\n{"a": 2}\n')],
    ['json', 'a JSON file', bytes('  [\n{"prompt": "x"}]')],
    ['json', 'a JSON file', bytes('{"a":\n{"b": 1}}')],
    ['text', 'a text file', new TextEncoder().encode('step,hack\n1,0.5 – ä')],
    ['empty', 'an empty file', new Uint8Array()],
    ['unknown', 'a file of no kind that the lab knows', Uint8Array.from([1, 0, 2, 0])],
  ])('%s: %s', (kind, name, head) => {
    expect(fileKind(head)).toEqual({ kind, name });
  });

  it('is still text if the last character is truncated', () => {
    const whole = new TextEncoder().encode('hackä');
    expect(fileKind(whole.subarray(0, whole.length - 1)).kind).toBe('text');
    // The text begins like the length field of safetensors, but no JSON follows.
    expect(fileKind(bytes('abcdefgh[')).kind).toBe('text');
  });
});
