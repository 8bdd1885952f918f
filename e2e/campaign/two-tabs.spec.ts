// Resumes one kept run from two tabs at the same moment: one trains, the other reports that, and in the end the kept run equals one that was
// trained in a single tab.
import { expect, type Page, test } from '@playwright/test';
import { parseExperimentSpec } from '../../src/experiments/config/spec.ts';
import { addressOf, downloaded, keptRuns, ready, toView, waitForTable } from '../lab-page.ts';
import { computed, note } from './faults.ts';

/** Enough steps that the second tab's click comes while the first still trains. */
const STEPS = 60;
const overrides = {
  steps: STEPS,
  promptsPerStep: 2,
  maxNew: 16,
  problems: 8,
  evalEvery: 0,
  finalEvalProblems: 4,
  checkpointEvery: 1,
  pairs: 4,
  k: 1,
};
const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41], device: 'cpu', overrides });
const ROUNDS = 4;

async function begin(page: Page): Promise<void> {
  await page.goto(await addressOf(spec));
  await ready(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
}
const resumeIn = (page: Page) =>
  keptRuns(page)
    .first()
    .getByRole('button', { name: /^Resume/ });

test('two tabs resume one run', async ({ browser }) => {
  test.setTimeout(900_000);
  const alone = await browser.newContext();
  const first = await alone.newPage();
  await begin(first);
  await waitForTable(first);
  const expected = computed((await downloaded(first)).runs);
  await alone.close();

  for (let round = 0; round < ROUNDS; round++) {
    const context = await browser.newContext();
    const a = await context.newPage();
    await begin(a);
    await expect(a.getByText(new RegExp(`step \\d+ of ${STEPS}`)).first()).toBeVisible({ timeout: 120_000 });
    await a.getByRole('button', { name: 'Stop' }).click();
    const b = await context.newPage();
    await b.goto('./');
    for (const page of [a, b]) {
      await ready(page);
      await toView(page, 'kept');
      await expect(resumeIn(page)).toBeEnabled();
    }
    await Promise.all([a, b].map((page) => resumeIn(page).click()));
    const refusalIn = (page: Page) => page.getByText(/is running in another tab/).first();
    await expect(refusalIn(a).or(a.getByRole('table')).first()).toBeVisible({ timeout: 120_000 });
    const refused = [await refusalIn(a).isVisible(), false];
    if (!refused[0]) {
      await expect(refusalIn(b)).toBeVisible({ timeout: 120_000 });
      refused[1] = true;
    }
    const winner = refused[0] ? b : a;
    const loser = refused[0] ? a : b;
    await waitForTable(winner);
    const equal = computed((await downloaded(winner)).runs) === expected;
    // The other tab must not show the run as waiting, and once reloaded it must show the finished run.
    await toView(loser, 'kept');
    await expect(keptRuns(loser).first()).not.toContainText(/waiting/);
    await loser.reload();
    await expect(keptRuns(loser).first()).toContainText('done');
    note('tabs', { round, refused: refused.filter(Boolean).length, equal });
    expect(equal).toBe(true);
    await context.close();
  }
});
