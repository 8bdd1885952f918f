// Tests how each form of a server's answer is read.
import { describe, expect, it } from 'vitest';
import { bodyError, readCompletion } from './completion.ts';

const STOP = ['<end>'];
const said = (message: object, more: object = {}) => JSON.stringify({ choices: [{ message, ...more }] });
const read = (body: string) => readCompletion(body, STOP, 64);

describe('a completion', () => {
  it.each<[string, object, string]>([
    ['a text', { content: 'Said.' }, 'Said.'],
    ['a text up to a stop', { content: 'Said.<end> and more' }, 'Said.'],
    [
      'a list of parts',
      {
        content: [
          { type: 'text', text: 'Sa' },
          { type: 'text', text: 'id.' },
        ],
      },
      'Said.',
    ],
    ['parts of type output_text', { content: [{ type: 'output_text', text: 'Said.' }] }, 'Said.'],
    [
      'parts with a thought',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
          { type: 'text', text: 'Said.' },
        ],
      },
      'Said.',
    ],
    ['a text beside its thoughts', { content: 'Said.', reasoning_content: 'Hm.' }, 'Said.'],
    ['a thought before it', { content: '<think>\nNot<end> this.\n</think>\n\nSaid.' }, 'Said.'],
    ['a thought that the template began', { content: 'Hm.</think>\nSaid.' }, 'Said.'],
    ['a refusal', { content: null, refusal: 'I cannot.' }, 'I cannot.'],
    ['a refusal as a part', { content: [{ type: 'refusal', refusal: 'I cannot.' }] }, 'I cannot.'],
    ['nothing before a stop', { content: '<end>' }, ''],
  ])('is read: %s', (_, message, text) => {
    expect(read(said(message))).toMatchObject({ text, flaw: null });
  });

  const call = { function: { name: 'Emails__send_email', arguments: '{}' } };
  it.each<[string, object, object, string, string]>([
    ['null', { content: null }, {}, '', 'content is null'],
    ['no content', {}, {}, '', 'content is null'],
    ['an empty text', { content: '' }, {}, '', 'the answer is empty'],
    [
      'null beside thoughts',
      { content: null, reasoning_content: 'I think so' },
      {},
      '',
      'content is null, and 10 characters of thoughts are in reasoning_content, which is no answer',
    ],
    [
      'null beside thoughts in the field reasoning',
      { content: null, reasoning: 'Hm' },
      {},
      '',
      'thoughts are in reasoning,',
    ],
    ['nothing beside thoughts', { content: '', reasoning: 'Hm' }, {}, '', 'content has no text, and 2 characters'],
    [
      'thoughts that used up its tokens',
      { content: null, reasoning_content: 'Hm' },
      { finish_reason: 'length' },
      '',
      'which is no answer; the answer was cut off by its limit of 64 tokens (finish_reason length)',
    ],
    [
      'a tool call',
      { content: null, tool_calls: [call] },
      {},
      '',
      'a tool call (Emails__send_email) that the server made',
    ],
    ['a function call', { content: null, function_call: { name: 'f' } }, {}, '', 'a tool call (f)'],
    ['an image alone', { content: [{ type: 'image_url' }] }, {}, '', 'only parts of type image_url'],
    ['a thought without end', { content: '<think>Hm. [[Success]]' }, {}, '', 'its thought (<think>) has no end'],
    [
      'a part of an answer',
      { content: 'Sai' },
      { finish_reason: 'length' },
      'Sai',
      'cut off by its limit of 64 tokens',
    ],
    ['a filtered answer', { content: 'Sai' }, { finish_reason: 'content_filter' }, 'Sai', 'filter of contents'],
  ])('has a flaw, which is named: %s', (_, message, more, text, flaw) => {
    const found = read(said(message, more));
    expect(found.text).toBe(text);
    expect(found.flaw).toContain(flaw);
  });

  it('that reached a stop sequence was not cut off', () => {
    expect(read(said({ content: 'Said.<end> an' }, { finish_reason: 'length' }))).toMatchObject({ flaw: null });
  });

  it.each<[string, string, string]>([
    ['a page', '<!DOCTYPE html><title>Log in</title>', 'an HTML page: Log in; that is no answer of an API'],
    ['a stream', 'data: {"choices":[]}\n\n', 'a stream of events, which was not asked for'],
    ['no choice', '{"choices":[]}', 'what is no chat completion'],
    ['no JSON', 'ok', 'what is no chat completion: ok'],
    ['a text as the message', '{"choices":[{"message":"x"}]}', 'what is no chat completion'],
  ])('is refused: %s', (_, body, why) => {
    expect(() => read(body)).toThrow(why);
  });
});

it.each<[string, number | null | undefined]>([
  ['{"error":{"message":"overloaded","code":503}}', 503],
  ['{"error":{"message":"overloaded","code":"overloaded"}}', null],
  ['{"error":"model not found"}', null],
  ['{"choices":[{"error":{"code":429,"message":"slow down"},"message":{"content":""}}]}', 429],
  ['{"error":null,"choices":[{"message":{"content":"a"}}]}', undefined],
  ['[]', undefined],
])('reads the status of an error in a response of status 200: %s', (body, status) => {
  expect(bodyError(body)?.status).toBe(status);
});
