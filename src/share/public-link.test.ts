// Tests turning links of a local lab into links of the public one.
import { expect, it } from 'vitest';
import { publicLink } from './public-link.ts';

it('changes only the beginning of a link', () => {
  const to = 'https://name.github.io/lab/';
  expect(publicLink('http://localhost:5173/?view=compare&runs=a#2.x', 'http://localhost:5173/', to)).toBe(
    `${to}?view=compare&runs=a#2.x`,
  );
  expect(publicLink('http://localhost:5173/#1.a', 'http://localhost:5173/', to)).toBe(`${to}#1.a`);
  expect(publicLink('https://hub.example/x', 'http://localhost:5173/', to)).toBeNull();
});
