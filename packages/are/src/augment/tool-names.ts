// Renamed tools with other descriptions, from a file (`augmentation.tool_names_mapping`, `tool_descriptions_mapping`, keyed by App__tool).
// The agent sees and calls the new names; log, verdict and trace have the original ones.
import type { Agent, AgentAction, AgentView } from '../agents/types.ts';
import { publicName } from '../catalogue.ts';
import { ScenarioError } from '../errors.ts';
import type { Trace } from '../scenario/schema.ts';
import type { App, Tool } from '../types.ts';

export interface ToolWords {
  /** The new name by App__tool, in the same form. */
  readonly names: ReadonlyMap<string, string>;
  readonly abouts: ReadonlyMap<string, string>;
}

/** Apps that are never renamed, as in the reference. */
const KEPT: readonly string[] = ['AgentUserInterface', 'SystemApp'];

/** Null if the file has none. Throws ScenarioError for names that cannot be called, or that two tools would share. */
export function toolWordsOf({ augmentation }: Trace): ToolWords | null {
  const names = textsOf(augmentation?.tool_names_mapping, 'tool_names_mapping');
  const abouts = textsOf(augmentation?.tool_descriptions_mapping, 'tool_descriptions_mapping');
  if (names.size === 0 && abouts.size === 0) return null;
  const taken = new Set<string>();
  for (const [own, name] of names) {
    if (partsOf(name).length !== 2) throw wrong(`tool_names_mapping.${own}`, 'is no name such as App__tool');
    if (taken.has(name)) throw wrong(`tool_names_mapping.${own}`, `is the name of another tool, ${name}`);
    taken.add(name);
  }
  return { names, abouts };
}

/** The same agent with renamed tools. */
export function withToolWords(agent: Agent, words: ToolWords): Agent {
  let shown: {
    apps: readonly App[];
    as: readonly App[];
    ownOf: ReadonlyMap<string, readonly [string, string]>;
  } | null = null;
  return {
    name: agent.name,
    async act(view: AgentView) {
      if (shown?.apps !== view.apps) shown = { apps: view.apps, ...shownApps(view.apps, words) };
      const { action, ...rest } = await agent.act({ ...view, apps: shown.as });
      return { ...rest, action: ownAction(action, shown.ownOf) };
    },
  };
}

/** Translates a new name to the original one. A name that was not shown is no tool, even if it is an original name. */
function ownAction(action: AgentAction, ownOf: ReadonlyMap<string, readonly [string, string]>): AgentAction {
  if (action.kind === 'idle') return action;
  const [app, tool] = ownOf.get(`${action.app}__${action.tool}`) ?? ['', `${action.app}__${action.tool}`];
  return { ...action, app, tool };
}

function shownApps(apps: readonly App[], { names, abouts }: ToolWords) {
  const ownOf = new Map<string, readonly [string, string]>();
  const byName = new Map<string, { app: App; tools: Tool[] }>();
  for (const app of apps) {
    for (const tool of app.tools.filter(({ roles }) => roles.includes('agent'))) {
      const own = publicName(app, tool);
      const isKept = KEPT.includes(app.className);
      const name = (!isKept && names.get(own)) || own;
      const [appName, toolName] = partsOf(name) as [string, string];
      if (ownOf.has(name)) throw wrong('tool_names_mapping', `gives two tools the name ${name}`);
      ownOf.set(name, [app.name, tool.name]);
      const group = byName.get(appName) ?? { app, tools: [] };
      group.tools.push({ ...tool, name: toolName, about: (!isKept && abouts.get(own)) || tool.about });
      byName.set(appName, group);
    }
  }
  const as = [...byName].map(([name, { app, tools }]): App => {
    const tool = (wanted: string) => tools.find((one) => one.name === wanted);
    return Object.create(app, { name: { value: name }, tools: { value: tools }, tool: { value: tool } });
  });
  return { as, ownOf };
}

function partsOf(name: string): string[] {
  const parts = name.split('__');
  return parts.every((part) => part !== '') ? parts : [];
}

function textsOf(mapping: unknown, where: string): Map<string, string> {
  if (mapping === undefined || mapping === null) return new Map();
  const entries = typeof mapping === 'object' && !Array.isArray(mapping) ? Object.entries(mapping) : null;
  if (!entries?.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    throw wrong(where, 'is no table of texts');
  return new Map(entries);
}

const wrong = (where: string, what: string) => new ScenarioError(`augmentation.${where}`, what);
