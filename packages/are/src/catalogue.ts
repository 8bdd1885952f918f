// The catalogue of an app's tools by role, with names, types, defaults and writes: derived from the declarations, in the form of the
// reference's listing.
import { type App, ROLES, type Role, type Tool } from './types.ts';
import type { Value } from './value.ts';

interface CatalogueArg {
  name: string;
  type: string;
  has_default: boolean;
  default: Value;
}

interface CatalogueTool {
  name: string;
  write: boolean | null;
  return_type: string | null;
  args: CatalogueArg[];
}

export const publicName = (app: App, tool: Tool): string => `${app.name}__${tool.name}`;

export function catalogueOf(app: App): Record<Role, CatalogueTool[]> {
  const of = (role: Role) => app.tools.filter((tool) => tool.roles.includes(role)).map((tool) => listed(app, tool));
  return Object.fromEntries(ROLES.map((role) => [role, of(role)])) as Record<Role, CatalogueTool[]>;
}

const listed = (app: App, tool: Tool): CatalogueTool => ({
  name: publicName(app, tool),
  write: tool.operation === null ? null : tool.operation === 'WRITE',
  return_type: tool.returns,
  args: tool.params.map((param) => ({
    name: param.name,
    type: param.type,
    has_default: param.default !== undefined,
    default: param.default ?? null,
  })),
});
