// A dropped hack basis: a good one is set for the next run, a broken one says what is wrong, and nothing crashes.
import { expect, type Page, test } from '@playwright/test';
import { bytesSource, SafetensorsFile, type TensorToWrite, writeSafetensors } from '../src/storage/safetensors.ts';
import { dropFile, ready, section } from './lab-page.ts';

const K = 3;

/** A basis that fits the embedded model: the first K unit vectors of every module. */
async function goodBasis(page: Page): Promise<Uint8Array> {
  const weights = await (await page.request.get('./models/tiny-coder/model.safetensors')).body();
  const model = await SafetensorsFile.open(bytesSource(weights), 'model');
  const tensors = new Map<string, TensorToWrite>();
  for (const [name, { shape }] of model.tensors) {
    const module = /^(.*_proj)\.weight$/.exec(name)?.[1];
    if (!module) continue;
    const r = Math.min(...shape);
    const V = Float32Array.from({ length: K * r }, (_, i) => (i % r === Math.floor(i / r) ? 1 : 0));
    tensors.set(`V/${module}`, { dtype: 'F32', shape: [K, r], data: V });
    tensors.set(`S/${module}`, { dtype: 'F32', shape: [K], data: Float32Array.from([3, 2, 1]) });
  }
  expect(tensors.size).toBe(2 * 28);
  return writeSafetensors(tensors, {});
}

test('drops of a good, a truncated and a senseless basis', async ({ page }) => {
  const good = await goodBasis(page);
  await page.goto('./');
  await ready(page);
  const bases = section(page, 'Hack bases');
  const form = page.getByRole('form', { name: 'Configure' });

  await dropFile(
    page,
    'noise.safetensors',
    Uint8Array.from({ length: 999 }, (_, i) => (i * 37) % 256),
  );
  await expect(bases.getByRole('alert')).toContainText('noise.safetensors is not usable');
  await dropFile(page, 'cut.safetensors', good.slice(0, good.length - 100));
  await expect(bases.getByRole('alert')).toContainText('cut.safetensors is not usable');
  await expect(form.getByText('Basis from a file.')).toBeHidden();

  await dropFile(page, 'mine.safetensors', good);
  await expect(bases.getByText('mine.safetensors is valid')).toBeVisible();
  await expect(bases.getByText('28 of 28').first()).toBeVisible();
  await expect(form.getByText('Basis from a file.')).toBeVisible();
  await expect(form.getByText(/mine\.safetensors: 28 modules/)).toBeVisible();

  await page.reload();
  await ready(page);
  await expect(bases.getByRole('listitem').filter({ hasText: 'mine.safetensors' })).toBeVisible();
});
