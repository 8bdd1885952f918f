// Shared by the campaign's programs: it injects faults into the page's worker from outside, and writes the rows. The lab contains no code for
// this: the worker's script gets a prologue on its way from the server.
import { appendFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import type { RunRecord } from '../../src/experiments/records/events.ts';

declare global {
  interface Window {
    reached?: string;
  }
}

/** Writes one line for the campaign, which makes its tables of these. */
export function note(part: string, row: object): void {
  const file = process.env.CAMPAIGN_ROWS;
  if (file) appendFileSync(file, `${JSON.stringify({ part, ...row })}\n`);
}

/** Returns what a run computed as text, without its times. */
export const computed = (runs: RunRecord[]) => JSON.stringify(runs.map(({ rows, evals }) => ({ rows, evals })));

/**
 * Injects a fault when the worker reports that it has reached the phase of the step: the page is notified on a channel, and a moment later the
 * worker calls `fault`, the source of a function that gets the list of the worker's devices. This happens once in the life of the context.
 */
export async function faultAt(page: Page, phase: string, step: number, fault = '() => {}'): Promise<void> {
  await page.addInitScript(() => {
    new BroadcastChannel('campaign').onmessage = ({ data }) => {
      window.reached = data;
    };
  });
  let isArmed = true;
  await page.route(/\/assets\/worker-[^/]*\.js$/, async (route) => {
    const response = await route.fetch();
    const script = await response.text();
    const prologue = `{
      const devices = [];
      const adapter = globalThis.GPUAdapter?.prototype;
      const open = adapter?.requestDevice;
      if (open) adapter.requestDevice = async function (...args) {
        const device = await open.apply(this, args);
        devices.push(device);
        return device;
      };
      const send = self.postMessage;
      const says = ${JSON.stringify([`"phase":${JSON.stringify(phase)}`, `"step":${step}`])};
      let done = ${!isArmed};
      self.postMessage = function (message, ...rest) {
        const text = done ? '' : JSON.stringify(message);
        if (!done && says.every((part) => text.includes(part))) {
          done = true;
          new BroadcastChannel('campaign').postMessage(${JSON.stringify(phase)});
          setTimeout(() => (${fault})(devices), 1);
        }
        return send.call(this, message, ...rest);
      };
    }\n`;
    isArmed = false;
    await route.fulfill({ response, body: prologue + script });
  });
}

export async function reached(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => window.reached ?? null), { timeout: 240_000, intervals: [20] })
    .not.toBeNull();
}
