// The lab in WebKit, Safari's engine (WebKitGTK): it opens, says what it has, runs the smallest experiment with its sandbox, keeps it
// over a reload, and shares it.
import { expect, test } from '@playwright/test';
import { findWebkit } from '../scripts/tool/webkit.mjs';
import { decodeShare } from '../src/share/url.ts';
import { addressOf, tinySpec } from './lab-page.ts';
import { openWebkit } from './webkit-page.ts';

test('open, run, keep and share in WebKit', async ({ baseURL }) => {
  const webkit = findWebkit();
  test.skip(webkit === null, 'no WebKitGTK here: apt-get install webkit2gtk-driver xvfb');
  const page = await openWebkit(webkit!);
  try {
    await page.open(new URL(await addressOf(tinySpec('cpu')), baseURL).href);
    await page.press('Run');
    const rows = "return [...document.querySelectorAll('table tbody tr')].map((row) => row.innerText)";
    await expect
      .poll(() => page.evaluate<string[]>(rows), { timeout: 90_000 })
      .toEqual(expect.arrayContaining([expect.stringMatching(/^route[\s\S]*%/)]));

    // The clipboard, or the address bar where it is closed to the page: what would be sent is noted either way.
    await page.evaluate(
      `const write = navigator.clipboard.writeText.bind(navigator.clipboard);
       navigator.clipboard.writeText = (text) => { window.sent = text; return write(text); };`,
    );
    await page.press('Share');
    await page.see(/Link copied|the address bar now has the link/);
    const sent = await page.evaluate<string>('return window.sent');
    expect((await decodeShare(new URL(sent).hash)).runs).toHaveLength(1);

    await page.open(new URL('./?view=kept', baseURL).href);
    const kept = `return [...document.querySelectorAll('ul[aria-label="Kept experiments"] > li')].map((item) => item.innerText)`;
    await expect.poll(() => page.evaluate<string[]>(kept)).toEqual([expect.stringMatching(/route/)]);

    // One thread where there is no shared memory, and the reason beside it.
    await page.open(new URL('./?view=device', baseURL).href);
    const shares = await page.evaluate<boolean>("return typeof SharedArrayBuffer === 'function'");
    await page.see(shares ? /yes: threads can share memory/ : /one thread: the page is isolated, but the browser/);
  } finally {
    await page.close();
  }
});
