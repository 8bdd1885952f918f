// Tests that no object literal is spread in place: `...{ a, b }` means the same as `a, b`, and would only please a formatter.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { at } from './project.mjs';

/** Does not match `{...{ a, b }}` of JSX, which names attributes. */
const SPREAD = /(?:^|[{,(] )\s*\.\.\.\{/;

it('no object literal is spread in another one', () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { cwd: at(), encoding: 'utf8' });
  const found = files
    .trim()
    .split('\n')
    .flatMap((file) =>
      readFileSync(at(file), 'utf8')
        .split('\n')
        .flatMap((line, i) => (SPREAD.test(line) ? [`${file}:${i + 1}`] : [])),
    );
  expect(found).toEqual([]);
});
