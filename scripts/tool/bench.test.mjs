// Tests how `npm run bench -- NAME --write` changes bench/RESULTS.md.
import { expect, it } from 'vitest';
import { replaced } from './bench.mjs';

it('replaces the section of the same title, appends new sections, and keeps the rest', () => {
  const text = '# B\n\nOn x.\n\n## One\n\nold\n\n| a |\n\n## Two\n\nkept\n';
  expect(replaced(text, '# B\n\nOn x.', ['## Three\n\nnew', '## One\n\nfresh'])).toBe(
    '# B\n\nOn x.\n\n## One\n\nfresh\n\n## Two\n\nkept\n\n## Three\n\nnew\n',
  );
  expect(() => replaced(text, '# B\n\nOn y.', [])).toThrow(/another machine/);
});
