// Tests the parts of the site beyond the files of docs/: the pages of the packages' APIs, and the check of all links.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sidebar } from '../../docs/.vitepress/nav.mjs';
import { at } from './project.mjs';
import { APIS, pageOf, partPage } from './site-api.mjs';
import { brokenLinks } from './site-links.mjs';

const all = APIS.flatMap(({ root, files }) => files.map((file) => `${root}/${file}`));

it('documents every file that the examples and the packages’ READMEs import', () => {
  expect(all.filter((path) => !existsSync(at(path)))).toEqual([]);
  const example = readFileSync(at('examples', 'grpo-step.ts'), 'utf8');
  const own = [...example.matchAll(/from '\.\.\/(src\/[^']+)'/g)].map(([, path]) => path);
  const readmes = ['are', 'python-sandbox'].flatMap((name) => {
    const text = readFileSync(at('packages', name, 'README.md'), 'utf8');
    return [...text.matchAll(/from '@projected-grpo-lab\/([\w-]+)\/([^']+)'/g)].map(
      ([, part, path]) => `packages/${part}/src/${path}`,
    );
  });
  expect(own.length).toBeGreaterThan(5);
  expect(readmes.length).toBeGreaterThan(2);
  expect([...own, ...readmes].filter((path) => !all.includes(path))).toEqual([]);
});

it('gives each API a place in the sidebar and a page that lists its files', () => {
  const items = sidebar().flatMap(({ items }) => items);
  for (const api of APIS) {
    expect(items).toContainEqual({ text: `API: ${api.title}`, link: `/reference/api/${api.part}` });
    for (const file of api.files)
      expect(partPage(api)).toMatch(new RegExp(`\\(${pageOf(api.part, file)}\\.md\\) \\| \\S.{10,}`));
  }
});

it('finds broken links and anchors of the built site', () => {
  const site = mkdtempSync(join(tmpdir(), 'site-'));
  try {
    mkdirSync(join(site, 'b'));
    const page = (name, body) => writeFileSync(join(site, name), `<body>${body}</body>`);
    page('index.html', '<a href="./b/">b</a><a href="b/index.html#x">x</a><a href="https://example.org/y">y</a>');
    page('b/index.html', '<h2 id="x">x</h2><a href="../index.html">up</a><a href="../../app.html">the lab</a>');
    expect(brokenLinks(site)).toEqual({ pages: 2, broken: [] });
    page('c.html', '<a href="b/index.html#gone">1</a><a class="z" href="./d.html">2</a><a href="#none">3</a>');
    expect(brokenLinks(site).broken).toEqual(['c.html: b/index.html#gone', 'c.html: ./d.html', 'c.html: #none']);
  } finally {
    rmSync(site, { recursive: true, force: true });
  }
});
