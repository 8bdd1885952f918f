// Tests that an agent is shown every part of an answer, whatever its type.
import { expect, it } from 'vitest';
import type { Values } from '../../value.ts';
import { answerOf } from './content.ts';

const text = (said: string) => ({ type: 'text', text: said });
const CASES: [string, Values, string][] = [
  ['text', { content: [text('a'), text('b')] }, 'a\nb'],
  ['a structure alone', { content: [], structuredContent: { n: 36 } }, '{"n":36}'],
  ['a structure without content', { structuredContent: { n: 36 } }, '{"n":36}'],
  [
    'a structure that the text says too',
    { content: [text('{ "n": 36 }')], structuredContent: { n: 36 } },
    '{ "n": 36 }',
  ],
  ['a structure beside other words', { content: [text('One row.')], structuredContent: { n: 1 } }, 'One row.\n{"n":1}'],
  [
    'a link',
    {
      content: [
        { type: 'resource_link', uri: 'file:///a.csv', name: 'a', mimeType: 'text/csv', size: 12, description: 'rows' },
      ],
    },
    '[link to a resource: file:///a.csv, a, text/csv, 12 bytes, rows]',
  ],
  [
    'a resource of text',
    { content: [{ type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'A.' } }] },
    '[resource: file:///a, text/plain]\nA.',
  ],
  [
    'a resource of bytes',
    { content: [{ type: 'resource', resource: { uri: 'file:///b', mimeType: 'application/pdf', blob: 'AAAA' } }] },
    '[resource: file:///b, application/pdf, 3 bytes; it cannot be shown as text]',
  ],
  [
    'an image',
    { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAAAA==' }] },
    '[image: image/png, 4 bytes; it cannot be shown as text]',
  ],
  [
    'a sound',
    { content: [{ type: 'audio', mimeType: 'audio/wav', data: '' }] },
    '[audio: audio/wav, 0 bytes; it cannot be shown as text]',
  ],
  ['a part of a later version', { content: [{ type: 'video', url: 'x' }] }, '{"type":"video","url":"x"}'],
  ['a part that is none', { content: [null, 'x'] }, 'null\n"x"'],
  ['an empty list', { content: [] }, ''],
  ['the first version’s form', { toolResult: { a: 1 } }, '{"a":1}'],
];

it.each(CASES)('is the same for an answer and an error: %s', (_, result, expected) => {
  expect(answerOf(result)).toEqual({ text: expected, isError: false });
  const failed = answerOf({ ...result, isError: true });
  expect(failed).toEqual({ text: expected === '' ? 'The tool failed and gave no reason.' : expected, isError: true });
});

it.each<[Values, string]>([
  [{}, 'neither content nor structuredContent'],
  [{ content: 'words' }, 'no list of parts'],
  [{ content: { type: 'text' } }, 'no list of parts'],
])('%j is refused', (result, why) => {
  expect(() => answerOf(result)).toThrow(why);
});
