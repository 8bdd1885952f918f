// `--mcp URL`: the tools of a user's Model Context Protocol server as one more app for the agent. The oracle's environment lacks it, so a
// write by such a tool is a call that the oracle never makes.

import { text } from '@projected-grpo-lab/base/commands/args.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { besideApps, MCP_APP, McpApp } from '../../apps/mcp/app.ts';
import { McpClient } from '../../apps/mcp/client.ts';
import type { Scenario } from '../../scenario/import.ts';

export const MCP_FLAGS = {
  mcp: text('URL', 'Gives the agent the tools of an MCP server that you run, such as http://localhost:3001/mcp.', null),
  'mcp-command': text(
    'COMMAND',
    'Or of one that is started by a command and speaks on stdio: "python server.py".',
    null,
  ),
  'mcp-sse': text('URL', 'Or of one that speaks by a stream of events (SSE): http://localhost:3001/sse.', null),
} as const;

const REMEDY =
  'Check that the server runs and give its address with the path, such as http://localhost:3001/mcp. One of SSE is named with --mcp-sse, one that a command starts with --mcp-command.';

interface NamedServer {
  readonly mcp: string | null;
  readonly 'mcp-command': string | null;
  readonly 'mcp-sse': string | null;
}

export const hasServer = (flags: NamedServer): boolean =>
  [flags.mcp, flags['mcp-command'], flags['mcp-sse']].some((one) => one !== null);

/** Connects anew for one run; `free` disconnects and prints the server's skipped output. Throws McpError. */
export async function withServer(
  flags: NamedServer,
  note: (line: string) => void,
): Promise<{ options: { augment?: (scenario: Scenario) => Scenario }; free(): Promise<void> }> {
  const { mcp, 'mcp-command': command, 'mcp-sse': stream } = flags;
  const named = [mcp, command, stream].filter((one) => one !== null);
  if (named.length === 0) return { options: {}, free: async () => {} };
  if (named.length > 1) throw new SpecError('Two MCP servers are named.', 'Name one.');
  for (const url of [mcp, stream])
    if (url !== null && !URL.canParse(url))
      throw new SpecError(`${url} is no address.`, 'Give one such as http://localhost:3001/mcp.');
  const { server, free } = await serverOf(flags, note);
  let app: McpApp;
  try {
    app = await McpApp.connect(MCP_APP, server);
  } catch (error) {
    await free();
    throw error;
  }
  return { options: { augment: besideApps(app) }, free };
}

async function serverOf({ mcp, 'mcp-command': command, 'mcp-sse': stream }: NamedServer, note: (line: string) => void) {
  if (mcp !== null) return { server: new McpClient(mcp, undefined, undefined, REMEDY), free: async () => {} };
  const { commandServer, streamServer } = await import('./client.ts');
  const server = command !== null ? commandServer(command) : streamServer(stream as string);
  const free = async () => {
    await server.close();
    if (server.noise !== null && !server.hasFailed)
      note(`${command} wrote to its standard output what is no message (${server.noise}); it was passed over.`);
  };
  return { server, free };
}
