// An MCP server on stdio, without a library, with one habit: `node odd-server.mjs HABIT`.
//   noise       a line for people on standard output before it speaks
//   glued       the same without a line end, so that its first message cannot be read
//   silent      never answers
//   refuses     ends at once, with a reason on standard error
//   dies        ends in the middle of a call
//   deaf        lists its tools, and never answers a call
import readline from 'node:readline';

const habit = process.argv[2];
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
if (habit === 'noise') process.stdout.write('Server v1 started\n');
if (habit === 'glued') process.stdout.write('Server v1 started ');
if (habit === 'refuses') {
  process.stderr.write('Error: no DATABASE_URL\n');
  process.exit(3);
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'odd', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'echoed' }] }),
};
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (habit === 'silent' || id === undefined) return;
  if (method === 'tools/call' && habit === 'dies') process.exit(1);
  if (method === 'tools/call' && habit === 'deaf') return;
  say({ id, result: answers[method](params ?? {}) });
});
