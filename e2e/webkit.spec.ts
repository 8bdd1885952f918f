// The lab in WebKit, Safari's engine (WebKitGTK): it opens, lists its devices, runs the smallest experiment with its sandbox, keeps it over a
// reload, and shares it.
import { test } from '@playwright/test';
import { findWebkit } from '../scripts/tool/engines.mjs';
import { openOffline, runShareKeep } from './driven-page.ts';
import { openWebkit } from './webkit-page.ts';

test('open, run, keep and share in WebKit', async ({ baseURL }) => {
  const webkit = findWebkit();
  test.skip(webkit === null, 'no WebKitGTK here: apt-get install webkit2gtk-driver xvfb');
  const page = await openWebkit(webkit!);
  try {
    await runShareKeep(page, baseURL!);

    // A page that is left while it opens its stores must not lock them for the next one.
    for (const wait of [500, 650, 800, 500, 650, 800]) {
      await page.open(new URL('./', baseURL).href);
      await new Promise((resolve) => void setTimeout(resolve, wait));
    }

    // Without shared memory there is one thread, and the page gives the reason.
    await page.open(new URL('./?view=device', baseURL).href);
    const shares = await page.evaluate<boolean>("return typeof SharedArrayBuffer === 'function'");
    const threads = shares ? /yes: threads can share memory/ : /one thread: the page is isolated, but the browser/;
    await page.see(threads, 180_000);
  } finally {
    await page.close();
  }
});

test('a host without headers: isolated from the second load on, and offline, in WebKit', async () => {
  const webkit = findWebkit();
  test.skip(webkit === null, 'no WebKitGTK here: apt-get install webkit2gtk-driver xvfb');
  const page = await openWebkit(webkit!);
  try {
    await openOffline(page);
  } finally {
    await page.close();
  }
});
