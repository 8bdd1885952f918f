// Tests that every file which the docs name exists. A file is named by its path or by the end of its path.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { expect, it } from 'vitest';
import { at, ROOT } from './project.mjs';

const TOPS = ['examples', 'bench', 'docs', 'e2e', 'fuzz', 'packages', 'research', 'scripts', 'shaders', 'src'];

/** Paths of files below `folder`, relative to the project. */
function below(folder) {
  return readdirSync(at(folder), { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => !path.includes('node_modules'))
    .map((path) => relative(ROOT, path).split(sep).join('/'));
}

/** The files of the project that a text names: code spans with an extension of our own files. */
const filesNamed = (text) =>
  [...text.matchAll(/`((?:[\w.-]+\/)*\w[\w.-]*\.(?:ts|tsx|mjs|wgsl))`/g)].map(([, path]) => path);

it('every file that the docs name exists', () => {
  const there = TOPS.flatMap(below);
  const docs = ['README.md', ...there.filter((path) => /\.md$/.test(path))];
  expect(docs.length).toBeGreaterThan(20);
  const known = new Set(there.flatMap((path) => path.split('/').map((_, i, parts) => parts.slice(i).join('/'))));
  const missing = docs.flatMap((doc) =>
    filesNamed(readFileSync(at(doc), 'utf8'))
      .filter((path) => !known.has(path))
      .map((path) => `${doc}: ${path}`),
  );
  expect(missing).toEqual([]);
});

it('finds the names of files in a text', () => {
  expect(filesNamed('in `a/b.ts` and `c.wgsl`, not `x.y` nor `npm run z`')).toEqual(['a/b.ts', 'c.wgsl']);
});
