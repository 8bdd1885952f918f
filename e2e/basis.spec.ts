// Hack bases: a dropped file is checked and set for the next run, and a broken one is refused with the reason; pairs are edited, kept and
// dropped; a basis is extracted from them, inspected, compared, and used by a run.
import { readFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import {
  addressOf,
  downloaded,
  dropFile,
  expectNoSidewaysScroll,
  ready,
  section,
  toView,
  unitBasis,
  waitForTable,
} from './lab-page.ts';

test('a good basis file is taken, and one of wrong rank, a truncated and a senseless one are refused', async ({
  page,
}) => {
  const good = await unitBasis(page);
  await page.goto('./');
  await ready(page);
  const bases = section(page, 'Hack bases');
  const form = page.getByRole('form', { name: 'Configure' });
  await toView(page, 'bases');

  await dropFile(
    page,
    'noise.safetensors',
    Uint8Array.from({ length: 999 }, (_, i) => (i * 37) % 256),
  );
  await expect(bases.getByRole('alert')).toContainText('noise.safetensors is not usable');
  await dropFile(page, 'cut.safetensors', good.slice(0, good.length - 100));
  await expect(bases.getByRole('alert')).toContainText('cut.safetensors is not usable');
  await dropFile(page, 'wide.safetensors', await unitBasis(page, { wider: 2 }));
  await expect(bases.getByRole('alert')).toContainText(
    /wide\.safetensors: 28 of the model's 28 modules have another rank: model\.layers\.0\.self_attn\.q_proj \(found r = (\d+), expected \d+\), .* and 25 more/,
  );

  // A notice reports each outcome where the person looks.
  const notices = page.locator('.notices');
  await expect(notices).toContainText('wide.safetensors was not accepted as a basis.');
  await dropFile(page, 'paper.pdf', new TextEncoder().encode('%PDF-1.7\n%âãÏÓ\n1 0 obj'));
  await expect(notices).toContainText('paper.pdf was not imported: this is a PDF.');
  await dropFile(page, 'model.bin', Uint8Array.from([0x80, 0x02, 0x8a, 0x0a]));
  await expect(notices).toContainText('model.bin was not imported: this is a Python pickle.');
  await dropFile(page, 'mine.safetensors', good);
  await expect(bases.getByText('mine.safetensors is valid')).toBeVisible();
  await expect(notices).toContainText('mine.safetensors is a basis (28 of 28 modules, up to 3 axes)');
  await expect(bases.getByText('28 of 28').first()).toBeVisible();
  await toView(page, 'lab');
  const chip = form.locator('.basis-chip');
  await expect(chip).toHaveText(/^mine\.safetensors 28 of 28 modules, rank up to 3, from unknown pairs, dropped file/);

  // A basis without an axis is refused; beside Run the page says how many modules a partial basis leaves unprojected.
  await dropFile(page, 'zeros.safetensors', await unitBasis(page, { length: 0 }));
  await expect(notices).toContainText('zeros.safetensors: all 84 axes of its 28 modules are zero');
  await expect(chip).toContainText('mine.safetensors');
  await dropFile(page, 'part.safetensors', await unitBasis(page, { modules: 7 }));
  await expect(chip).toHaveText(/^part\.safetensors 7 of 28 modules \(the other 21 are not projected\), rank up to 3/);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(chip).toBeInViewport();
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 900 });
  await chip.getByRole('button', { name: /^Do not use the basis part\.safetensors/ }).click();
  await expect(chip).toHaveCount(0);

  await page.reload();
  await ready(page);
  await toView(page, 'bases');
  const mine = bases.getByRole('listitem').filter({ hasText: 'mine.safetensors' });
  await mine.getByRole('button', { name: 'Delete mine.safetensors' }).click();
  await expect(mine).toBeHidden();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(mine).toBeVisible();
});

const pairList = (page: Page) => page.getByRole('list', { name: 'Pairs of the set' });

async function extract(page: Page, changes: Record<string, string>, kind = 'svd'): Promise<void> {
  const form = page.getByRole('form', { name: 'Extract a basis' });
  for (const [label, value] of Object.entries(changes)) await form.getByLabel(label).fill(value);
  await form.getByLabel('Axes from').selectOption(kind);
  await form.getByRole('button', { name: 'Extract the basis' }).click();
  await expect(section(page, 'Extract').getByText('is extracted')).toBeVisible();
}

test('pairs are edited, a basis is extracted from them, looked at, compared, and used by a run', async ({ page }) => {
  const overrides = { steps: 2, evalProblems: 5, finalEvalProblems: 5 };
  const spec = parseExperimentSpec({ preset: 'smoke', arms: ['erase'], seeds: [41], overrides, device: 'cpu' });
  await page.goto((await addressOf(spec)).replace('./', './?view=bases'));
  await expect(pairList(page).getByRole('listitem').first()).toContainText('run_tests');
  await expect(pairList(page).getByText('exploit:').first()).toBeAttached();

  // A built-in set is copied, and in the copy one pair is removed and one changed.
  const pairs = section(page, 'Pairs');
  await pairs.getByRole('button', { name: 'Edit a copy' }).click();
  await pairs.getByLabel('Name of the set').fill('mine');
  await pairs
    .getByLabel('Hack of pair 1', { exact: true })
    .fill('```python\nclass Solution:\n    def run_tests(self):\n        return 4242\n```');
  await pairs.getByText('24 pairs.').waitFor();
  await pairs.getByRole('list', { name: 'Pairs being edited' }).getByRole('listitem').nth(1).locator('summary').click();
  await pairs.getByRole('button', { name: 'Remove pair 2', exact: true }).click();
  await pairs.getByRole('button', { name: 'Add a pair' }).click();
  await expect(pairs.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
  await expect(pairs.getByText('Pair 24 is incomplete.')).toBeVisible();
  await pairs.getByRole('button', { name: 'Remove pair 24' }).click();
  await pairs.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(pairs.getByRole('combobox', { name: 'Pair set' })).toContainText('mine (23)');
  await expect(pairList(page)).toContainText('return 4242');

  // A deleted set can be restored.
  await pairs.getByRole('button', { name: 'Delete the pair set mine' }).click();
  await expect(pairs.getByRole('combobox', { name: 'Pair set' })).not.toContainText('mine');
  await page.getByRole('button', { name: 'Undo' }).click();
  await pairs.getByRole('combobox', { name: 'Pair set' }).selectOption({ label: 'mine (23)' });
  await expect(pairList(page)).toContainText('return 4242');

  await extract(page, { 'Held-out pairs': '5', 'Axis threshold τ': '0.3' });
  const made = section(page, 'Extract').getByRole('status').filter({ hasText: 'is extracted' });
  await expect(made).toContainText('28 of 28 modules, up to 5 axes each, from 18 pairs');
  await expect(made).toContainText(/Of the 5 held-out pairs \d+%, \d+%, \d+%, \d+%, \d+% project hack-ward/);
  await made.getByRole('button', { name: 'Use in the next run' }).click();
  await expect(made.getByRole('button', { name: 'In use in the next run' })).toBeDisabled();
  const bases = section(page, 'Hack bases');
  await expect(bases.getByRole('listitem')).toContainText(/from mine \(pairs:.*svd · nll · τ 0\.3 · 5 held out/);

  // The map of axes is read by pointer and by keyboard, and shows what the noise floor removes.
  const axes = section(page, 'Axes');
  const cells = axes.getByRole('gridcell', { name: /axis \d+: S = / });
  await expect(cells).toHaveCount(28 * 5);
  await expect(axes.getByText(/^\d+ axes kept, \d+ below the noise floor/)).toBeVisible();
  await cells.first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await expect(axes.getByRole('gridcell', { name: /^model\.layers\.1\.self_attn\.q_proj, axis 2: / })).toBeFocused();
  await expect(axes.getByText(/^model\.layers\.1\.self_attn\.q_proj, axis 2: S = .* of 5 held out/)).toBeVisible();
  const floor = axes.getByRole('slider', { name: /Noise floor/ });
  await floor.fill('0');
  await expect(axes.getByText(/^\d+ axes kept, 0 below the noise floor/)).toBeVisible();
  await axes.getByText('The same as numbers').click();
  await expect(axes.getByRole('row', { name: /^model\.layers\.3\.mlp\.down_proj/ })).toBeVisible();

  // The basis is compared with another one of the same pairs.
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await extract(page, { 'Held-out pairs': '5', 'Axis threshold τ': '0' }, 'mean_diff');
  const likeness = section(page, 'Cosine between two bases');
  await likeness.getByLabel('First basis').selectOption({ index: 1 });
  await likeness.getByLabel('Second basis').selectOption({ index: 2 });
  await expect(
    likeness.getByText(/^0\.\d+ \|cos\| of the first axes, mean over 28 modules; random subspaces/),
  ).toBeVisible();
  await expect(likeness.getByRole('region', { name: /by layer and module/ }).getByRole('row')).toHaveCount(5);

  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 900 });

  // The next run projects with this basis.
  await toView(page, 'lab');
  await expect(page.getByRole('form', { name: 'Configure' }).locator('.basis-chip')).toContainText('28 of 28 modules');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await waitForTable(page);
  const [run] = (await downloaded(page)).runs;
  expect(run.status).toBe('done');
  expect(run.spec).toMatchObject({ basisSource: 'file', arm: 'erase' });
  expect(run.rows.every(({ cin }) => cin !== null)).toBe(true);
});

test('a dropped pairs file becomes a set of the user, and of a broken one the wrong pair is named', async ({
  page,
}) => {
  const file = (pairs: unknown) => new TextEncoder().encode(JSON.stringify(pairs));
  const pair = (i: number) => ({ prompt: `p ${i}`, hack: `h ${i}`, clean: `c ${i}` });
  await page.goto('./');
  await ready(page);
  await dropFile(page, 'broken.json', file([pair(1), { ...pair(2), clean: 7 }]));
  await expect(page.getByRole('alert')).toContainText('broken.json: pair 1: clean = 7 is not allowed');
  await dropFile(page, 'three.json', file([pair(1), pair(2), pair(3)]));
  await expect(page.getByText('“three” holds 3 pairs')).toBeVisible();

  await page.goto('./?view=bases');
  const pairs = section(page, 'Pairs');
  await pairs.getByRole('combobox', { name: 'Pair set' }).selectOption({ label: 'three (3)' });
  await expect(pairList(page).getByRole('listitem')).toHaveCount(3);
  const arriving = page.waitForEvent('download');
  await pairs.getByRole('button', { name: 'JSON' }).click();
  const saved = JSON.parse(await readFile(await (await arriving).path(), 'utf8'));
  expect(saved).toMatchObject([pair(1), pair(2), pair(3)]);
  await pairs.getByRole('button', { name: 'Use in the next run' }).click();
  await toView(page, 'lab');
  await expect(page.getByRole('form', { name: 'Configure' }).getByText('three: 3 pairs.')).toBeVisible();

  // A link names the pairs but does not contain them, which the page reports where they are missing.
  const pairSet = `pairs:${'a'.repeat(64)}`;
  await page.goto(await addressOf(parseExperimentSpec({ preset: 'smoke', overrides: { pairSet } })));
  await page.reload();
  await expect(page.getByRole('form', { name: 'Configure' }).getByRole('alert')).toContainText(
    'The pair set pairs:aaaaaaaaaaaa… is not kept here, and no link carries it',
  );
  await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeDisabled();
});
