// `npm run build` writes the page and its docs to dist/, for any static host. `npm start` serves the same build, and builds again only what
// has changed.
import { rmSync } from 'node:fs';
import { ensureDependencies } from './dependencies.mjs';
import { buildPage, DIST } from './page.mjs';
import { Complaint } from './terminal.mjs';

export const HELP = `npm run build                 the page and its docs, in dist/
npm run build -- --no-docs    the page alone
LAB_URL=https://… names the lab's public address.`;

export async function main(args) {
  const unknown = args.find((arg) => arg !== '--no-docs');
  if (unknown !== undefined) throw new Complaint(`Unknown option ${unknown}.\n\n${HELP}`);
  await ensureDependencies();
  // An explicit build starts from nothing, since a file in dist/ may have been changed by hand.
  rmSync(DIST, { recursive: true, force: true });
  await buildPage();
  if (args.length === 0) await (await import('./site.mjs')).buildSite();
  return 0;
}
