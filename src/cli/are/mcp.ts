// `--mcp URL`: the tools of a Model Context Protocol server that the user runs, as one more app in the agent's world. The oracle's world
// has none: what such a tool writes is a call that no oracle makes.
import { McpApp } from '../../environments/are/apps/mcp/app.ts';
import { McpClient } from '../../environments/are/apps/mcp/client.ts';
import type { Scenario } from '../../environments/are/scenario/import.ts';
import { SpecError } from '../../lib/errors.ts';
import { text } from '../args.ts';

export const MCP_FLAGS = {
  mcp: text('URL', 'Gives the agent the tools of an MCP server that you run, such as http://localhost:3001/mcp.', null),
} as const;

const NAME = 'MCPApp';

/** For one run: the server is spoken to anew. Throws McpError. */
export async function withServer(url: string | null): Promise<{ augment?: (scenario: Scenario) => Scenario }> {
  if (url === null) return {};
  if (!URL.canParse(url)) throw new SpecError(`${url} is no address.`, 'Give one such as http://localhost:3001/mcp.');
  const app = await McpApp.connect(NAME, new McpClient(url));
  return {
    augment(scenario) {
      if (scenario.apps.some(({ name }) => name === NAME))
        throw new SpecError(`The scenario has an app ${NAME}.`, 'Leave --mcp out.');
      return { ...scenario, apps: [...scenario.apps, app] };
    },
  };
}
