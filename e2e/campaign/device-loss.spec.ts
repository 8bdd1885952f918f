// Loses the device in each phase of a step, by `device.destroy()` and by killing the browser's GPU process: the run ends with a named error,
// and once resumed it gives the numbers of an undisturbed run. The worker is ended in each phase too: the page is opened anew, and the run
// resumed. Each device has one profile, so that the model is factored once.
import { type Browser, type BrowserContext, expect, type Page, test } from '@playwright/test';
import { parseExperimentSpec } from '../../src/experiments/config/spec.ts';
import { addressOf, downloaded, keptRuns, toView, waitForTable } from '../lab-page.ts';
import { computed, faultAt, note, reached } from './faults.ts';

const overrides = {
  steps: 2,
  promptsPerStep: 1,
  maxNew: 8,
  problems: 4,
  evalEvery: 1,
  evalProblems: 1,
  finalEvalProblems: 2,
  checkpointEvery: 1,
  pairs: 4,
  k: 1,
  modes: ['run_tests'],
  adapter: 'lora',
  loraRank: 2,
};
type Place = 'webgpu' | 'cpu';
const specOf = (device: Place) =>
  parseExperimentSpec({ preset: 'smoke', arms: ['erase'], seeds: [41], device, overrides });
const PHASES = ['rollout', 'grade', 'backward', 'update', 'evaluate'];
const PATIENCE = { timeout: 240_000 };
const HALF_AN_HOUR = 30 * 60_000;

/** Waits until the model is factored, which takes minutes on a software device under load. */
const loaded = (page: Page) => expect(page.getByRole('button', { name: 'Run', exact: true })).toBeEnabled(PATIENCE);

async function begin(page: Page, device: Place): Promise<void> {
  await page.goto(await addressOf(specOf(device)));
  await loaded(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
}

async function undisturbedIn(context: BrowserContext, device: Place): Promise<string> {
  const page = await context.newPage();
  await begin(page, device);
  await waitForTable(page);
  const rows = computed((await downloaded(page)).runs);
  await page.close();
  return rows;
}

/** Opens the page anew, resumes the run by its button, and returns its numbers. */
async function resumed(page: Page): Promise<string> {
  await page.reload();
  await loaded(page);
  await toView(page, 'kept');
  const resume = keptRuns(page)
    .first()
    .getByRole('button', { name: /^Resume/ });
  await resume.click();
  await waitForTable(page);
  return computed((await downloaded(page)).runs);
}

interface Fault {
  way: string;
  /** Source of a function that gets the worker's devices and runs inside the worker. */
  inside?: string;
  outside?(browser: Browser): Promise<unknown>;
}

async function everyPhase(browser: Browser, device: Place, fault: Fault): Promise<void> {
  const context = await browser.newContext();
  const expected = await undisturbedIn(context, device);
  for (const phase of PHASES) await onePhase(browser, context, device, phase, fault, expected);
  await context.close();
}

async function onePhase(
  browser: Browser,
  context: BrowserContext,
  device: Place,
  phase: string,
  { way, inside, outside }: Fault,
  expected: string,
): Promise<void> {
  const page = await context.newPage();
  await faultAt(page, phase, 2, inside);
  await begin(page, device);
  await reached(page);
  await outside?.(browser);
  const said = page
    .locator('.notices')
    .getByText(/WebGPU device/)
    .first();
  if (device === 'webgpu') await expect(said).toBeVisible(PATIENCE);
  else await page.waitForTimeout(1000);
  const words = device === 'webgpu' ? await said.textContent() : 'nothing; the page offers to resume';
  const equal = (await resumed(page)) === expected;
  note('loss', { way, phase, words, equal });
  expect(equal).toBe(true);
  await page.close();
}

test('device.destroy() in every phase', async ({ browser }) => {
  test.setTimeout(HALF_AN_HOUR);
  await everyPhase(browser, 'webgpu', { way: '`device.destroy()`', inside: '(devices) => devices.at(-1).destroy()' });
});

// Each phase has its own browser, since one whose GPU process has died a few times starts no further one.
let expected: string | null = null;
for (const phase of PHASES)
  test(`the GPU process killed in ${phase}`, async ({ browser }) => {
    test.setTimeout(HALF_AN_HOUR);
    expected ??= await undisturbedIn(await browser.newContext(), 'webgpu');
    const own = await browser.browserType().launch();
    const outside = async () => (await own.newBrowserCDPSession()).send('Browser.crashGpuProcess' as never);
    try {
      const fault = { way: 'the GPU process killed', outside };
      await onePhase(own, await own.newContext(), 'webgpu', phase, fault, expected);
    } finally {
      await own.close();
    }
  });

test('the worker ended in every phase', async ({ browser }) => {
  test.setTimeout(HALF_AN_HOUR);
  await everyPhase(browser, 'cpu', { way: 'the worker ended', inside: '() => self.close()' });
});
