// While an experiment runs, the screen stays on if the browser supports that, and a hidden tab continues training.
import { expect, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { addressOf, ready, waitForTable } from './lab-page.ts';

declare global {
  interface Window {
    /** The page's requests to the wake lock, in order. */
    wake: string[];
    /** Releases the lock, as a browser does when the tab is hidden. */
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

test('the screen is kept awake during a run, again after the tab was hidden, and not after the run', async ({
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
        window.wake.push(`${kind} requested while ${document.visibilityState}`);
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
  const requested = 'screen requested while visible';
  await page.goto(await addressOf(spec));
  await ready(page);
  expect(await wake()).toEqual([]);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(wake).toEqual([requested]);
  // The event is sent directly, since the run is short and a click would wait for the page to be stable.
  await page.getByRole('button', { name: 'Pause' }).dispatchEvent('click');
  await page.evaluate(() => window.hide(true));
  await expect.poll(wake).toEqual([requested, 'released']);
  await page.evaluate(() => window.hide(false));
  await expect.poll(wake).toEqual([requested, 'released', requested]);
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await waitForTable(page);
  await expect.poll(wake).toEqual([requested, 'released', requested, 'released']);
});

test('a hidden tab trains to the end', async ({ page, context }) => {
  await page.goto(await addressOf(spec));
  await ready(page);
  const protocol = await context.newCDPSession(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Pause' })).toBeEnabled();
  // Another tab is in front, and this one is told that it is hidden and has lost the focus.
  const front = await context.newPage();
  await front.goto('about:blank');
  await front.bringToFront();
  await protocol.send('Emulation.setFocusEmulationEnabled', { enabled: false });
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange'));
    // A hidden tab gets no animation frames, so nothing may wait for one.
    window.requestAnimationFrame = () => 0;
  });
  await waitForTable(page);
  expect(await page.evaluate(() => document.visibilityState)).toBe('hidden');
});
