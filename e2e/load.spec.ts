// Measures the cost of opening the page: bytes, which are the same everywhere and are limited, and time, which depends on the machine and is only
// printed.
import { gzipSync } from 'node:zlib';
import { expect, type Response, test } from '@playwright/test';
import { ready } from './lab-page.ts';

declare global {
  interface Window {
    /** Times in ms since the navigation began; `clicked` and `reacted` are those of a click on Run and its effect. */
    opened?: { painted: number; shown: number; usable: number | null; clicked: number; reacted: number | null };
  }
}

/** Limit on the first load, compressed and without the model; the two typefaces are 38 kB of it. */
const MAX_BYTES = 642_000;

// Tracing would take most of the measured time.
test.use({ trace: 'off' });

test('the first load is small, and Run can be pressed soon', async ({ page }) => {
  const arriving: Response[] = [];
  // Only the context sees a worker's requests (the model, the interpreter).
  page.context().on('response', (response) => {
    if (response.url().startsWith('http') && response.status() === 200) arriving.push(response);
  });
  await page.addInitScript(() => {
    const opened: NonNullable<Window['opened']> = { painted: 0, shown: 0, usable: null, clicked: 0, reacted: null };
    window.opened = opened;
    const named = (name: string) =>
      [...document.querySelectorAll('button')].find(
        (button) => button.textContent?.trim() === name && !button.disabled,
      );
    const look = () => {
      if (opened.painted === 0 && document.querySelector('form.configure')) opened.painted = performance.now();
      if (opened.shown === 0 && document.querySelector('.published .line')) opened.shown = performance.now();
      if (opened.usable === null && named('Run')) opened.usable = performance.now();
      if (opened.reacted === null && named('Pause')) opened.reacted = performance.now();
    };
    new MutationObserver(look).observe(document, {
      childList: true,
      subtree: true,
      attributes: true,
      characterData: true,
    });
  });
  await page.goto('./');
  await ready(page);
  // The load is over when no response has arrived for a second.
  for (let seen = -1; seen !== arriving.length; ) {
    seen = arriving.length;
    await page.waitForTimeout(1000);
  }
  // Bodies are read only now, so that reading does not delay the measured load.
  const files = await Promise.all(
    arriving.map(async (response) => {
      // The body of a worker's response is gone once that worker has ended, so it is fetched again.
      const body = await response.body().catch(async () => (await page.request.get(response.url())).body());
      return { path: new URL(response.url()).pathname, bytes: body.length, packed: gzipSync(body).length };
    }),
  );
  const own = files.filter(({ path }) => !path.includes('/models/'));
  const total = own.reduce((sum, { packed }) => sum + packed, 0);
  const model = files.filter(({ path }) => path.includes('/models/'));

  await page.evaluate(() => {
    const run = [...document.querySelectorAll('button')].find((button) => button.textContent?.trim() === 'Run');
    window.opened!.clicked = performance.now();
    run?.click();
  });
  await expect(page.getByRole('button', { name: 'Pause' })).toBeEnabled();
  const { painted, shown, usable, clicked, reacted } = (await page.evaluate(() => window.opened))!;
  await page.getByRole('button', { name: 'Stop' }).click();

  const kilo = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;
  console.log(
    `first load: ${own.length} files, ${kilo(total)} compressed; model ${kilo(model.reduce((sum, { bytes }) => sum + bytes, 0))}`,
  );
  console.log(
    own
      .sort((a, b) => b.packed - a.packed)
      .map(({ path, packed }) => `  ${path.split('/').at(-1) || 'index.html'} ${kilo(packed)}`)
      .join('\n'),
  );
  console.log(
    `form after ${painted.toFixed(0)} ms, a finished run on the screen after ${shown.toFixed(0)} ms, Run enabled after ${usable?.toFixed(0)} ms, answers a click in ${((reacted ?? Number.NaN) - clicked).toFixed(0)} ms`,
  );
  expect(own.map(({ path }) => path.split('/').at(-1))).toContainEqual(expect.stringMatching(/^worker-.*\.js$/));
  expect(own.map(({ path }) => path.split('/').at(-1))).toContainEqual(expect.stringMatching(/\.wasm$/));
  expect(own.map(({ path }) => path).join()).not.toMatch(/onnx|ort-|pyodide|CartesianChart|isolation/i);
  expect(total).toBeLessThan(MAX_BYTES);
});

test('the engine’s example takes its step in a page of its own', async ({ page }) => {
  await page.goto('./examples/engine.html');
  // The page shows eight answers, each after its reward.
  await expect(page.locator('#out')).toHaveText(/^([01] {2}[\s\S]*?boxed[\s\S]*?){8}$/, { timeout: 60_000 });
  expect(JSON.parse((await page.locator('#out').getAttribute('data-after')) ?? '[]')).toHaveLength(8);
});
