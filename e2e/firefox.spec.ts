// The lab in Firefox: it opens, runs the smallest experiment with its sandbox, keeps it over a reload, and shares it.
import { test } from '@playwright/test';
import { findFirefox } from '../scripts/tool/engines.mjs';
import { runShareKeep } from './driven-page.ts';
import { openFirefox } from './firefox-page.ts';

test('open, run, keep and share in Firefox', async ({ baseURL }) => {
  const firefox = findFirefox();
  test.skip(firefox === null, 'no Firefox here: apt-get install firefox-esr');
  const page = await openFirefox(firefox!);
  try {
    await runShareKeep(page, baseURL!);
    await page.open(new URL('./?view=device', baseURL).href);
    await page.see(/yes: threads can share memory/);
  } finally {
    await page.close();
  }
});
