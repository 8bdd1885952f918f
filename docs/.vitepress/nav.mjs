// The tree of the site: which page stands in which part, in what order. A page that is named nowhere stands at the end of its folder's
// part, so that a new file needs no line here. Titles are the pages' own first headings.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { APIS } from '../../scripts/tool/site-api.mjs';

export const DOCS = fileURLToPath(new URL('..', import.meta.url));

/**
 * Of each part: its title, its folder, pages (without ending) in their order. Pages of the top folder begin with a slash: those of `first`
 * come before the folder's pages, those of `last` after them.
 */
export const PARTS = [
  {
    title: 'Tutorials',
    folder: 'tutorials',
    first: ['first-run', 'your-pairs', 'your-model', 'your-problems', 'your-environment', 'slurm-sweep'],
  },
  { title: 'How-to', folder: 'how-to', first: ['page', 'command-line', 'engine'] },
  {
    title: 'Reference',
    folder: 'reference',
    first: ['commands', 'options', 'measures', 'files', 'schemas', 'models', 'links', 'glossary', 'are', 'are-apps'],
    last: ['/engines'],
    /** Made at the build of the site. */
    made: APIS.map(({ part, title }) => ({ text: `API: ${title}`, link: `/reference/api/${part}` })),
  },
  {
    title: 'Explanation',
    folder: 'explanation',
    first: [
      '/findings',
      'findings',
      'limits',
      'projected-grpo',
      'cat',
      'exit',
      'characters',
      'agents',
      'lookup',
      'method',
      'statistics',
      'study',
    ],
    last: ['/arena', '/instructions'],
  },
  { title: 'Architecture', folder: 'architecture', first: ['/architecture', 'adding'], last: ['/scale'] },
  {
    title: 'Lab book',
    folder: 'lab-book',
    first: ['projected-grpo', 'prediction', 'cat', 'exit', 'characters', 'agents'],
    last: ['/sweeps/README', '/sweeps/lr-k', '/sweeps/lr-k-again', '/sweeps/arithmetic', '/sweeps/arithmetic-again'],
  },
];
const REST = 'How-to';

const isPage = (name) => name.endsWith('.md');
const pagesIn = (folder) =>
  readdirSync(join(DOCS, folder))
    .filter(isPage)
    .map((name) => name.slice(0, -3))
    .sort();

export const titleOf = (page) => {
  const title = /^# (.+)$/m.exec(readFileSync(join(DOCS, `${page}.md`), 'utf8'))?.[1];
  if (!title) throw new Error(`docs/${page}.md has no first heading.`);
  return title.replace(/[`*]/g, '');
};

/** Every page of the site in its part: `{ title, pages, made }`, a page as its path without ending; `made` are no files of docs/. */
export function tree() {
  const named = new Set(PARTS.flatMap(({ first, last = [] }) => [...first, ...last].filter((name) => name[0] === '/')));
  const top = pagesIn('.').filter((name) => name !== 'index' && !named.has(`/${name}`));
  return PARTS.map(({ title, folder, first, last = [], made = [] }) => {
    const there = pagesIn(folder);
    const order = (name) => (first.includes(name) ? first.indexOf(name) : first.length);
    const own = there.sort((a, b) => order(a) - order(b) || a.localeCompare(b)).map((name) => `${folder}/${name}`);
    const lead = first.filter((name) => name.startsWith('/')).map((name) => name.slice(1));
    const end = last.map((name) => name.slice(1));
    return { title, pages: [...lead, ...own, ...end, ...(title === REST ? top : [])], made };
  });
}

export const sidebar = () =>
  tree().map(({ title, pages, made }) => ({
    text: title,
    collapsed: title === 'Architecture' || title === 'Lab book',
    items: [...pages.map((page) => ({ text: titleOf(page), link: `/${page}` })), ...made],
  }));
