// A page that is driven by WebDriver's commands, and the journeys that all other engines share; webkit-page.ts and firefox-page.ts transport the
// commands. Playwright cannot be used, since it drives only its own builds of these engines.
import { rm } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { decodeShare } from '../src/share/url.ts';
import { fileHost, folderOf } from './file-host.ts';
import { addressOf, tinySpec } from './lab-page.ts';

/** The key under which WebDriver returns an element. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** The commands that a browser must support. */
export interface Driver {
  /** Runs a function body in the page, and resolves with its result. */
  execute(script: string, args: unknown[]): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
  click(element: string): Promise<unknown>;
  /** Runs a function body in the page's first frame. */
  inFrame?(script: string, args: unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

export interface DrivenPage {
  open(url: string): Promise<void>;
  /** Runs a function body in the page, and resolves with its result. */
  evaluate<Result>(body: string, ...args: unknown[]): Promise<Result>;
  /** Waits for the button, and presses it as a person would. */
  press(button: string): Promise<void>;
  /** Waits until the page shows a text; fails with the error that the page shows. */
  see(text: RegExp, timeout?: number): Promise<void>;
  /** Runs a function body in the page's first frame, if the driver can. */
  inFrame<Result>(body: string, ...args: unknown[]): Promise<Result>;
  close(): Promise<void>;
}

export function drivenPage(driver: Driver): DrivenPage {
  const evaluate = async <Result>(body: string, ...args: unknown[]) => (await driver.execute(body, args)) as Result;
  return {
    evaluate,
    async inFrame<Result>(body: string, ...args: unknown[]) {
      if (!driver.inFrame) throw new Error('This driver enters no frame.');
      return (await driver.inFrame(body, args)) as Result;
    },
    async open(url) {
      await driver.navigate(url);
    },
    /** The button is scrolled into view first, since WebKitGTK's driver presses nothing that it would have to scroll to. */
    async press(name) {
      const find = () =>
        evaluate<Record<string, string> | null>(
          `const found = [...document.querySelectorAll('button')].find((button) => [button.textContent.trim(), button.ariaLabel].includes(arguments[0]) && !button.disabled);
           found?.scrollIntoView({ block: 'nearest' });
           return found ?? null`,
          name,
        );
      await expect.poll(find, { message: `the button ${name}` }).not.toBeNull();
      await driver.click((await find())![ELEMENT]);
    },
    async see(text, timeout) {
      const shown = () =>
        evaluate<{ alert: string | null; text: string }>(
          `return { alert: document.querySelector('[role=alert]')?.innerText ?? null, text: document.body.innerText }`,
        );
      const isSeen = async () => {
        const { alert, text: all } = await shown();
        return alert ?? (text.test(all) ? 'seen' : 'not yet');
      };
      await expect.poll(async () => (await isSeen()) !== 'not yet', { message: String(text), timeout }).toBe(true);
      expect(await isSeen()).toBe('seen');
    },
    close: () => driver.close(),
  };
}

/**
 * Opens the lab, runs the smallest experiment, shares it, finds it again after a reload, and opens the link. *Run* can be pressed only once the
 * grader's self-check in the sandbox was exact: honest programs passed, and every kind of hack was recognised.
 */
export async function runShareKeep(page: DrivenPage, baseURL: string): Promise<void> {
  await page.open(new URL(await addressOf(tinySpec('cpu')), baseURL).href);
  await page.press('Run');
  const rows = "return [...document.querySelectorAll('table tbody tr')].map((row) => row.innerText)";
  await expect
    .poll(() => page.evaluate<string[]>(rows), { timeout: 90_000 })
    .toEqual(expect.arrayContaining([expect.stringMatching(/^route[\s\S]*%/)]));

  // The link goes to the clipboard, or to the address bar if the page may not write the clipboard; both are recorded here.
  await page.evaluate(
    `const write = navigator.clipboard.writeText.bind(navigator.clipboard);
     navigator.clipboard.writeText = (text) => { window.sent = text; return write(text); };`,
  );
  await page.press('Share');
  await page.see(/Link copied|the address bar now has the link/);
  const sent = await page.evaluate<string>('return window.sent');
  expect((await decodeShare(new URL(sent).hash)).runs).toHaveLength(1);

  await page.open(new URL('./?view=kept', baseURL).href);
  const kept = `return [...document.querySelectorAll('table[aria-label="Kept experiments"] > tbody')].map((row) => row.innerText)`;
  await expect.poll(() => page.evaluate<string[]>(kept)).toEqual([expect.stringMatching(/route/)]);

  // Somebody else opens the link: it shows the results without running anything.
  await page.open(sent);
  await page.see(/shared, not run here/);
}

/** Opens the lab on a host without headers: from the second load on it is isolated, and it opens when the host is gone. */
export async function openOffline(page: DrivenPage): Promise<void> {
  const root = await folderOf();
  const host = await fileHost(root);
  const student = /Everything runs in this tab[\s\S]*Student: /;
  try {
    await page.open(host.address);
    await page.see(student, 180_000);
    const active = 'return navigator.serviceWorker.getRegistration().then((found) => found?.active?.state ?? null)';
    await expect.poll(() => page.evaluate<string | null>(active), { timeout: 120_000 }).toBe('activated');
    await page.open(`${host.address}?view=device`);
    await page.see(student, 180_000);
    expect(await page.evaluate('return crossOriginIsolated')).toBe(true);
    await host.close();
    await page.open(host.address);
    await page.see(student, 180_000);
  } finally {
    await host.close().catch(() => {});
    await rm(root, { recursive: true });
  }
}
