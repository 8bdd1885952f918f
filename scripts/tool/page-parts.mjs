// Helpers of the page's benches: they read the form and wait for what a run shows.

/** The page's estimate for the form's settings in seconds; the page shows it as `about 1 min 5 s in all`. */
export async function estimate(page) {
  const text = await page.locator('.run-plan', { hasText: 'in all' }).textContent({ timeout: 120_000 });
  const [, duration] = /about (.+) in all/.exec(text);
  const of = { s: 1, min: 60, h: 3600 };
  return [...duration.matchAll(/([\d.]+) (s|min|h)\b/g)].reduce((sum, [, n, unit]) => sum + Number(n) * of[unit], 0);
}

/** Waits for the first mark of a run on a chart; returns the time on the page's clock. */
export async function markShown(page) {
  const shown = await page.waitForFunction(
    () => document.querySelector('.line-markers *') !== null && performance.now(),
    null,
    { polling: 20, timeout: 120_000 },
  );
  return shown.jsonValue();
}

/** Waits for the result's table; returns the time on the page's clock. */
export async function tableShown(page) {
  const table = page.getByRole('region', { name: 'Result' }).getByRole('table').first();
  await table.waitFor({ timeout: 600_000 });
  return page.evaluate(() => performance.now());
}

/** Waits for the end of the run and its controls, which fill in after the table; returns the time on the page's clock. Call it after `tableShown`. */
export async function runOver(page) {
  const over = await page.waitForFunction(
    () => [...document.querySelectorAll('progress')].every((bar) => !bar.checkVisibility()) && performance.now(),
    null,
    { polling: 20, timeout: 600_000 },
  );
  return over.jsonValue();
}
