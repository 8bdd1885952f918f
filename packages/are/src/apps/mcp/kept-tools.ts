// An MCP server in a run that is played again: each answer is stored with the act that received it, so a look at an earlier entry calls
// nothing again, and after a changed call the server is asked anew.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Scenario } from '../../scenario/import.ts';
import type { Values } from '../../value.ts';
import { besideApps, MCP_APP, McpApp } from './app.ts';
import { McpClient } from './client.ts';
import type { McpAnswer } from './content.ts';
import { McpError, type McpServer, type McpTool } from './server.ts';

interface KeptCall {
  readonly act: number;
  /** Tool and arguments as JSON. */
  readonly key: string;
  readonly answer: McpAnswer;
}

/** Tools and answers of a server in a run. */
export interface KeptTools {
  readonly tools: readonly McpTool[];
  readonly calls: readonly KeptCall[];
}

const REMEDY =
  'Check that it runs and allows requests from this page (CORS): it must allow the page’s origin and the headers content-type and mcp-session-id, and expose mcp-session-id. A page loaded over https reaches http servers on its own machine only. Servers on stdio or SSE need the command line: npx are run … --mcp-command, --mcp-sse.';

/** Throws SpecError for an address that a page cannot request. */
export function serverAt(url: string, fetcher?: ConstructorParameters<typeof McpClient>[1]): McpServer {
  const address = url.trim();
  if (URL.canParse(address) && /^https?:/i.test(address)) return new McpClient(address, fetcher, undefined, REMEDY);
  throw new SpecError(
    `${address.slice(0, 200)} is not an http address. A page cannot start a command or use stdio.`,
    'Give an address such as http://localhost:3001/mcp, or use the command line: npx are run … --mcp-command "python server.py".',
  );
}

class KeptServer implements McpServer {
  readonly calls: KeptCall[] = [];
  offered: readonly McpTool[] = [];
  private given: readonly KeptCall[];

  /** @param live null: nothing is asked, since the whole run is replayed */
  constructor(
    private readonly live: McpServer | null,
    private readonly before: KeptTools,
    private readonly act: () => number,
  ) {
    this.given = before.calls;
  }

  async connect(): Promise<void> {
    await this.live?.connect();
  }

  async tools(): Promise<McpTool[]> {
    this.offered = this.live ? await this.live.tools() : this.before.tools;
    return [...this.offered];
  }

  async call(name: string, args: Values): Promise<McpAnswer> {
    const key = JSON.stringify([name, args]);
    const [next, ...rest] = this.given;
    // After a changed call no recorded answer applies.
    this.given = next?.key === key ? rest : [];
    const answer = next?.key === key ? next.answer : await this.asked(name, args);
    this.calls.push({ act: this.act(), key, answer });
    return answer;
  }

  ask(): Promise<Values> {
    return Promise.reject(new McpError('Agents use tools, not resources or prompts.'));
  }

  private async asked(name: string, args: Values): Promise<McpAnswer> {
    if (!this.live) throw new McpError('The answer to that call was not kept.');
    try {
      return await this.live.call(name, args);
    } catch (error) {
      // A failure of the server during a run becomes an error that the agent reads.
      if (!(error instanceof McpError)) throw error;
      return { text: error.message, isError: true };
    }
  }
}

export interface ToolServer {
  augment(scenario: Scenario): Scenario;
  kept(): KeptTools;
}

/**
 * @param before recorded answers, which are used in order
 * @param act index of the agent's current act
 * Throws SpecError if the server cannot be reached.
 */
export async function openTools(live: McpServer | null, before: KeptTools, act: () => number): Promise<ToolServer> {
  const server = new KeptServer(live, before, act);
  try {
    const app = await McpApp.connect(MCP_APP, server);
    return { augment: besideApps(app), kept: () => ({ tools: server.offered, calls: server.calls }) };
  } catch (error) {
    if (error instanceof McpError) throw new SpecError(error.message, error.remedy, { cause: error });
    throw error;
  }
}

export const NO_TOOLS: KeptTools = { tools: [], calls: [] };
