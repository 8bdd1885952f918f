// While an experiment runs: the screen stays on where the browser can do that, and a tab behind another one goes on training.
import { expect, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { addressOf, ready, waitForTable } from './lab-page.ts';

declare global {
  interface Window {
    /** What the page asked of the wake lock, in order. */
    wake: string[];
    /** Takes the lock away, as a browser does when the tab is hidden. */
    takeLock(): void;
    hide(hidden: boolean): void;
  }
}

const spec = parseExperimentSpec({
  preset: 'smoke',
  arms: ['route'],
  seeds: [41],
  overrides: { steps: 12, evalEvery: 0, finalEvalProblems: 4, problems: 8, pairs: 8, k: 2 },
  device: 'cpu',
});

test('the screen is kept awake while a run is in work, again after the tab was hidden, and not afterwards', async ({
  page,
}) => {
  await page.addInitScript(() => {
    window.wake = [];
    let lock: (EventTarget & { release(): Promise<void> }) | null = null;
    const end = () => {
      if (!lock) return;
      const ended = lock;
      lock = null;
      window.wake.push('released');
      ended.dispatchEvent(new Event('release'));
    };
    window.takeLock = end;
    const wakeLock = {
      async request(kind: string) {
        window.wake.push(`${kind} asked for while ${document.visibilityState}`);
        lock = Object.assign(new EventTarget(), { release: async () => end() });
        return lock;
      },
    };
    Object.defineProperty(navigator, 'wakeLock', { configurable: true, value: wakeLock });
    window.hide = (hidden) => {
      const state = hidden ? 'hidden' : 'visible';
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
      if (hidden) end();
      document.dispatchEvent(new Event('visibilitychange'));
    };
  });
  const wake = () => page.evaluate(() => window.wake);
  const asked = 'screen asked for while visible';
  await page.goto(await addressOf(spec));
  await ready(page);
  expect(await wake()).toEqual([]);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(wake).toEqual([asked]);
  // At once, since the run is short; a click would wait for the page to be still.
  await page.getByRole('button', { name: 'Pause' }).dispatchEvent('click');
  await page.evaluate(() => window.hide(true));
  await expect.poll(wake).toEqual([asked, 'released']);
  await page.evaluate(() => window.hide(false));
  await expect.poll(wake).toEqual([asked, 'released', asked]);
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await waitForTable(page);
  await expect.poll(wake).toEqual([asked, 'released', asked, 'released']);
});

test('a hidden tab trains to the end', async ({ page, context }) => {
  await page.goto(await addressOf(spec));
  await ready(page);
  const protocol = await context.newCDPSession(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Pause' })).toBeEnabled();
  // Another tab in front, and this one told that it is no longer seen or focused.
  const front = await context.newPage();
  await front.goto('about:blank');
  await front.bringToFront();
  await protocol.send('Emulation.setFocusEmulationEnabled', { enabled: false });
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange'));
    // Nothing of the lab may wait for a frame: a hidden tab gets none.
    window.requestAnimationFrame = () => 0;
  });
  await waitForTable(page);
  expect(await page.evaluate(() => document.visibilityState)).toBe('hidden');
});
