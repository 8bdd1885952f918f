// Tests the docs' links: every relative link names an existing file and heading, every picture has an alternative text, and every page stands
// once in the site's tree.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { titleOf, tree } from '../../docs/.vitepress/nav.mjs';
import { at, ROOT } from './project.mjs';

const TOP = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md', 'CHANGELOG.md'];
const PACKAGES = ['packages/are/README.md', 'packages/python-sandbox/README.md'];
// A name in brackets is a route, whose pages are made and checked at the build (site-links.mjs).
const isPage = (path) => path.endsWith('.md') && !/node_modules|\[\w+\]/.test(path);
const inDocs = readdirSync(at('docs'), { recursive: true })
  .map((path) => `docs/${path.replaceAll('\\', '/')}`)
  .filter(isPage);

/** The text of a page without its code, in which nothing is a link. */
const textOf = (path) =>
  readFileSync(at(path), 'utf8')
    .replace(/^(```+)[^\n]*\n[\s\S]*?^\1\s*$/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ' '));

/** The anchor that GitHub and the site give to a heading. */
const slugOf = (heading) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
const headings = new Map();
function headingsOf(path) {
  if (!headings.has(path)) {
    const lines = readFileSync(path, 'utf8').match(/^#{1,6} .+$/gm) ?? [];
    headings.set(path, new Set(lines.map((line) => slugOf(line.replace(/^#+ /, '')))));
  }
  return headings.get(path);
}

function broken(path) {
  const links = [...textOf(path).matchAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g)];
  return links.flatMap(([, image, words, href]) => {
    const faults = image && words.trim().length < 8 ? [`${path}: a picture without words (${href})`] : [];
    if (/^[a-z]+:/i.test(href)) return faults;
    const [file, anchor] = href.split('#');
    const target = file === '' ? at(path) : join(at(dirname(path)), decodeURIComponent(file));
    if (!existsSync(target)) return [...faults, `${path}: ${href}`];
    if (anchor && statSync(target).isFile() && target.endsWith('.md') && !headingsOf(target).has(anchor))
      return [...faults, `${path}: ${href} (no such heading)`];
    return faults;
  });
}

it('every link of the docs names an existing file, heading or picture', () => {
  expect(inDocs.length).toBeGreaterThan(40);
  expect([...TOP, ...PACKAGES, ...inDocs].flatMap(broken)).toEqual([]);
});

it('every page of the site stands in its tree once, with a title', () => {
  const pages = tree().flatMap(({ pages }) => pages);
  expect(new Set(pages).size).toBe(pages.length);
  // Folders of material, such as an example’s texts, are not pages.
  const own = inDocs.filter((path) => !/^docs\/characters\//.test(path)).map((path) => path.slice(5, -3));
  expect([...pages, 'index'].sort()).toEqual(own.sort());
  for (const page of pages) expect(titleOf(page).length).toBeGreaterThan(2);
});

it('README is one page, with pictures of both schemes and words for them', () => {
  const text = readFileSync(at('README.md'), 'utf8');
  const words = (part) => part.split(/\s+/).filter(Boolean).length;
  // The findings need room for their verdicts and limits; the other sections are short.
  expect(
    words(text.replace(/<!-- (headlines|arena|engines) -->[\s\S]*?<!-- (end |\/)\1 -->/g, '')),
  ).toBeLessThanOrEqual(400);
  expect(words(text)).toBeLessThanOrEqual(1200);
  for (const [, path] of text.matchAll(/(?:src|srcset)="([^"]+)"/g))
    expect(existsSync(at(path)), relative(ROOT, path)).toBe(true);
  expect(text).toMatch(/<img alt="[^"]{20,}"/);
});
