// Tests the page's protection against hostile input: a link with markup in every text field is shown as text; the page's policy forbids any
// injected code, also on a static host without headers; and the lab works under the policy without a violation.
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { OWN_PAIRS } from '../src/experiments/config/environments.ts';
import { FIELDS } from '../src/experiments/config/settings.ts';
import { packJson } from '../src/share/pack.ts';
import { VIEWS } from '../src/ui/parts/view.ts';
import {
  addAxe,
  addressOf,
  downloaded,
  expectNoSidewaysScroll,
  ready,
  section,
  tinySpec,
  toView,
  waitForTable,
  withoutWorker,
} from './lab-page.ts';

const DIST = join(import.meta.dirname, '..', 'dist');
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

declare global {
  interface Window {
    /** Set by an injected script, if one ran. */
    ran?: string[];
  }
}

/** Markup that names its field, so that each field's can be found. */
const markup = (field: string) =>
  `<img class="injected" src=x onerror="(window.ran??=[]).push('${field}')"><b class="injected">${field}</b>`;

/** Collects policy violations of the page, its frames and their workers from the console, and errors of the page. */
function complaints(page: Page): string[] {
  const found: string[] = [];
  page.on('console', (message) => {
    if (/Content.Security.Policy|Cross-Origin|ERR_BLOCKED/i.test(message.text())) found.push(message.text());
  });
  page.on('pageerror', (error) => found.push(error.message));
  page.on('dialog', (dialog) => found.push(dialog.message()));
  return found;
}

async function expectText(page: Page): Promise<void> {
  expect(await page.locator('.injected').count()).toBe(0);
  expect(await page.evaluate(() => window.ran ?? [])).toEqual([]);
}

/** Whether the page and the lab's worker may share memory between threads. */
async function isolation(page: Page): Promise<{ page: boolean; worker: boolean }> {
  const worker = page.workers().find((candidate) => /\/assets\/worker-[^/]*\.js$/.test(candidate.url()))!;
  const sharing = () => crossOriginIsolated && typeof SharedArrayBuffer === 'function';
  return { page: await page.evaluate(sharing), worker: await worker.evaluate(sharing) };
}

/** Waits until the page has read its address and the worker has its model. */
const settled = (page: Page) => expect(page.getByRole('contentinfo')).toContainText('Student:');
const base = { p: 'smoke', a: ['route-update'], s: [41], d: 'cpu' };
const run = { a: 'route-update', s: 41, h: 'A'.repeat(22), e: [[2, 'f', 'total', 5, 5000, 5000]] };

async function openLink(page: Page, content: object): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`./#2.${await packJson(content)}`);
}

test('a link with markup in every text field shows it as text', async ({ page }) => {
  const found = complaints(page);
  const settings = {
    teacherPool: markup('pool'),
    pairSet: `${OWN_PAIRS}${markup('pairs')}`,
    basisFile: markup('basis'),
    model: markup('model'),
    environment: markup('environment'),
    stages: markup('stages'),
    chatTemplate: `{{ messages }}${markup('template')}`,
    chatArgs: JSON.stringify({ note: markup('args') }),
  };
  const texts = Object.entries(FIELDS).filter(([, { kind }]) => kind.type === 'text');
  expect(texts.map(([name]) => name).sort(), 'a text that this journey forgets').toEqual(Object.keys(settings).sort());
  const { model, environment, stages, ...kept } = settings;

  const made = { v: markup('v').slice(0, 40), g: markup('g').slice(0, 80), n: markup('device') };
  await openLink(page, { ...base, ...made, o: { ...kept, basisSource: 'file' }, r: [run] });
  await settled(page);
  const panel = section(page, 'Shared run');
  await expect(panel).toContainText(made.n);
  await expect(panel).toContainText(made.v);
  await expect(panel).toContainText(`the teacher pool ${kept.teacherPool.slice(0, 18)}`);
  await expect(panel).toContainText(`the pair set ${kept.pairSet.slice(0, 18)}`);
  await expect(panel).toContainText(`the basis ${kept.basisFile.slice(0, 18)}`);
  await expectText(page);

  // Unknown names are quoted in the refusal.
  for (const override of [{ model }, { environment }, { stages }]) {
    await openLink(page, { ...base, o: { steps: 2, ...override } });
    await expect(page.getByRole('alert').filter({ hasText: '<img class=' })).toBeVisible();
    await expectText(page);
  }

  const refused: object[] = [
    { p: markup('preset') },
    { a: [markup('arm')] },
    { s: [markup('seed')] },
    { d: markup('d') },
    { o: { [markup('setting')]: 1 } },
    { o: { gate: markup('gate') } },
    { o: { poolModes: [markup('mode')] } },
    { [markup('field')]: 1 },
    { m: markup('m') },
    { r: [{ ...run, h: markup('digest') }] },
    { r: [{ ...run, w: [markup('shadow')] }] },
    { r: [{ ...run, e: [[2, 'f', markup('eval'), 5, 1, 1]] }] },
  ];
  await withoutWorker(page);
  for (const change of refused) {
    await openLink(page, { ...base, ...change });
    await expect(page.getByRole('alert').first()).toBeVisible();
    await expectText(page);
  }
  expect(found).toEqual([]);
});

test('injected code does not run, and the page fetches from no other host', async ({ page }) => {
  const found = complaints(page);
  const tries = (outside: string) =>
    page.evaluate(async (outside) => {
      const got: string[] = [];
      const note = (what: string) => () => void got.push(what);
      window.ran = got;
      const add = (html: string) => document.body.insertAdjacentHTML('beforeend', `<div hidden>${html}</div>`);
      add(`<img src="./no-such.png" onerror="window.ran.push('handler')">`);
      add(`<a id="js-link" href="javascript:window.ran.push('link')">x</a>`);
      document.querySelector<HTMLElement>('#js-link')?.click();
      const script = document.createElement('script');
      script.textContent = "window.ran.push('inline')";
      document.body.append(script);
      const blob = document.createElement('script');
      blob.src = URL.createObjectURL(new Blob(["window.ran.push('blob')"], { type: 'text/javascript' }));
      document.body.append(blob);
      // A timer is used, since code that the journey evaluates directly is exempt from the policy.
      setTimeout(() => {
        try {
          new Function("window.ran.push('eval')")();
        } catch {}
      }, 0);
      setTimeout("window.ran.push('timeout')", 0);
      const frame = document.createElement('iframe');
      frame.srcdoc = "<script>parent.ran.push('frame')</" + 'script>';
      frame.onload = note('');
      document.body.append(frame);
      await fetch(outside, { mode: 'no-cors' }).then(note('fetch'), () => {});
      const image = new Image();
      image.onload = note('image');
      image.src = `${outside}favicon.svg`;
      navigator.sendBeacon(outside, 'x');
      await new Promise((resolve) => setTimeout(resolve, 1500));
      return got.filter(Boolean);
    }, outside);

  // The page comes from the local server, and from a host without headers.
  const plain = await plainHost();
  try {
    for (const address of ['./', plain.address]) {
      await page.goto(address);
      await ready(page);
      expect(found, address).toEqual([]);
      const isolated = address !== plain.address;
      expect(await isolation(page), address).toEqual({ page: isolated, worker: isolated });
      plain.requests.length = 0;
      expect(await tries(plain.elsewhere), address).toEqual([]);
      expect(plain.requests, address).toEqual([]);
      for (const rule of ['script-src', 'connect-src', 'img-src'])
        expect(
          found.some((text) => text.includes(`"${rule} `)),
          `${address}: ${rule}\n${found.join('\n')}`,
        ).toBe(true);
      found.length = 0;
    }
  } finally {
    plain.close();
  }
});

test('another page cannot frame the lab', async ({ page, baseURL }) => {
  const plain = await plainHost();
  try {
    const found = complaints(page);
    await page.goto(plain.elsewhere);
    await page.setContent(`<iframe src="${baseURL}"></iframe>`);
    await expect.poll(() => found.some((text) => text.includes('frame-ancestors'))).toBe(true);
    expect(page.frames().some((frame) => frame.url() === baseURL)).toBe(false);
  } finally {
    plain.close();
  }
});

test('the lab works without a violation: runs on a host without headers, and every view', async ({ page }) => {
  const found = complaints(page);
  const plain = await plainHost();
  const views = page.getByRole('navigation', { name: 'Views' });
  const fact = section(page, 'Device').locator('dt', { hasText: 'Cross-origin isolated' }).locator('+ dd');
  const run = async () => {
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await waitForTable(page);
    const { runs } = await downloaded(page);
    return { ids: runs.map(({ id }) => id), rows: runs.map(({ rows }) => rows) };
  };
  try {
    // The first visit works without threads and reports that; it is not reloaded while something runs.
    const loads: string[] = [];
    page.on('load', () => loads.push(page.url()));
    await page.goto(new URL(await addressOf(tinySpec('cpu')), plain.address).href);
    await ready(page);
    const alone = await run();
    await toView(page, 'device');
    await expect(fact).toContainText('its host does not send the headers for it.');
    await expect(fact).toContainText('A service worker adds them from the next load on: reload.');
    expect(await isolation(page)).toEqual({ page: false, worker: false });
    expect(loads).toHaveLength(1);

    // The next visit has threads, in the page and its worker, though the host is unchanged, and trains to the same bytes.
    await page.reload();
    await expect(fact).toHaveText('yes: threads can share memory');
    expect(await isolation(page)).toEqual({ page: true, worker: true });
    await views.getByRole('link', { name: 'Lab', exact: true }).click();
    await ready(page);
    const shared = await run();
    expect(shared.ids).not.toEqual(alone.ids);
    expect(shared.rows).toEqual(alone.rows);
    // Only the lab of that folder is cached.
    const kept = await page.evaluate(() => caches.keys());
    expect(kept.map((name) => name.startsWith(`lab ${plain.address} `))).toEqual([true]);
    expect(loads).toHaveLength(2);
  } finally {
    plain.close();
  }
  await page.goto('./');
  await settled(page);
  for (const { id } of VIEWS) {
    await toView(page, id);
    await expect(page.locator('main h2').first()).toBeVisible();
    await expect(page.locator('main').getByText('Loading …')).toHaveCount(0);
  }
  expect(found).toEqual([]);
});

test('the licences of the lab’s components are one link away', async ({ page }) => {
  const found = complaints(page);
  await page.goto('./');
  await settled(page);
  await page
    .getByRole('contentinfo')
    .getByRole('link', { name: /Licences/ })
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Licences');
  for (const name of [/^onnxruntime-web \d.* \(MIT\)$/, /^pyodide \d.* \(MPL-2\.0\)$/, /^CPython/, /^react \d/])
    await expect(page.getByRole('heading', { level: 2, name })).toHaveCount(1);
  expect(await page.locator('body').evaluate((body) => getComputedStyle(body).maxWidth)).toBe('800px');
  await addAxe(page);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  expect(violations.map(({ id, nodes }) => `${id} at ${nodes[0].target}`)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.getByRole('link', { name: 'Back to the lab' }).click();
  await settled(page);
  expect(found).toEqual([]);
});

/** Serves the build from a host that sends no headers, and starts another origin that records its requests. */
async function plainHost() {
  const requests: string[] = [];
  const host = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const file = join(DIST, normalize(path.endsWith('/') ? `${path}index.html` : path));
    try {
      const bytes = await readFile(file);
      response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  const other = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>x</title>');
  });
  const listen = async (server: Server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
  const [address, elsewhere] = [await listen(host), await listen(other)];
  const close = () => {
    for (const server of [host, other]) {
      server.close();
      server.closeAllConnections();
    }
  };
  return { address, elsewhere, requests, close };
}
