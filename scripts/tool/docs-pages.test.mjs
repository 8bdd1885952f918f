// The docs as pages of the build: what leads where, and that nothing in them runs.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SERIES } from '../../src/experiments/judge/series.ts';
import { docPage } from './docs-pages.mjs';
import { at } from './project.mjs';

const names = readdirSync(at('docs')).flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -3)] : []));

describe('docs as pages', () => {
  it('lead to one another, and name what is not shipped', () => {
    const page = docPage(
      '# A & B\n\n[cat](cat.md), [part](cat.md#the-rule), [code](../src/x.ts), [web](https://x.test/)\n',
      ['cat'],
    );
    expect(page).toContain('<title>A &amp; B · Projected GRPO Lab</title>');
    expect(page).toContain('<a href="cat.html" rel="noreferrer">cat</a>');
    expect(page).toContain('<a href="cat.html#the-rule" rel="noreferrer">part</a>');
    expect(page).toContain(', code, ');
    expect(page).toContain('<a href="https://x.test/" rel="noreferrer">web</a>');
  });

  it('run nothing', () => {
    const page = docPage('<script>alert(1)</script>\n\n[x](javascript:alert(1)) <img src=x onerror=y>\n', []);
    expect(page).not.toMatch(/<script|onerror|javascript:/);
    expect(page).toContain('default-src &#39;none&#39;'.replaceAll('&#39;', "'"));
  });

  it('are there for every series of questions, with its headings', () => {
    for (const { docs } of SERIES) {
      const name = docs.replace(/^docs\/(.*)\.md$/, '$1');
      expect(names).toContain(name);
      const page = docPage(readFileSync(at(docs), 'utf8'), names);
      expect(page).toMatch(/<h2 id="[\w-]+/);
      expect(page).toContain('<table>');
    }
  });
});
