import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { asksToStart } from '../../share/spec-link.ts';
import { putFormAddress, removeStartParameter } from './form-address.ts';
import { SECTIONS, tabOf, tabsOf, VIEWS, viewAddress, viewInfo, viewOf, viewsOf } from './view.ts';
import { viewLink } from './view-link.ts';

const at = (href: string) => new URL(href) as unknown as Location;

afterEach(() => vi.unstubAllGlobals());

describe('views', () => {
  it('are read from the query, and an unknown one opens the lab', () => {
    for (const { id } of VIEWS) expect(viewOf(`?view=${id}`)).toBe(id);
    expect(viewOf('')).toBe('lab');
    for (const { id } of SECTIONS) expect(viewOf(`?view=${id}`)).toBe(viewsOf(id)[0].id);
    expect(viewOf('?view=%3Cscript%3E')).toBe('lab');
  });

  it('belong to one section each, which opens at its first view; older addresses lead to their tabs', () => {
    for (const { id } of SECTIONS) expect(viewsOf(id).length).toBeGreaterThan(0);
    expect(VIEWS.map(({ id }) => id)).toEqual(SECTIONS.flatMap(({ id }) => viewsOf(id).map((view) => view.id)));
    const sectionOf = (view: string) => viewInfo(viewOf(`?view=${view}`)).section;
    expect(['questions', 'arena', 'compare'].map(sectionOf)).toEqual(Array(3).fill('findings'));
    expect(['bases', 'models', 'probe', 'pools', 'problems'].map(sectionOf)).toEqual(Array(5).fill('library'));
    expect(['playground', 'device'].map(sectionOf)).toEqual(['playground', 'lab']);
  });

  it('within another view have no tab of their own, and the other view’s tab is the current one', () => {
    expect(SECTIONS.map(({ id }) => tabsOf(id).length)).toEqual([1, 3, 5, 2]);
    expect((['probe', 'problems', 'device', 'arena'] as const).map(tabOf)).toEqual(['bases', 'pools', 'lab', 'arena']);
    for (const { id } of VIEWS) expect(viewInfo(tabOf(id)).section).toBe(viewInfo(id).section);
  });

  it('are all in the list of screenshots', () => {
    const script = readFileSync(new URL('../../../scripts/screenshots.mjs', import.meta.url), 'utf8');
    const [, list] = /const VIEWS = \[(.*?)\];/s.exec(script) ?? [];
    const pictured = [...list.matchAll(/'(\w+)'/g)].map(([, id]) => id);
    // The script takes the lab first, because other views show its run.
    expect(['lab', ...pictured].sort()).toEqual(VIEWS.map(({ id }) => id).sort());
  });

  it('preserve the experiment after # and the rest of the query, and never request another start', () => {
    const from = at('https://lab.test/deep/?start&x=1#v1.abc');
    expect(viewAddress('device', from)).toBe('https://lab.test/deep/?x=1&view=device#v1.abc');
    expect(viewAddress('lab', at(viewAddress('device', from)))).toBe('https://lab.test/deep/?x=1#v1.abc');
  });
});

describe('the link that Share copies', () => {
  const linkAt = (href: string) => viewLink(at(href));

  it('leads to the open view with its choices, without the experiment in the form', () => {
    const linked = (view: string, choices = '', hash = '#2.form') =>
      linkAt(`https://lab.test/deep/?view=${view}&environment=chain&x=1${choices}${hash}`);
    for (const { id } of VIEWS.filter(({ id }) => id !== 'lab'))
      expect(linked(id)).toBe(`https://lab.test/deep/?view=${id}`);
    expect(linked('compare', '&of=a/erase/total,b/none/total&against=a/erase/total')).toBe(
      'https://lab.test/deep/?view=compare&of=a/erase/total,b/none/total&against=a/erase/total',
    );
    expect(linked('questions', '&series=exit&q=E1')).toBe('https://lab.test/deep/?view=questions&series=exit&q=E1');
    expect(linked('arena', '&sort=methods.2.down&run=a&series=exit')).toBe(
      'https://lab.test/deep/?view=arena&sort=methods.2.down',
    );
    // A hash that belongs to the view is preserved.
    expect(linked('sweeps', '', '#sweep1.abc')).toBe('https://lab.test/deep/?view=sweeps#sweep1.abc');
  });
});

it('a page that was opened by ?start does not request it again after a reload', () => {
  const location = { href: 'https://lab.test/deep/?start&view=lab#v1.abc' };
  const replaceState = (_: unknown, __: string, next: string | URL) => {
    location.href = new URL(next, location.href).href;
  };
  vi.stubGlobal('window', { location, history: { replaceState } });
  expect(asksToStart(new URL(location.href))).toBe(true);
  removeStartParameter();
  expect(location.href).toBe('https://lab.test/deep/?view=lab#v1.abc');
  putFormAddress({ hash: 'v1.def', environment: 'arithmetic' }, true);
  expect(asksToStart(new URL(location.href))).toBe(false);
  expect(location.href).toBe('https://lab.test/deep/?view=lab&environment=arithmetic#v1.def');
});
