// Tests that a server's own reason is found in every format.
import { expect, it } from 'vitest';
import { reasonOf } from './reason.ts';

it.each([
  ['OpenAI', '{"error":{"message":"Unsupported parameter","type":"invalid","param":"stop"}}', 'Unsupported parameter'],
  ['a text as the error', '{"error":"model not found"}', 'model not found'],
  ['vLLM', '{"object":"error","message":"too long","code":400}', 'too long'],
  ['FastAPI', '{"detail":"Not Found"}', 'Not Found'],
  [
    'FastAPI, a field each',
    '{"detail":[{"loc":["body","seed"],"msg":"Extra inputs are not permitted","type":"extra_forbidden"}]}',
    'body.seed: Extra inputs are not permitted',
  ],
  ['JSON-RPC', '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such tool"}}', 'no such tool'],
  ['a list of errors', '{"errors":[{"message":"a"},{"message":"b"}]}', 'a; b'],
  [
    'a page',
    '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head></html>',
    'an HTML page: 502 Bad Gateway',
  ],
  ['a page without a title', '<html><script>x<1</script><body><p>Sign in</p></body></html>', 'an HTML page: Sign in'],
  ['plain text', 'upstream\n  timed out', 'upstream timed out'],
  ['JSON without a reason', '{"ok":false}', '{"ok":false}'],
  ['nothing', '', ''],
  ['far too much', 'x'.repeat(1000), `${'x'.repeat(300)}…`],
])('is found in %s', (_, text, expected) => {
  expect(reasonOf(text)).toBe(expected);
});
