// Builds the docs' site: VitePress builds it from docs/ into a cache if a source of it changed, and it is copied to dist/docs, which every
// build of the page empties. `npm start` builds it in a second process, so that the lab does not wait for it. Its tools are installed when
// first needed (docs-tools.mjs).
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureDocsTools, VITEPRESS } from './docs-tools.mjs';
import { at, buildIfStale } from './project.mjs';
import { buildApiPages } from './site-api.mjs';
import { brokenLinks } from './site-links.mjs';
import { SERVED, SITE } from './site-paths.mjs';
import { unknownWords } from './spelling.mjs';
import { say } from './terminal.mjs';

export const HELP = `npm run docs [-- spelling]
Builds the docs’ site into dist/docs, below the page, where a source of it changed.
spelling: checks the words of all docs instead; terms of the field are in docs/words.txt.`;

/** The page that is served until the site is built. */
const WAITING =
  '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>Docs</title>' +
  '<p>The docs are being built; this page looks again every two seconds.</p>';

export async function buildSite() {
  await buildIfStale('site', join(SITE, 'index.html'), async () => {
    say('Building the docs’ site …');
    ensureDocsTools();
    const { build } = await import(pathToFileURL(VITEPRESS).href);
    rmSync(SITE, { recursive: true, force: true });
    const log = console.log;
    // VitePress and TypeDoc print their progress to stdout, which is kept for results.
    console.log = () => {};
    try {
      await buildApiPages();
      await build(at('docs'));
    } finally {
      console.log = log;
    }
    const { pages, broken } = brokenLinks(SITE);
    if (broken.length > 0) throw new Error(`Links of the docs’ site that lead nowhere:\n${broken.join('\n')}`);
    say(`${pages} pages; every link and anchor leads somewhere.`);
  });
  // The copy is renamed when it is complete, so that a partial folder is never served.
  const next = `${SERVED}.${process.pid}`;
  cpSync(SITE, next, { recursive: true });
  rmSync(SERVED, { recursive: true, force: true });
  renameSync(next, SERVED);
}

/** Builds the site in a second process while a waiting page is served. A failure is printed and ends nothing. */
export function buildSiteInBackground() {
  if (!existsSync(join(SERVED, 'index.html'))) {
    mkdirSync(SERVED, { recursive: true });
    writeFileSync(join(SERVED, 'index.html'), WAITING);
  }
  const child = spawn(process.execPath, [at('scripts', 'site.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] });
  child.on('exit', (code) => {
    if (code) say('The docs’ site could not be built; the lab works without it. Try: npm run docs');
  });
  return child;
}

export async function main(args) {
  if (args.join() === 'spelling') {
    const words = unknownWords();
    say(words || 'No unknown word.');
    return words === '' ? 0 : 1;
  }
  if (args.length > 0) {
    say(HELP);
    return 2;
  }
  await buildSite();
  return 0;
}
