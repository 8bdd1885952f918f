// The built folder on third-party hosts, in a sub-path: one that sends no headers, one that reads `_headers`, and nginx. The lab has threads
// there and opens offline, its links open in another profile, and an update loses nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, expect, type Page, test } from '@playwright/test';
import { headersFile, listOf, nginxFile, workerOf } from '../scripts/tool/hosting-plugin.mjs';
import { BASE, fileHost, folderOf, type Host } from './file-host.ts';
import { addressOf, downloaded, keptRuns, ready, section, tinySpec, toView, waitForTable } from './lab-page.ts';

const SCRIPT = join(import.meta.dirname, '..', 'public', 'service-worker.js');
const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path));

/** Starts nginx with the configuration that the build writes. */
async function nginxHost(root: string, program: string): Promise<Host> {
  const own = await mkdtemp(join(tmpdir(), 'lab-nginx-'));
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${own}/${name};`);
  await writeFile(
    join(own, 'nginx.conf'),
    `daemon off; pid ${own}/pid; error_log ${own}/error.log; ${process.getuid?.() === 0 ? 'user root;' : ''}
     events {}
     http {
       include /etc/nginx/mime.types; access_log off; ${temps.join(' ')}
       server { listen 127.0.0.1:${port}; root ${root}; include ${join(root, BASE, 'nginx.conf')}; }
     }`,
  );
  const child: ChildProcess = spawn(program, ['-c', join(own, 'nginx.conf')], { stdio: 'inherit' });
  const address = `http://127.0.0.1:${port}${BASE}`;
  await expect
    .poll(() =>
      fetch(address).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  return {
    address,
    hold: () => () => {},
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGQUIT');
      await ended;
      await rm(own, { recursive: true });
    },
  };
}

/** Uploads another version of the lab, whose page and one script differ. */
async function publish(root: string, mark: string): Promise<void> {
  const folder = join(root, BASE);
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const [entry] = /assets\/index-[\w-]+\.js/.exec(page)!;
  const renamed = entry.replace('.js', `${mark}.js`);
  await writeFile(join(folder, renamed), await readFile(join(folder, entry)));
  await writeFile(
    join(folder, 'index.html'),
    page.replace(entry, renamed).replace('</title>', `</title><meta name="mark" content="${mark}">`),
  );
  // The host deletes the old version's files; the scripts of views have other names in the new one.
  const views = (await readdir(join(folder, 'assets'))).filter((name) => /^(Kept|SweepsView|ProbeView)-/.test(name));
  expect(views.length).toBeGreaterThan(0);
  for (const name of [entry.slice(7), ...views]) await rm(join(folder, 'assets', name), { force: true });
  for (const name of views) await writeFile(join(folder, 'assets', name.replace('.', `${mark}.`)), 'export {}');
  await writeFile(join(folder, 'service-worker.js'), workerOf(await readFile(SCRIPT, 'utf8'), listOf(folder)));
}

const threads = (page: Page) => page.evaluate(() => crossOriginIsolated && typeof SharedArrayBuffer === 'function');
const versions = (page: Page) => page.evaluate(async () => (await caches.keys()).length);
const markOf = (page: Page) =>
  page.evaluate(() => document.querySelector('meta[name=mark]')?.getAttribute('content') ?? null);

/** Waits until the service worker has cached the lab and controls this page. */
async function kept(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    return registration.active?.state;
  });
  await page.reload();
  await ready(page);
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
}

async function profile(browser: Browser): Promise<Page> {
  return (await browser.newContext()).newPage();
}

test('a host without headers: threads, a run, its link in another profile, and offline', async ({
  page,
  browser,
  context,
}) => {
  const root = await folderOf();
  const host = await fileHost(root);
  try {
    await page.goto(host.address);
    await ready(page);
    expect(await threads(page)).toBe(false);
    await kept(page);
    expect(await threads(page)).toBe(true);
    await page.goto(new URL(await addressOf(tinySpec('cpu')), host.address).href);
    await ready(page);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await waitForTable(page);
    const { runs } = await downloaded(page);

    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Share' }).first().click();
    await expect(page.getByText(/^Link copied/)).toBeVisible();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link.startsWith(host.address)).toBe(true);
    const other = await profile(browser);
    await other.goto(link);
    await expect(section(other, 'Shared run')).toContainText('shared, not run here');
    await other.context().close();

    // Without the host the lab opens, still has its run, and trains another one to the same bytes.
    await host.close();
    await page.reload();
    await ready(page);
    expect(await threads(page)).toBe(true);
    await toView(page, 'kept');
    await expect(keptRuns(page)).toHaveCount(1);
    await page.goto(new URL(await addressOf(tinySpec('cpu')), host.address).href);
    await ready(page);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await waitForTable(page);
    expect((await downloaded(page)).runs.map(({ rows }) => rows)).toEqual(runs.map(({ rows }) => rows));
  } finally {
    await host.close().catch(() => {});
    await rm(root, { recursive: true });
  }
});

test('a run that an update interrupts ends in its own version, and a killed page loses nothing', async ({
  context,
}) => {
  const root = await folderOf();
  const host = await fileHost(root);
  const spec = tinySpec('cpu');
  spec.overrides = { ...spec.overrides, steps: 40 };
  const address = new URL(await addressOf(spec), host.address).href;
  const resumed = async (page: Page) => {
    const offer = page.getByRole('region', { name: 'Interrupted run' });
    await expect(offer).toContainText(/at step \d+ of 40/);
    return offer;
  };
  try {
    let page = await context.newPage();
    await page.goto(host.address);
    await ready(page);
    await kept(page);
    await page.goto(address);
    await page.reload();
    await ready(page);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(section(page, 'Watch')).toContainText(/step \d+/i);

    // The page is killed while the new version is being uploaded.
    await publish(root, 'two');
    const release = host.hold(/models\/tiny-coder\/model/);
    await page.evaluate(async () => void (await navigator.serviceWorker.getRegistration())?.update());
    await page.close();
    release();
    page = await context.newPage();
    await page.goto(host.address);
    await ready(page);
    expect(await markOf(page)).toBeNull();
    await (await resumed(page)).getByRole('button', { name: 'Resume' }).click();

    // The new version waits while the run trains, and views of the running version open though the host no longer has them.
    await page.evaluate(async () => void (await navigator.serviceWorker.getRegistration())?.update());
    await expect
      .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting !== null))
      .toBe(true);
    expect(await versions(page)).toBe(2);
    await toView(page, 'probe');
    await expect(page.locator('main h2').first()).toBeVisible();
    await toView(page, 'lab');
    expect(await page.getByRole('button', { name: 'Reload' }).count()).toBe(0);

    // The page is killed while the new version waits. No page of the old version is left, so the next one opens in the new version, which still
    // has the run.
    await page.close();
    page = await context.newPage();
    // The browser activates the new version a moment after the last page is gone.
    await expect(async () => {
      await page.goto('about:blank');
      await page.waitForTimeout(500);
      await page.goto(host.address);
      expect(await markOf(page)).toBe('two');
    }).toPass({ timeout: 60_000 });
    await ready(page);
    expect(await versions(page)).toBe(1);
    await resumed(page);

    // A further version arrives while two pages are open: both stay in their version.
    const second = await context.newPage();
    await second.goto(host.address);
    await ready(second);
    await publish(root, 'three');
    await page.evaluate(async () => void (await navigator.serviceWorker.getRegistration())?.update());
    const notice = page.locator('.notice').filter({ hasText: 'A new version of the lab is here.' });
    await notice.getByRole('button', { name: 'Reload' }).click();
    await expect(page.getByText('The lab is open in 1 other tab.')).toBeVisible();
    await second.close();
    await page.locator('.notice').filter({ hasText: 'other tab' }).getByRole('button', { name: 'Reload' }).click();

    // The next version has the run, and trains it to the end.
    await expect.poll(() => markOf(page).catch(() => null)).toBe('three');
    await ready(page);
    expect(await versions(page)).toBe(1);
    await (await resumed(page)).getByRole('button', { name: 'Resume' }).click();
    await waitForTable(page);
    const { runs } = await downloaded(page);
    expect(runs[0].rows).toHaveLength(40);
  } finally {
    await host.close();
    await rm(root, { recursive: true });
  }
});

for (const kind of ['_headers', 'nginx'] as const)
  test(`a host with the build’s own headers: ${kind}`, async ({ page }) => {
    test.skip(kind === 'nginx' && !NGINX, 'nginx is not installed here');
    const root = await folderOf();
    await writeFile(join(root, BASE, '_headers'), headersFile(BASE));
    await writeFile(join(root, BASE, 'nginx.conf'), nginxFile(BASE));
    const host = kind === 'nginx' ? await nginxHost(root, NGINX!) : await fileHost(root, true);
    const found: string[] = [];
    page.on('console', (message) => {
      if (/Content.Security.Policy|Cross-Origin|ERR_BLOCKED/i.test(message.text())) found.push(message.text());
    });
    try {
      // With headers the first visit has threads, the page states its policy, and the host refuses frames around it.
      await page.goto(new URL(await addressOf(tinySpec('cpu')), host.address).href);
      await ready(page);
      expect(await threads(page)).toBe(true);
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await waitForTable(page);
      const { headers } = await fetch(host.address);
      expect(headers.get('content-security-policy')).toContain('frame-ancestors');
      expect((await fetch(new URL('service-worker.js', host.address))).headers.get('cache-control')).toBe('no-cache');
      expect((await fetch(new URL('embed.html', host.address))).headers.get('x-frame-options')).toBeNull();
      expect(found).toEqual([]);
    } finally {
      await host.close();
      await rm(root, { recursive: true });
    }
  });
