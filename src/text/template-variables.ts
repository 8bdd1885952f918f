// Which variables a chat template reads of those that it is given: every name that is read before the template itself has set it. Told
// of a template as it is written, whatever the conversation: a name that is read in one branch alone is read. As `meta.find_undeclared_variables`
// of Jinja2 finds them.
import { parse, tokenize } from '@huggingface/jinja';

/** The parser's types have no node with members: each kind adds its own. */
interface Node {
  type: string;
  [member: string]: unknown;
}

/** Of `names`, those that the template never reads; none of a template that cannot be parsed: whoever renders it says so. */
export function unreadOf(template: string, names: readonly string[]): string[] {
  let read: ReadonlySet<string>;
  try {
    read = variablesOf(template);
  } catch {
    return [];
  }
  return names.filter((name) => !read.has(name));
}

/** Throws where the template cannot be parsed. */
export function variablesOf(template: string): ReadonlySet<string> {
  const read = new Set<string>();
  const { body } = parse(tokenize(template, { lstrip_blocks: true, trim_blocks: true }));
  readBlock(body as unknown as Node[], new Set(), read);
  return read;
}

/** Statements one after the other: what one sets is the template's own for those after it. */
function readBlock(body: readonly Node[], outer: ReadonlySet<string>, read: Set<string>): void {
  const own = new Set(outer);
  for (const node of body) {
    readNode(node, own, read);
    if (node.type === 'Set') for (const name of namesOf(node.assignee as Node)) own.add(name);
    if (node.type === 'Macro') for (const name of namesOf(node.name as Node)) own.add(name);
  }
}

function readNode(node: Node, own: ReadonlySet<string>, read: Set<string>): void {
  const within = (names: readonly string[], body: unknown) =>
    readBlock(body as Node[], new Set([...own, ...names]), read);
  const each = (...values: unknown[]) => {
    for (const value of values.flatMap(nodesIn)) readNode(value, own, read);
  };
  switch (node.type) {
    case 'Identifier':
      if (!own.has(node.value as string)) read.add(node.value as string);
      return;
    case 'Set':
      // A member of a namespace is set, and the namespace read.
      if ((node.assignee as Node).type === 'MemberExpression') each(node.assignee);
      each(node.value);
      within([], node.body);
      return;
    case 'If':
      each(node.test);
      within([], node.body);
      within([], node.alternate);
      return;
    case 'For': {
      const { iterable } = node as Node & { iterable: Node };
      const names = [...namesOf(node.loopvar as Node), 'loop'];
      // The condition of a loop is asked of its items.
      if (iterable.type === 'SelectExpression') {
        each(iterable.lhs);
        within(names, [iterable.test]);
      } else each(iterable);
      within(names, node.body);
      within([], node.defaultBlock);
      return;
    }
    case 'Macro': {
      const args = node.args as Node[];
      each(args.map(defaultOf));
      within(args.flatMap(namesOf), node.body);
      return;
    }
    case 'CallStatement': {
      const args = (node.callerArgs ?? []) as Node[];
      each(node.call, args.map(defaultOf));
      within(args.flatMap(namesOf), node.body);
      return;
    }
    case 'FilterStatement':
      each(argumentsOf(node.filter as Node));
      within([], node.body);
      return;
    case 'FilterExpression':
      each(node.operand, argumentsOf(node.filter as Node));
      return;
    case 'TestExpression':
      each(node.operand, argumentsOf(node.test as Node));
      return;
    case 'MemberExpression':
      each(node.object);
      if (node.computed) each(node.property);
      return;
    case 'KeywordArgumentExpression':
      each(node.value);
      return;
    default:
      // An operator is a token of the lexer, and no node.
      each(...Object.entries(node).flatMap(([member, value]) => (member === 'operator' ? [] : [value])));
  }
}

/** Names of filters and tests are Jinja's; what is in their brackets is not. */
const argumentsOf = (filter: Node): unknown => (filter.type === 'CallExpression' ? filter.args : []);
const defaultOf = (arg: Node): unknown => (arg.type === 'KeywordArgumentExpression' ? arg.value : []);

function namesOf(target: Node): string[] {
  if (target.type === 'Identifier') return [target.value as string];
  if (target.type === 'TupleLiteral') return (target.value as Node[]).flatMap(namesOf);
  if (target.type === 'KeywordArgumentExpression') return namesOf(target.key as Node);
  return [];
}

/** Of a member of a node: itself a node, a list of them, a map of nodes, or something else. */
function nodesIn(value: unknown): Node[] {
  if (value instanceof Map) return [...value].flat().flatMap(nodesIn);
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  return typeof (value as Node | null)?.type === 'string' ? [value as Node] : [];
}
