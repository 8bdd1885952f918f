// Helpers shared by the journeys: they open the page, and find its parts by the names that a person sees.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect, type Locator, type Page } from '@playwright/test';
import type { AxeResults, RunOptions } from 'axe-core';
import { type ExperimentSpec, parseExperimentSpec } from '../src/experiments/config/spec.ts';
import type { RunRecord, TableRow } from '../src/experiments/records/events.ts';
import { encodeSpec } from '../src/share/spec-link.ts';
import { bytesSource, SafetensorsFile } from '../src/storage/safetensors.ts';
import { type TensorToWrite, writeSafetensors } from '../src/storage/safetensors-write.ts';
import { SECTIONS, tabsOf, type View, viewInfo } from '../src/ui/parts/views.ts';

/** The smallest complete experiment: two steps of route with one evaluation during training. */
export function tinySpec(device: ExperimentSpec['device']): ExperimentSpec {
  const overrides = { steps: 2, evalProblems: 5, finalEvalProblems: 5, pairs: 8, k: 2 };
  return parseExperimentSpec({ preset: 'smoke', arms: ['route'], seeds: [41], overrides, device });
}

export async function addressOf(spec: ExperimentSpec): Promise<string> {
  return `./#${await encodeSpec(spec)}`;
}

/** Waits until the worker has the device, the model and the grader. */
export async function ready(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeEnabled();
  // Run can be pressed earlier, but the foot names the model only once it is loaded.
  await expect(page.getByText(/^Everything runs in this tab.*Student: /)).toBeVisible({ timeout: 180_000 });
}

/** From the next visit on the worker never answers, for journeys that need no model, device or grader. */
export async function withoutWorker(page: Page): Promise<void> {
  await page.addInitScript(() => {
    class Silent extends EventTarget {
      postMessage(): void {}
      terminate(): void {}
    }
    window.Worker = Silent as unknown as typeof Worker;
  });
}

/** Returns the sheet of all settings, and opens it if it is closed. */
export async function allSettings(page: Page): Promise<Locator> {
  const sheet = page.getByRole('dialog', { name: 'All settings', exact: true });
  if (!(await sheet.isVisible())) await page.getByRole('button', { name: 'All settings', exact: true }).click();
  await expect(sheet).toBeVisible();
  return sheet;
}

export async function closeSettings(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Done', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'All settings', exact: true })).toBeHidden();
}

/** Expects a setting's value in the sheet, and closes the sheet again. */
export async function expectSetting(page: Page, label: string, value: string): Promise<void> {
  const sheet = await allSettings(page);
  await expect(sheet.getByLabel(label, { exact: true })).toHaveValue(value);
  await closeSettings(page);
}

export async function choosePreset(page: Page, preset: string): Promise<void> {
  const sheet = await allSettings(page);
  await sheet.getByLabel('Preset').selectOption(preset);
  await closeSettings(page);
}

/** Opens the form, which folds to a line during a run. */
export async function openForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Change', exact: true }).click();
}

declare global {
  interface Window {
    axe: { run(context: Document, options: RunOptions): Promise<AxeResults> };
  }
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Defines `window.axe` by evaluation, since the page's policy forbids added script elements. */
export async function addAxe(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await readFile(AXE, 'utf8'));
}

/** Opens a view by the navigation, and by its tab if its section has several. */
export async function toView(page: Page, view: View): Promise<void> {
  const { section: own, label, within } = viewInfo(view);
  if (view === 'device') {
    await page.getByRole('button', { name: /^Device: / }).click();
    await page.getByRole('button', { name: 'Device page' }).click();
    return;
  }
  if (within) {
    await toView(page, within);
    if (view === 'probe') await page.getByRole('link', { name: 'Test this basis' }).click();
    return;
  }
  const isOf = SECTIONS.find(({ id }) => id === own)!;
  const link = (nav: string, name: string) =>
    page.getByRole('navigation', { name: nav, exact: true }).getByRole('link', { name, exact: true });
  await link('Views', isOf.label).click();
  if (tabsOf(own).length > 1) await link(isOf.label, label).click();
}

export const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
export const keptRuns = (page: Page) => page.getByRole('table', { name: 'Kept experiments' }).locator('tbody');

/** Waits for the run's table; if the experiment fails, throws the page's own error. */
export async function waitForTable(page: Page): Promise<void> {
  // The list of kept runs is a table too; and a busy table still lacks the controls, which come after the arms.
  const table = page.locator('table:not(.kept-table, [aria-busy="true"] *)');
  const failure = page.getByRole('alert');
  await expect(table.or(failure).first()).toBeVisible({ timeout: 240_000 });
  if (await failure.first().isVisible()) throw new Error((await failure.first().textContent()) ?? '');
}

/** Returns the contents of the page's JSON download. */
export async function downloaded(page: Page): Promise<{ runs: RunRecord[]; table: TableRow[] }> {
  const arriving = page.waitForEvent('download');
  await section(page, 'Result').getByRole('button', { name: 'JSON' }).click();
  return JSON.parse(await readFile(await (await arriving).path(), 'utf8'));
}

/** Drops a file on the page with the browser's own drag events. */
export async function dropFile(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const base64 = Buffer.from(bytes).toString('base64');
  await page.evaluate(
    ({ name, base64 }) => {
      const content = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], name));
      for (const type of ['dragenter', 'dragover', 'drop']) {
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }
    },
    { name, base64 },
  );
}

export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  // Charts follow a window's new width a frame or two later.
  const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await expect.poll(beyond, { message: 'pixels beside the window', timeout: 15_000 }).toBeLessThanOrEqual(0);
}

/** Expects, wide and narrow, light and dark, that nothing overflows the window and axe finds nothing. Restores the usual size and colours. */
export async function expectEveryLook(page: Page): Promise<void> {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ]) {
    await page.setViewportSize({ width, height });
    await expectNoSidewaysScroll(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      // Motion is off, so that no colour is checked in the middle of a transition.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await addAxe(page);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      const found = violations.map(({ id, nodes }) => `${width}, ${colorScheme}: ${id} at ${nodes[0].target}`);
      expect(found).toEqual([]);
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: null });
  await page.setViewportSize({ width: 1280, height: 900 });
}

const K = 3;

/**
 * Makes a basis file for the embedded model: the first K unit vectors, times `length`, for the first `modules` modules. `wider` adds to r, which
 * then does not fit the model.
 */
export async function unitBasis(page: Page, { wider = 0, length = 1, modules = 28 } = {}): Promise<Uint8Array> {
  const weights = await (await page.request.get('./models/tiny-coder/model.safetensors')).body();
  const model = await SafetensorsFile.open(bytesSource(weights), 'model');
  const tensors = new Map<string, TensorToWrite>();
  for (const [name, { shape }] of model.tensors) {
    const module = /^(.*_proj)\.weight$/.exec(name)?.[1];
    if (!module || tensors.size === 2 * modules) continue;
    const r = Math.min(...shape) + wider;
    const V = Float32Array.from({ length: K * r }, (_, i) => (i % r === Math.floor(i / r) ? length : 0));
    tensors.set(`V/${module}`, { dtype: 'F32', shape: [K, r], data: V });
    tensors.set(`S/${module}`, { dtype: 'F32', shape: [K], data: Float32Array.from([3, 2, 1]) });
  }
  expect(tensors.size).toBe(2 * modules);
  return writeSafetensors(tensors, {});
}
