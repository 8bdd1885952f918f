// Tests that the example in the package's README runs and prints the documented output.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';

it('has a working example', async () => {
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  const file = new URL(`./readme-example-${process.pid}.ts`, import.meta.url);
  const said: unknown[][] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...args) => void said.push(args));
  writeFileSync(file, example);
  try {
    await import(/* @vite-ignore */ file.href);
  } finally {
    log.mockRestore();
    rmSync(file);
  }
  expect(said).toEqual([
    ['oracle', true, true],
    ['silent', false, false],
  ]);
});
