// What the page's benches read off the form and wait for.

/** Seconds that the page says the form's settings take: `about 1 min 5 s in all`. */
export async function estimate(page) {
  const text = await page.locator('.run-plan', { hasText: 'in all' }).textContent({ timeout: 120_000 });
  const [, said] = /about (.+) in all/.exec(text);
  const of = { s: 1, min: 60, h: 3600 };
  return [...said.matchAll(/([\d.]+) (s|min|h)\b/g)].reduce((sum, [, n, unit]) => sum + Number(n) * of[unit], 0);
}

/** When the first mark of a run is on a chart, on the page's clock. */
export async function markShown(page) {
  const shown = await page.waitForFunction(
    () => document.querySelector('.line-markers *') !== null && performance.now(),
    null,
    { polling: 20, timeout: 120_000 },
  );
  return shown.jsonValue();
}

/** When the result's table is shown, on the page's clock. */
export async function tableShown(page) {
  const table = page.getByRole('region', { name: 'Result' }).getByRole('table').first();
  await table.waitFor({ timeout: 600_000 });
  return page.evaluate(() => performance.now());
}

/** When the shown run is over, controls included (they fill in after the table), on the page's clock. Call it after `tableShown`. */
export async function runOver(page) {
  const over = await page.waitForFunction(
    () => [...document.querySelectorAll('progress')].every((bar) => !bar.checkVisibility()) && performance.now(),
    null,
    { polling: 20, timeout: 600_000 },
  );
  return over.jsonValue();
}
