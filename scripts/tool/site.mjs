// The site of the docs: built by VitePress from docs/ into a cache, and copied to dist/docs, which every build of the page empties.
// Built anew where a source of it changed. `npm start` builds it in a process beside, so that the lab does not wait for it. What builds
// it is installed when it is first needed (docs-tools.mjs).
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

/** Until it is there. */
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
    // VitePress and TypeDoc report their progress where the lab's results go.
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
  // Whole or not at all: a half copied folder must not be served.
  const next = `${SERVED}.${process.pid}`;
  cpSync(SITE, next, { recursive: true });
  rmSync(SERVED, { recursive: true, force: true });
  renameSync(next, SERVED);
}

/** In a process of its own; what is served meanwhile says so. A failure is said and ends nothing. */
export function buildSiteBeside() {
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
