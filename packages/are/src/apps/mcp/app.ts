// An app with the tools of a Model Context Protocol server that the user runs (ARE's MCPApp). A world's step never waits but a server takes
// time, so a call without an answer yet throws PendingAnswer and is repeated once the answer is there. The server's data are outside the
// simulation: they are in no state, and cannot be rolled back.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { StatelessApp } from '../../app.ts';
import { PendingAnswer } from '../../pending.ts';
import { PythonError, typeError } from '../../python-error.ts';
import type { PythonType } from '../../python-type.ts';
import type { Scenario } from '../../scenario/import.ts';
import type { Param, Tool } from '../../types.ts';
import type { Value, Values } from '../../value.ts';
import type { McpAnswer } from './content.ts';
import { isValues, Misfit, SchemaReader } from './json-schema.ts';
import { McpError, type McpServer, type McpTool } from './server.ts';

export interface McpOptions {
  /** Names of tools that the agent does not get. */
  exclude?: readonly string[];
  /** Whether the agent gets only tools that the server marks as read-only. */
  onlyReadOnly?: boolean;
  /** Replaces a tool's description. */
  explain?(tool: McpTool): string;
}

/** Name of the app in the agent's world, as in the reference. */
export const MCP_APP = 'MCPApp';

export class McpApp extends StatelessApp {
  readonly tools: readonly Tool[];
  /** Answers by call; the repeated call removes its answer. */
  private readonly answers = new Map<string, McpAnswer>();

  private constructor(
    name: string,
    private readonly client: McpServer,
    offered: readonly McpTool[],
    { exclude = [], onlyReadOnly = false, explain = ({ description }) => description }: McpOptions,
  ) {
    super('MCPApp', name);
    const own = offered
      .filter((tool) => !exclude.includes(tool.name) && !(onlyReadOnly && tool.isReadOnly !== true))
      .map((tool) => toolOf(tool, explain(tool), (args) => this.answered(tool.name, args)));
    const twice = own.find(({ name }, at) => own.findIndex((one) => one.name === name) < at);
    if (twice) throw new McpError(`Two tools of the server would both be ${name}__${twice.name} in the agent’s world.`);
    const readers = READERS.filter(({ name }) => !own.some((tool) => tool.name === name)).map((reader) =>
      readerOf(reader, (args) => this.answered(reader.method, args)),
    );
    this.tools = [...own, ...readers];
  }

  /** Connects to a server. Throws McpError if the server cannot be reached. */
  static async connect(name: string, client: McpServer, options: McpOptions = {}): Promise<McpApp> {
    await client.connect();
    return new McpApp(name, client, await client.tools(), options);
  }

  private answered(name: string, args: Values): Value {
    const key = JSON.stringify([name, args]);
    const answer = this.answers.get(key);
    if (!answer) throw new PendingAnswer(async () => void this.answers.set(key, await this.ask(name, args)));
    this.answers.delete(key);
    if (answer.isError) throw new PythonError('RuntimeError', answer.text);
    return answer.text;
  }

  /** Asks the server; a failure during a run becomes an error that the agent sees. */
  private async ask(name: string, args: Values): Promise<McpAnswer> {
    try {
      const reader = READERS.find(({ method }) => method === name);
      if (reader) return { text: JSON.stringify(await this.client.ask(reader.method, args)), isError: false };
      return await this.client.call(name, args);
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      return { text: error.message, isError: true };
    }
  }

  override reset(): void {
    this.answers.clear();
  }
}

/**
 * Adds the app to the agent's scenario. The oracle's scenario lacks it, so the oracle never makes such a call, and one that writes counts
 * as a write too many.
 */
export const besideApps =
  (app: McpApp) =>
  (scenario: Scenario): Scenario => {
    if (scenario.apps.some(({ name }) => name === app.name))
      throw new SpecError(`The scenario has an app ${app.name}.`, 'Play it without an MCP server.');
    return { ...scenario, apps: [...scenario.apps, app] };
  };

/** A server's resources and prompts. Programs use them, as in the reference; agents do not see them. */
const READERS = [
  { name: 'list_resources', method: 'resources/list', params: [] },
  { name: 'list_prompts', method: 'prompts/list', params: [] },
  { name: 'read_resource', method: 'resources/read', params: [{ name: 'uri', type: 'str' }] },
] as const;

const readerOf = ({ name, method, params }: (typeof READERS)[number], answered: (args: Values) => Value): Tool => ({
  name,
  params,
  roles: [],
  operation: 'READ',
  logsAs: 'AGENT',
  isChecked: true,
  returns: 'str',
  about: `What the server answers to ${method}, as JSON.`,
  run: (_, args) => answered(args),
});

function toolOf(tool: McpTool, about: string, answered: (args: Values) => Value): Tool {
  return {
    // An action is named APP__TOOL, so a double underscore inside a tool's name would split it at the wrong place.
    name: tool.name.replace(/_{2,}/g, '_'),
    roles: ['agent'],
    // Only writes are judged, so a tool counts as one only if its server says so.
    operation: tool.isReadOnly === false ? 'WRITE' : 'READ',
    logsAs: 'AGENT',
    isChecked: true,
    returns: 'str',
    params: paramsOf(tool.inputSchema),
    about,
    run: (_, args) => answered(sentArgs(tool, args)),
  };
}

/**
 * The arguments that are sent: an optional member that is null where the schema forbids null counts as not given. Throws TypeError for any
 * other such null, naming tool and field.
 */
function sentArgs({ name, inputSchema }: McpTool, args: Values): Values {
  try {
    return new SchemaReader(inputSchema).withoutNulls(args) as Values;
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw typeError(`${name}: ${error.message}`);
  }
}

const TYPES: Readonly<Record<string, PythonType>> = { string: 'str', integer: 'int', boolean: 'bool' };
const OPTIONAL: Readonly<Record<string, PythonType>> = {
  string: 'str | None',
  integer: 'int | None',
  boolean: 'bool | None',
};

/** Parameters of a schema; a property whose type the catalogue lacks accepts anything. */
function paramsOf(schema: Values): Param[] {
  const needed = (schema.required ?? []) as readonly Value[];
  return Object.entries((schema.properties ?? {}) as Values).map(([name, part]): Param => {
    const { description, type, default: fallback = null } = isValues(part) ? part : {};
    const about = typeof description === 'string' ? description : '';
    const kinds = (Array.isArray(type) ? (type as readonly Value[]) : [type]).filter((kind) => kind !== 'null');
    const kind = kinds.length === 1 && typeof kinds[0] === 'string' ? kinds[0] : '';
    // An agent may write null for an argument that it leaves out, whatever the schema allows.
    if (!needed.includes(name))
      return { name, type: OPTIONAL[kind] ?? 'Any', default: fallback, staysAbsent: true, about };
    return { name, type: (isNullable(schema, part) ? OPTIONAL : TYPES)[kind] ?? 'Any', about };
  });
}

function isNullable(schema: Values, part: Value): boolean {
  try {
    return new SchemaReader(schema).allowsNull(part);
  } catch {
    // The schema is too complex to check here; the server itself refuses wrong values.
    return true;
  }
}
