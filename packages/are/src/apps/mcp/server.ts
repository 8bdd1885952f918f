// A Model Context Protocol server as an app uses it, whatever the transport: its list of tools, a call, its resources. Its data are
// untrusted: a breach of the protocol is an error that names tool and field, with a remedy for the transport.
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import type { Value, Values } from '../../value.ts';
import { answerOf, type McpAnswer } from './content.ts';
import { isValues, Misfit, SchemaReader } from './json-schema.ts';

/** Most pages of tools, and most tools in all. */
const [MOST_PAGES, MOST_TOOLS] = [50, 2000];
const MEND = 'Have the server mended, or name another one.';

/** A server that cannot be reached, or breaks the protocol. */
export class McpError extends LabError {
  constructor(what: string, remedy: string = MEND, options?: ErrorOptions) {
    super(/[.!?…]$/.test(what) ? what : `${what}.`, remedy, options);
  }
}

export interface McpTool {
  name: string;
  description: string;
  inputSchema: Values;
  /** Absent if the server promises none. */
  outputSchema?: Values;
  /** Whether it changes nothing; null if the server does not say. */
  isReadOnly: boolean | null;
}

/** A server as an app needs it. Each method throws McpError. */
export interface McpServer {
  connect(): Promise<void>;
  tools(): Promise<McpTool[]>;
  call(name: string, args: Values): Promise<McpAnswer>;
  ask(method: McpMethod, params: Values): Promise<Values>;
}
export type McpMethod = 'resources/list' | 'prompts/list' | 'resources/read';

/** The part of a connection that all transports share. */
export abstract class McpConnection implements McpServer {
  private readonly promised = new Map<string, Values>();

  /** @param shown the server's address or command, for messages */
  constructor(protected readonly shown: string) {}

  abstract connect(): Promise<void>;

  /** The result of a request. Throws McpError. */
  protected abstract request(method: string, params: Values): Promise<Values>;

  async tools(): Promise<McpTool[]> {
    const found: McpTool[] = [];
    const cursors = new Set<string>();
    for (let cursor: string | null = null; ; ) {
      const { tools, nextCursor }: Values = await this.request('tools/list', cursor === null ? {} : { cursor });
      if (!Array.isArray(tools)) throw this.broken(`tools/list: tools is ${wordOf(tools)}, and has to be a list`);
      // Counted before the comparison of each tool with all earlier ones, which is quadratic.
      if (found.length + tools.length > MOST_TOOLS)
        throw this.broken(`tools/list: it has more than ${MOST_TOOLS} tools`);
      for (const tool of tools as readonly Value[]) found.push(readTool(tool, found, this.shown));
      if (nextCursor === undefined || nextCursor === null) break;
      if (typeof nextCursor !== 'string')
        throw this.broken(`tools/list: nextCursor is ${wordOf(nextCursor)}, and has to be a text`);
      // An empty cursor would ask for the first page again.
      if (nextCursor === '' || cursors.has(nextCursor))
        throw this.broken(
          `tools/list: its list of tools has no end: page ${cursors.size + 1} names ${nextCursor === '' ? 'an empty cursor' : `the cursor ${JSON.stringify(nextCursor.slice(0, 40))} again`} as the next one`,
        );
      cursors.add(nextCursor);
      if (cursors.size >= MOST_PAGES) throw this.broken(`tools/list: it has more than ${MOST_PAGES} pages of tools`);
      cursor = nextCursor;
    }
    for (const { name, outputSchema } of found) if (outputSchema) this.promised.set(name, outputSchema);
    return found;
  }

  async call(name: string, args: Values): Promise<McpAnswer> {
    const result = await this.request('tools/call', { name, arguments: args });
    try {
      const answer = answerOf(result);
      const schema = this.promised.get(name);
      if (schema && !answer.isError) kept(result.structuredContent ?? null, schema);
      return answer;
    } catch (error) {
      throw this.broken(`tool ${JSON.stringify(name)}: ${(error as Error).message}`, error);
    }
  }

  ask(method: McpMethod, params: Values): Promise<Values> {
    return this.request(method, params);
  }

  private broken(what: string, cause?: unknown): McpError {
    return new McpError(`${this.shown}: ${what}`, MEND, { cause });
  }
}

/** A request's name in messages; for a call, its tool. */
export const requestWords = (method: string, params: Values): string =>
  method === 'tools/call' ? `tool ${JSON.stringify(params.name ?? null)}` : method;

/** Throws Error if a structured answer breaks the schema that its tool promises. */
function kept(structured: Value, schema: Values): void {
  if (structured === null) throw new Error('it promises an outputSchema, and its answer has no structuredContent');
  try {
    new SchemaReader(schema).check(structured);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw new Error(`its answer is not what its outputSchema says: structuredContent${at(error)} ${error.why}`);
  }
}

const at = ({ path }: Misfit): string => (path === '' || path.startsWith('[') ? path : `.${path}`);

/** Throws McpError, naming tool and field. */
function readTool(value: Value, before: readonly McpTool[], shown: string): McpTool {
  const place = before.length + 1;
  const fail = (what: string): never => {
    throw new McpError(`${shown}: tools/list: ${what}`);
  };
  if (!isValues(value)) return fail(`tool ${place} is ${wordOf(value)}, and has to be an object`);
  const { name, description = null, inputSchema = {}, outputSchema = null, annotations } = value;
  if (typeof name !== 'string' || name === '') return fail(`tool ${place} has no name`);
  const tool = `tool ${JSON.stringify(name.slice(0, 100))}`;
  if (before.some((one) => one.name === name)) return fail(`${tool} is listed twice`);
  if (description !== null && typeof description !== 'string')
    return fail(`${tool}: description is ${wordOf(description)}, and has to be a text`);
  if (outputSchema !== null && !isValues(outputSchema))
    return fail(`${tool}: outputSchema is ${wordOf(outputSchema)}, and has to be an object`);
  const wrong = wrongIn(inputSchema);
  if (wrong !== null) return fail(`${tool}: inputSchema${wrong}`);
  const hint = isValues(annotations) ? annotations.readOnlyHint : undefined;
  return {
    name,
    description: description ?? '',
    inputSchema: inputSchema as Values,
    ...(outputSchema !== null && { outputSchema }),
    isReadOnly: typeof hint === 'boolean' ? hint : null,
  };
}

/** Why a schema does not describe named arguments; null if it does. */
function wrongIn(schema: Value): string | null {
  if (!isValues(schema)) return ` is ${wordOf(schema)}, and has to be an object`;
  const { type = 'object', properties = {}, required = [] } = schema;
  if (type !== 'object') return `.type is ${JSON.stringify(type)}, and has to be "object"`;
  if (!isValues(properties)) return `.properties is ${wordOf(properties)}, and has to be an object`;
  if (!Array.isArray(required) || required.some((name) => typeof name !== 'string'))
    return '.required has to be a list of names';
  const odd = Object.entries(properties).find(([, one]) => !isValues(one) && typeof one !== 'boolean');
  return odd === undefined ? null : `.properties.${odd[0]} is ${wordOf(odd[1])}, and has to be a schema`;
}

function wordOf(value: Value | undefined): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${JSON.stringify(value).slice(0, 40)}`;
}
