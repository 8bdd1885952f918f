// Tests the wire format with the specification's examples, and nesting without copies.
import { describe, expect, it } from 'vitest';
import { joinParts } from '../../lib/streams.ts';
import { Message } from './protobuf.ts';

const hex = (message: Message) => Buffer.from(joinParts(message.parts)).toString('hex');

describe('a protobuf message', () => {
  it('has the bytes of the specification', () => {
    // The examples are from https://protobuf.dev/programming-guides/encoding: int 150, the string "testing", a message with the first.
    expect(hex(new Message().int(1, 150))).toBe('089601');
    expect(hex(new Message().text(2, 'testing'))).toBe('120774657374696e67');
    expect(hex(new Message().message(3, new Message().int(1, 150)))).toBe('1a03089601');
    expect(hex(new Message().int(2, -2))).toBe('10feffffffffffffffff01');
    expect(hex(new Message().int(16, 0))).toBe('800100');
    expect(hex(new Message().float(2, 1.5))).toBe('150000c03f');
  });

  it('refers to bytes without copying at any depth, and counts them', () => {
    const data = new Uint8Array(300).fill(7);
    const inner = new Message().bytes(9, data);
    const outer = new Message().message(5, new Message().message(7, inner));
    expect(outer.parts).toContain(data);
    expect(outer.length).toBe(joinParts(outer.parts).length);
    expect(outer.length).toBe(300 + 3 + 3 + 3);
  });
});
