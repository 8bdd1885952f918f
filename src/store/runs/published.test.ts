import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { demoPath } from '../../experiments/analysis/demo.ts';
import { ENVIRONMENT_NAMES } from '../../experiments/environments/registry.ts';
import { HEADLINES_PATH } from '../../findings/headline.ts';
import { demoLines, demoSteps } from '../charts/demo-lines.ts';
import { createPublished } from './published.ts';

const FIRST = ENVIRONMENT_NAMES[0];
const file = (environment: string) =>
  readFileSync(new URL(`../../../public/${demoPath(environment)}`, import.meta.url), 'utf8');
const answer = (body: string, type = 'application/json', status = 200) =>
  new Response(body, { status, headers: { 'content-type': type } });

describe('published demos', () => {
  afterEach(() => {
    globalThis.firstDemo = undefined;
    globalThis.firstDemoNow = undefined;
    globalThis.firstHeadlinesNow = undefined;
  });

  it('are fetched once, from below the page’s address; the first was already requested in the page’s head', async () => {
    const asked: string[] = [];
    globalThis.firstDemo = Promise.resolve(JSON.parse(file(FIRST)));
    const published = createPublished('https://lab.test/deep/', FIRST, async (url) => {
      asked.push(url);
      return answer(file('lookup'));
    });
    expect(published.now('lookup')).toBeUndefined();
    const [demo, again] = await Promise.all([published.load('lookup'), published.load('lookup')]);
    expect(again).toBe(demo);
    expect(published.now('lookup')).toBe(demo);
    expect((await published.load(FIRST))?.runs).toHaveLength(2);
    expect(asked).toEqual(['https://lab.test/deep/results/demo/lookup.json']);
    // The page's head contains the same path as text.
    const head = readFileSync(new URL('../../../index.html', import.meta.url), 'utf8');
    for (const path of [demoPath(FIRST), HEADLINES_PATH]) expect(head).toContain(`early('./${path}', `);
  });

  it('are available at once if the head’s request has completed', async () => {
    globalThis.firstDemoNow = JSON.parse(file(FIRST));
    globalThis.firstDemo = Promise.resolve(globalThis.firstDemoNow);
    const published = createPublished('https://lab.test/', FIRST, () => Promise.reject(new Error('not asked')));
    const demo = published.now(FIRST);
    expect(demo?.runs).toHaveLength(2);
    expect(await published.load(FIRST)).toBe(demo);
    expect(published.now('lookup')).toBeUndefined();
  });

  it('come with the findings over many seeds, fetched once for all environments or requested in the head', async () => {
    const text = readFileSync(new URL(`../../../public/${HEADLINES_PATH}`, import.meta.url), 'utf8');
    const asked: string[] = [];
    const published = createPublished('https://lab.test/deep/', FIRST, async (url) => {
      asked.push(url);
      return answer(text);
    });
    expect(published.headlineNow(FIRST)).toBeUndefined();
    const all = await Promise.all(ENVIRONMENT_NAMES.map((id) => published.headline(id)));
    expect(all.map((one) => one?.environment)).toEqual(ENVIRONMENT_NAMES);
    expect(published.headlineNow('chain')?.sentence).toBe(all.find((one) => one?.environment === 'chain')?.sentence);
    expect(published.headlineNow('a file')).toBeNull();
    expect(asked).toEqual([`https://lab.test/deep/${HEADLINES_PATH}`]);
    globalThis.firstHeadlinesNow = JSON.parse(text);
    const early = createPublished('https://lab.test/', FIRST, () => Promise.reject(new Error('not asked')));
    expect(early.headlineNow(FIRST)).toEqual(all.find((one) => one?.environment === FIRST));
  });

  it.each([
    ['nothing there', () => answer('', 'text/plain', 404)],
    ['a development server’s page', () => answer('<!doctype html>', 'text/html')],
    ['no JSON', () => answer('{')],
    ['another schema', () => answer('{"schema": 2}')],
  ])('are none with %s', async (_, get) => {
    expect(await createPublished('https://lab.test/', FIRST, async () => get()).load('lookup')).toBeNull();
  });

  it('are absent without a network, also if the head’s request failed', async () => {
    globalThis.firstDemo = Promise.resolve(null);
    const offline = () => Promise.reject(new TypeError('Failed to fetch'));
    expect(await createPublished('https://lab.test/', FIRST, offline).load(FIRST)).toBeNull();
  });

  it('draw the lines of a run’s charts, with their names', async () => {
    const published = createPublished('https://lab.test/', '', async (url) =>
      answer(file(url.match(/([^/]*)\.json/)![1])),
    );
    const demo = (await published.load(FIRST))!;
    const lines = demoLines(demo, 'hack');
    expect(lines.map(({ label }) => label)).toEqual(['vanilla', 'routed, quarantine removed', 'erase (update)']);
    expect(lines.map(({ isSparse }) => isSparse)).toEqual([false, true, false]);
    expect(demoSteps(demo)).toBe(60);
    expect(lines[0].points.at(-1)?.x).toBe(60);
    // Plain RL has its own colour and methods share one. Dashes and markers distinguish them.
    expect(new Set(lines.map(({ style }) => style.color)).size).toBe(2);
    expect(new Set(lines.map(({ style }) => JSON.stringify(style))).size).toBe(3);
    expect(demoLines((await published.load('arithmetic'))!, 'solve').map(({ label }) => label)).toEqual([
      'vanilla',
      'CaT',
      'majority (TTRL)',
    ]);
  });
});
