// A compact language of actions, for an agent that is small: `Emails.sen ana@x.org;|Tea|Tea on Friday?`. A bijection: every action has
// one text, every text that is read has one action, and a text that is not the one of its action is refused. A tool is its app and the
// shortest beginning of its name that no other tool of the app has; arguments stand in the tool's own order; one that is left out is an
// empty field, and empty fields at the end are left out. A base for an agent that is trained; nothing trains on it yet (docs/are.md).
import { JsonTextError, parsePythonJson } from '../python-json.ts';
import type { App, Tool } from '../types.ts';
import { type Arg, type Args, isDict, isList } from '../value.ts';
import { argJson } from './arg-json.ts';
import { agentTools } from './react/prompt.ts';

export interface CompactAction {
  readonly app: string;
  readonly tool: string;
  readonly args: Args;
}

/** For the agent, which is shown it. */
export class CompactError extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'CompactError';
  }
}

/** Before JSON: a value that is no text where one is usual, arguments that the tool does not have, an action of no known tool. */
const JSON_MARK = '=';
const REST_MARK = '+';
const OTHER_MARK = '!';
const EMPTY_TEXT = '\\e';
const EMPTY_LIST = '\\l';
const ESCAPES: readonly (readonly [string, string])[] = [
  ['\\', '\\\\'],
  ['|', '\\p'],
  ['\n', '\\n'],
  [';', '\\s'],
];

export class CompactLanguage {
  private readonly codeOf = new Map<string, string>();
  private readonly toolOf = new Map<string, { readonly app: App; readonly tool: Tool }>();

  /** @param apps whose agent tools it has words for */
  constructor(apps: readonly App[]) {
    const tools = agentTools(apps);
    for (const { app, tool } of tools) {
      const others = tools.filter((one) => one.app === app && one.tool !== tool).map((one) => one.tool.name);
      const code = `${app.name}.${shortest(tool.name, others)}`;
      // A name with a space would end the code.
      if (/[\s|]/.test(code) || this.toolOf.has(code)) continue;
      this.codeOf.set(`${app.name} ${tool.name}`, code);
      this.toolOf.set(code, { app, tool });
    }
  }

  encode({ app, tool, args }: CompactAction): string {
    const code = this.codeOf.get(`${app} ${tool}`);
    const known = code === undefined ? undefined : this.toolOf.get(code)?.tool;
    if (code === undefined || !known) return OTHER_MARK + argJson({ app, tool, args }, null);
    const fields = known.params.map(({ name }) => (Object.hasOwn(args, name) ? fieldOf(args[name] ?? null) : ''));
    const rest = Object.entries(args).filter(([name]) => !known.params.some((param) => param.name === name));
    if (rest.length > 0) fields.push(REST_MARK + escaped(argJson(Object.fromEntries(rest), null)));
    while (fields.at(-1) === '') fields.pop();
    return fields.length === 0 ? code : `${code} ${fields.join('|')}`;
  }

  /** Throws CompactError. */
  decode(text: string): CompactAction {
    const action = text.startsWith(OTHER_MARK) ? otherAction(text) : this.ofTool(text);
    const own = this.encode(action);
    if (own !== text) throw new CompactError(`Write it as ${own}`);
    return action;
  }

  private ofTool(text: string): CompactAction {
    const space = text.indexOf(' ');
    const code = space < 0 ? text : text.slice(0, space);
    const found = this.toolOf.get(code);
    if (!found) throw new CompactError(`There is no tool ${code}`);
    const fields = space < 0 ? [] : text.slice(space + 1).split('|');
    const { params } = found.tool;
    const last = fields.at(-1);
    const rest =
      last?.startsWith(REST_MARK) && fields.length === params.length + 1 ? jsonIn(unescaped(last.slice(1))) : {};
    if (!isDict(rest)) throw new CompactError('What follows + is an object');
    if (fields.length > params.length + (last?.startsWith(REST_MARK) ? 1 : 0))
      throw new CompactError(`${code} takes ${params.length} arguments, and was given ${fields.length}`);
    const given = params.flatMap(({ name }, at): [string, Arg][] => {
      const field = fields[at] ?? '';
      return field === '' ? [] : [[name, readField(field)]];
    });
    return { app: found.app.name, tool: found.tool.name, args: { ...Object.fromEntries(given), ...rest } };
  }
}

/** Of its beginnings, the shortest that none of the others has; itself where one of them begins with it. */
function shortest(name: string, others: readonly string[]): string {
  for (let length = 1; length < name.length; length++) {
    const start = name.slice(0, length);
    if (!others.some((other) => other.startsWith(start))) return start;
  }
  return name;
}

function otherAction(text: string): CompactAction {
  const value = jsonIn(text.slice(1));
  const { app, tool, args } = isDict(value) ? value : {};
  if (typeof app !== 'string' || typeof tool !== 'string' || args === undefined || !isDict(args))
    throw new CompactError('What follows ! is an object with app, tool and args');
  return { app, tool, args };
}

/** A text as it is, a list of texts by semicolons, anything else as JSON. */
function fieldOf(value: Arg): string {
  if (typeof value === 'string') return value === '' ? EMPTY_TEXT : marked(escaped(value));
  if (isList(value) && value.every((item) => typeof item === 'string' && item !== '')) {
    const items = value as readonly string[];
    if (items.length === 0) return EMPTY_LIST;
    // One alone needs the semicolon that tells it from a text.
    return items.length === 1 ? `${marked(escaped(items[0] as string))};` : marked(items.map(escaped).join(';'));
  }
  return JSON_MARK + escaped(argJson(value, null));
}

function readField(field: string): Arg {
  if (field === EMPTY_TEXT) return '';
  if (field === EMPTY_LIST) return [];
  if (field.startsWith(JSON_MARK)) return jsonIn(unescaped(field.slice(1)));
  const text = field.startsWith('\\m') ? field.slice(2) : field;
  if (!text.includes(';')) return unescaped(text);
  return (text.endsWith(';') ? text.slice(0, -1) : text).split(';').map(unescaped);
}

/** A text that begins like a mark gets one before it. */
const marked = (field: string): string =>
  field.startsWith(JSON_MARK) || field.startsWith(REST_MARK) ? `\\m${field}` : field;

const escaped = (text: string): string =>
  text.replace(/[\\|\n;]/g, (character) => ESCAPES.find(([plain]) => plain === character)?.[1] ?? character);

function unescaped(text: string): string {
  return text.replace(/\\(.?)/gs, (whole) => {
    const found = ESCAPES.find(([, written]) => written === whole);
    if (!found) throw new CompactError(`${whole} stands for nothing`);
    return found[0];
  });
}

function jsonIn(text: string): Arg {
  try {
    return parsePythonJson(text);
  } catch (error) {
    if (error instanceof JsonTextError) throw new CompactError(`This is no JSON: ${error.message}`);
    throw error;
  }
}
