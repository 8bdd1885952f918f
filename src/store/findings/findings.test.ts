// Tests the addresses of questions, and the sheets of their series, which are fetched once each when needed, refused if damaged, and then
// fetched again.

import { readFileSync } from 'node:fs';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { FRONT_PATH } from '../../findings/front.ts';
import { type SeriesSheet, sheetText } from '../../findings/sheet.ts';
import { gzipText } from '../../lib/inflate.ts';
import { isLinkedQuestion, linksToFindings, withFindings } from './link.ts';
import { createSheets, openFront } from './sheets.ts';

const HREF = 'https://lab.example/sub/?view=questions&q=Q2&run=cli%2F41&x=1#2.abc';

describe('addresses', () => {
  it('name a series, or a question whose letter implies it; older addresses still lead to the study', () => {
    const of = (search: string) => Object.values(linksToFindings(search)).slice(0, 2);
    expect(of('?view=questions')).toEqual(['study', null]);
    expect(of('?view=questions&q=Q12')).toEqual(['study', 'Q12']);
    expect(of('?view=questions&world=exit&q=q12')).toEqual(['study', 'Q12']);
    expect(of('?view=questions&q=h1')).toEqual(['study', 'H1']);
    expect(of('?view=questions&series=cat')).toEqual(['cat', null]);
    expect(of('?view=questions&world=cat')).toEqual(['cat', null]);
    expect(of('?view=questions&q=e1-again')).toEqual(['exit', 'E1-AGAIN']);
    expect(of('?view=questions&world=cat&q=S1')).toEqual(['characters', 'S1']);
    expect(of('?view=questions&world=nowhere')).toEqual(['study', null]);
    expect(of('?view=questions&world=cat&q=%3Cscript%3E')).toEqual(['cat', null]);
    expect(isLinkedQuestion('E1-again', 'E1-AGAIN')).toBe(true);
    expect(isLinkedQuestion('E1', 'E1-AGAIN')).toBe(false);
  });

  it('are read back as written, without the study’s run', () => {
    const href = withFindings(HREF, { series: 'exit', question: 'E1-again' });
    expect(href).toBe('https://lab.example/sub/?view=questions&q=E1-again&x=1&series=exit#2.abc');
    expect(linksToFindings(new URL(href).search)).toEqual({ series: 'exit', question: 'E1-AGAIN', run: null });
    expect(withFindings('https://lab.example/?world=cat', { series: 'exit', question: null })).toBe(
      'https://lab.example/?view=questions&series=exit',
    );
    expect(withFindings(href, { series: 'study', question: null })).toBe(
      'https://lab.example/sub/?view=questions&x=1&series=study#2.abc',
    );
    expect(withFindings(href, { series: 'study', question: 'Q2' })).toBe(
      'https://lab.example/sub/?view=questions&q=Q2&x=1#2.abc',
    );
  });

  it('without a question or a series lead to a page over all series', () => {
    const pageOf = (search: string) => linksToFindings(search).page;
    expect(pageOf('?view=questions')).toBe('ten');
    expect(pageOf('?view=questions&page=other-hack')).toBe('other-hack');
    expect(pageOf('?view=questions&page=%3Cscript%3E')).toBe('ten');
    for (const search of ['q=Q2', 'series=study', 'world=exit', 'q=E1', 'run=study-0a/erase/41'])
      expect(pageOf(`?view=questions&page=other-hack&${search}`), search).toBeUndefined();
    const href = withFindings(HREF, { series: 'study', question: null, page: 'other-hack' });
    expect(href).toBe('https://lab.example/sub/?view=questions&x=1&page=other-hack#2.abc');
    expect(withFindings(href, { series: 'study', question: null, page: 'ten' })).toBe(
      'https://lab.example/sub/?view=questions&x=1#2.abc',
    );
    expect(withFindings(href, { series: 'exit', question: 'E1' })).not.toContain('page=');
  });

  it('name a run of the study, and ignore invalid names of runs', () => {
    const ref = { series: 'study', question: 'Q2', run: 'study-0a/erase/41' } as const;
    const href = withFindings('https://lab.example/?view=compare#2.abc', ref);
    expect(href).toBe('https://lab.example/?view=questions&run=study-0a%2Ferase%2F41&q=Q2#2.abc');
    expect(linksToFindings(new URL(href).search)).toEqual(ref);
    expect(linksToFindings('?q=Q2&run=<script>').run).toBeNull();
    expect(linksToFindings('?q=E1&run=study-0a/erase/41').run).toBeNull();
    // A name that no series has is reported rather than ignored.
    const unknown = (search: string) => linksToFindings(search).unknown;
    expect(['?q=Ω1', '?q=what', '?series=elsewhere'].map(unknown)).toEqual(['Ω1', 'WHAT', 'elsewhere']);
    expect(['', '?q=e1', '?series=exit', '?series=elsewhere&q=E1'].map(unknown)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('sheets', () => {
  const sheet: SeriesSheet = { questions: [] };
  const packed = gzipText(sheetText(sheet));

  it('are fetched from below the page’s own address, once each', async () => {
    const asked: string[] = [];
    const sheets = createSheets('https://lab.example/sub/', async (url) => {
      asked.push(url);
      return new Response(packed);
    });
    expect(asked).toEqual([]);
    expect(await sheets.open('exit')).toEqual(sheet);
    expect(await sheets.open('exit')).toEqual(sheet);
    expect(asked).toEqual(['https://lab.example/sub/results/exit/sheet.json.gz']);
  });

  it('include a front page over all series, and a damaged file is not mistaken for it', async () => {
    const text = readFileSync(new URL(`../../../public/${FRONT_PATH}`, import.meta.url), 'utf8');
    const asked: string[] = [];
    const get = (body: string) => async (url: string) => {
      asked.push(url);
      return new Response(body);
    };
    const front = await openFront('https://lab.example/sub/', get(text));
    expect(asked).toEqual(['https://lab.example/sub/results/findings.json']);
    expect(front.sentences).toHaveLength(10);
    const damaged = text.replace('"standing":"holds"', '"standing":"proves"');
    await expect(openFront('https://lab.example/', get(damaged))).rejects.toThrow(FormatError);
  });

  it('are refused if damaged or missing, and requested again', async () => {
    const answers = [
      new Response('', { status: 404 }),
      new Response(new Uint8Array([0x1f, 0x8b, 1])),
      new Response('{"format":"projected-grpo-lab findings 1"}'),
      new Response(packed),
    ];
    const sheets = createSheets('https://lab.example/', async () => answers.shift()!);
    for (const reason of [/could not be loaded \(404\)/, /cat\/sheet.json.gz is damaged/, /findings are damaged/]) {
      const refused = sheets.open('cat');
      await expect(refused).rejects.toThrow(FormatError);
      await expect(refused).rejects.toThrow(reason);
    }
    expect(await sheets.open('cat')).toEqual(sheet);
  });
});
