// An app whose tools are those of a Model Context Protocol server that the user runs (ARE's MCPApp). The world is stepped without
// waiting and a server takes its time, so that a call has two halves: `ask` sends it and waits, `call` logs it with the answer that
// has come. What the server keeps is not ours: it has no state here, and nothing of it can be taken back.
import { AppBase } from '../../app.ts';
import { PythonError } from '../../python-error.ts';
import type { PythonType } from '../../python-type.ts';
import type { Param, Tool } from '../../types.ts';
import type { Value, Values } from '../../value.ts';
import type { McpAnswer, McpClient, McpTool } from './client.ts';

export interface McpOptions {
  /** Tools that the agent does not get. */
  exclude?: readonly string[];
  /** Only tools of which the server says that they change nothing. */
  onlyReadOnly?: boolean;
  /** What the agent is told of a tool instead. */
  explain?(tool: McpTool): string;
}

export class McpApp extends AppBase {
  readonly tools: readonly Tool[];
  private readonly answers = new Map<string, McpAnswer>();

  private constructor(
    name: string,
    private readonly client: McpClient,
    offered: readonly McpTool[],
    { exclude = [], onlyReadOnly = false, explain = ({ description }) => description }: McpOptions,
  ) {
    super('MCPApp', name);
    this.tools = offered
      .filter((tool) => !exclude.includes(tool.name) && !(onlyReadOnly && tool.isReadOnly !== true))
      .map((tool) => toolOf(tool, explain(tool), () => this.answered(tool.name)));
  }

  /** Throws McpError where the server cannot be spoken to. */
  static async connect(name: string, client: McpClient, options: McpOptions = {}): Promise<McpApp> {
    await client.connect();
    return new McpApp(name, client, await client.tools(), options);
  }

  /** Sends a call and keeps its answer for the `call` that follows. */
  async ask(name: string, args: Values): Promise<void> {
    this.answers.set(name, await this.client.call(name, args));
  }

  private answered(name: string): Value {
    const answer = this.answers.get(name);
    this.answers.delete(name);
    if (!answer) throw new PythonError('RuntimeError', `${name} has not been asked of the server yet`);
    if (answer.isError) throw new PythonError('RuntimeError', answer.text);
    return answer.text;
  }

  getState(): null {
    return null;
  }

  loadState(): void {}

  reset(): void {
    this.answers.clear();
  }
}

function toolOf(tool: McpTool, about: string, run: () => Value): Tool {
  return {
    name: tool.name,
    roles: ['agent'],
    // A server that does not say what a tool does is not judged by it: only writes are.
    operation: tool.isReadOnly === false ? 'WRITE' : 'READ',
    logsAs: 'AGENT',
    isChecked: true,
    returns: 'str',
    params: paramsOf(tool.inputSchema),
    about,
    run,
  };
}

const TYPES: Readonly<Record<string, PythonType>> = { string: 'str', integer: 'int', boolean: 'bool' };
const OPTIONAL: Readonly<Record<string, PythonType>> = {
  string: 'str | None',
  integer: 'int | None',
  boolean: 'bool | None',
};

/** A schema's properties; what has no type of the catalogue's takes anything. */
function paramsOf({ properties, required }: Values): Param[] {
  const needed = Array.isArray(required) ? (required as readonly Value[]) : [];
  const entries = Object.entries((properties ?? {}) as Record<string, Values>);
  return entries.map(([name, schema]) => {
    const about = typeof schema.description === 'string' ? schema.description : '';
    const kind = typeof schema.type === 'string' ? schema.type : '';
    if (needed.includes(name)) return { name, type: TYPES[kind] ?? 'Any', about };
    return { name, type: OPTIONAL[kind] ?? 'Any', default: schema.default ?? null, about };
  });
}
