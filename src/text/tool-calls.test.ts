// Tests reading tool calls from a model's text, given whole or in pieces of any size.
import { describe, expect, it } from 'vitest';
import { teachesTools } from './chat-template.ts';
import { CallReader, type WrittenCall } from './tool-calls.ts';

function read(pieces: readonly string[]): { words: string; calls: WrittenCall[] } {
  const reader = new CallReader();
  const parts = pieces.map((piece, i) => reader.read(piece, i === pieces.length - 1));
  return { words: parts.map(({ words }) => words).join(''), calls: parts.flatMap(({ calls }) => calls) };
}

const CALLS =
  'I look.\n<tool_call>\n{"name": "find", "arguments": {"q": "a <b>", "n": 1}}\n</tool_call>\n<tool_call>\n{"name": "end", "arguments": {}}\n</tool_call>';

describe('tool calls', () => {
  it('are read with the text before them, however the text is cut into pieces', () => {
    const whole = read([CALLS]);
    expect(whole.words).toBe('I look.');
    expect(whole.calls).toEqual([
      { name: 'find', args: '{"q":"a <b>","n":1}' },
      { name: 'end', args: '{}' },
    ]);
    for (const size of [1, 2, 3, 7, 20]) {
      const pieces = Array.from({ length: Math.ceil(CALLS.length / size) }, (_, i) =>
        CALLS.slice(i * size, (i + 1) * size),
      );
      expect(read(pieces), `${size} characters a piece`).toEqual(whole);
    }
  });

  it('keep arguments that are no JSON as they are written; a call without a readable name stays text', () => {
    expect(read(['<tool_call>{"name": "f", "arguments": {"a": 1,}}</tool_call>']).calls).toEqual([
      { name: 'f', args: '{"a": 1,}' },
    ]);
    expect(read(['<tool_call>f(1)</tool_call>'])).toEqual({ words: '<tool_call>f(1)</tool_call>', calls: [] });
  });

  it('are read without their closing tag if their JSON is complete', () => {
    expect(read(['<tool_call>{"name": "f", "arguments": {}}']).calls).toEqual([{ name: 'f', args: '{}' }]);
    expect(read(['a <tool_ca'])).toEqual({ words: 'a <tool_ca', calls: [] });
  });

  it('are taught by a template that shows tools in this form', () => {
    expect(teachesTools('{% if tools %}<tool_call>{% endif %}')).toBe(true);
    expect(teachesTools('{% if tools %}[TOOL_CALLS]{% endif %}')).toBe(false);
    expect(teachesTools(null)).toBe(false);
  });
});
