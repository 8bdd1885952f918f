// Checks that only one stylesheet styles each class on its own. Stylesheets are global and stay loaded after a view was opened, so a class
// that was styled in two of them once gave the playground's form the width of a dialog.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const UI = new URL('../', import.meta.url);

/** For each class that is a complete selector, the stylesheets with such a rule. */
function styledIn(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const files = (readdirSync(UI, { recursive: true }) as string[]).filter((path) => path.endsWith('.css'));
  for (const path of files) {
    const text = readFileSync(new URL(path, UI), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
    const selectors = [...text.matchAll(/([^{}]+)\{/g)].flatMap(([, list]) => list.split(','));
    for (const selector of selectors) {
      const [, name] = /^\.([\w-]+)$/.exec(selector.trim()) ?? [];
      if (name) found.set(name, (found.get(name) ?? new Set()).add(path));
    }
  }
  return found;
}

it('styles no class on its own in two stylesheets', () => {
  const styled = styledIn();
  expect(styled.size).toBeGreaterThan(100);
  expect([...styled].filter(([, files]) => files.size > 1).map(([name, files]) => [name, ...files])).toEqual([]);
});
