// An experiment on the WebGPU device runs to its table and is kept over a reload, and both kinds of CPU give the same first step.
import { expect, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import type { StepRow } from '../src/experiments/records/events.ts';
import {
  addressOf,
  allSettings,
  closeSettings,
  downloaded,
  expectNoSidewaysScroll,
  expectSetting,
  keptRuns,
  openForm,
  ready,
  section,
  tinySpec,
  toView,
  waitForTable,
} from './lab-page.ts';

const tiny = tinySpec('webgpu');
/** Rollouts are few and short, since a software adapter is much slower than the CPU. */
const spec = parseExperimentSpec({
  ...tiny,
  overrides: { ...tiny.overrides, maxNew: 32, evalProblems: 2, finalEvalProblems: 2, problems: 8, pairs: 4 },
});

test('two steps of route on WebGPU, and the same first step on both kinds of CPU', async ({ page }) => {
  test.setTimeout(900_000);
  await page.goto(await addressOf(spec));
  await expectSetting(page, 'Steps', '2');
  await ready(page);
  await expect(page.getByText('Device: WebGPU')).toBeVisible();

  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeEnabled();

  // Every chart has a point after the first step and a line after the second.
  const chart = page.getByTestId('chart-reward');
  await expect(chart.locator('.gutter b').first()).toHaveText(/\d/, { timeout: 240_000 });
  await expect(chart.locator('path.recharts-line-curve').last()).toHaveAttribute('d', /^M.+L/, { timeout: 240_000 });

  await waitForTable(page);
  const table = page.getByRole('table');
  await expect(table.getByRole('rowheader', { name: /base/ }).first()).toBeVisible();
  await expect(table.getByRole('rowheader', { name: /route/ }).first()).toBeVisible();
  const rollouts = section(page, 'Rollouts');
  await expect(rollouts.getByText('student').first()).toBeVisible();
  await expect(rollouts.locator('mark').first()).toBeVisible();
  const onGpu = await downloaded(page);
  expect(onGpu.runs[0].device).not.toContain('CPU');

  await page.reload();
  await ready(page);
  await toView(page, 'kept');
  await expect(keptRuns(page)).toHaveCount(1);
  await keptRuns(page).first().getByRole('button', { name: /^Open/ }).click();
  await expect(page.getByRole('table')).toBeVisible();
  await expect(page.getByTestId('chart-hack')).toBeVisible();
  expect((await downloaded(page)).runs[0].rows).toEqual(onGpu.runs[0].rows);

  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 900 });

  for (const [name, device] of [
    ['CPU', 'CPU (WASM SIMD)'],
    ['CPU, fused', 'CPU (WASM SIMD, fused)'],
  ]) {
    await openForm(page);
    await (await allSettings(page)).getByRole('radio', { name, exact: true }).check();
    await closeSettings(page);
    await expect(page.getByText(`Device: ${device}`)).toBeVisible();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(page.getByRole('table')).toBeHidden();
    await waitForTable(page);
    const onCpu = await downloaded(page);
    expect(onCpu.runs[0].device).toBe(device);
    expectSameRow(onCpu.runs[0].rows[0], onGpu.runs[0].rows[0]);
  }
  await toView(page, 'kept');
  await expect(keptRuns(page)).toHaveCount(3);
});

/** Expects that all numbers of the two rows agree, however deeply nested. */
function expectSameRow(a: StepRow, b: StepRow): void {
  const numbers = (value: unknown, path: string): [string, unknown][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => numbers(inner, `${path}.${key}`))
      : [[path, value]];
  const expected = new Map(numbers(b, 'row'));
  const got = numbers(a, 'row');
  expect(got.map(([path]) => path).sort()).toEqual([...expected.keys()].sort());
  for (const [path, value] of got) {
    const other = expected.get(path);
    if (typeof value === 'number' && typeof other === 'number') {
      expect(Math.abs(value - other), `${path}: ${value} and ${other}`).toBeLessThanOrEqual(1e-3);
    } else expect(value, path).toBe(other);
  }
}
