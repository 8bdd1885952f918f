// A LoRA adapter from PEFT is dropped on the loaded model. It is merged, and the model then has another name and SHA-256 and answers as the
// command line does. A second adapter replaces the first, one that does not fit is refused and changes nothing, and an adapter can be removed.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { generate } from '../src/cli/model/generate.ts';
import { callCommand } from '../src/cli/testing/call.ts';
import { linearShape, linearsOf, moduleName } from '../src/engine/weight-names.ts';
import { CounterRng } from '../src/rng/index.ts';
import { loadModelFiles } from '../src/storage/model-files.ts';
import { HubServer, lfs, plain } from '../src/storage/models/testing/hub-server.ts';
import { writeSafetensors } from '../src/storage/safetensors-write.ts';
import { diskSource } from '../src/storage/sources.node.ts';
import { ready, section } from './lab-page.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const OWN = join(root, 'public', 'models', 'tiny-coder');

let folder: string;
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adapters-'));
});
test.afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes an adapter for the lab's own model into a folder of this name. */
async function adapter(name: string, fields: object = {}): Promise<string> {
  const { config } = await loadModelFiles(diskSource(OWN));
  const rng = new CounterRng([3, name.length]);
  const r = 4;
  const drawn = (...shape: number[]) => ({
    dtype: 'F32' as const,
    shape,
    data: Float32Array.from({ length: shape[0] * shape[1] }, () => 0.15 * rng.normal()),
  });
  const tensors = new Map(
    linearsOf(config, 1).flatMap((role) => {
      const [dOut, dIn] = linearShape(config, role);
      const key = (side: string) => `base_model.model.${moduleName(1, role)}.lora_${side}.weight`;
      return [
        [key('A'), drawn(r, dIn)],
        [key('B'), drawn(dOut, r)],
      ] as const;
    }),
  );
  const at = join(folder, name);
  await mkdir(at);
  const own = {
    peft_type: 'LORA',
    r,
    lora_alpha: 8,
    target_modules: linearsOf(config, 1),
    base_model_name_or_path: 'tiny-coder',
  };
  await writeFile(join(at, 'adapter_config.json'), JSON.stringify(Object.assign(own, fields)));
  await writeFile(join(at, 'adapter_model.safetensors'), writeSafetensors(tensors, { format: 'pt' }));
  return at;
}

test('an adapter that is dropped is folded into the loaded model', async ({ page, context }) => {
  const [hacker, other, dora] = [
    await adapter('hacker'),
    await adapter('other-one', { lora_alpha: 4 }),
    await adapter('dora', { use_dora: true }),
  ];
  await page.goto('./');
  await ready(page);
  const browser = await context.newCDPSession(page);
  const drop = async (...files: string[]) => {
    const data = { items: [], files, dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await browser.send('Input.dispatchDragEvent', { type, x: 400, y: 400, data });
  };
  const loaded = page.getByTestId('loaded-model');
  const args = ['--adapter', hacker, '--prompt', 'def add(a, b):', '--chat', '--greedy', '--device', 'cpu'];
  const expected = JSON.parse((await callCommand(generate, [...args, '--json'], { root })).text);

  await drop(hacker);
  await expect(page).toHaveURL(({ search }) => search === '?view=models');
  await expect(loaded).toContainText('tiny-coder+hacker');
  await expect(loaded).toContainText(
    'hacker: rank 4, scale 2, 7 Linears, trained on tiny-coder; folded into the weights',
  );
  await expect(loaded).toContainText(expected.model.sha256);

  // The two files of a second adapter, dropped on an adapted model, replace the first.
  await drop(join(other, 'adapter_config.json'), join(other, 'adapter_model.safetensors'));
  await expect(loaded).toContainText('tiny-coder+adapter');
  await expect(loaded).toContainText('rank 4, scale 1, 7 Linears');

  await drop(dora);
  const problem = section(page, 'Load another').getByRole('alert');
  await expect(problem).toContainText('use_dora is true');
  await expect(problem).toContainText('Merge it into its base');
  await expect(loaded).toContainText('tiny-coder+adapter');

  await drop(hacker);
  await expect(loaded).toContainText(expected.model.sha256);
  await page.getByRole('link', { name: 'Talk to it' }).click();
  const form = section(page, 'Playground');
  await form.getByLabel('Message').fill('def add(a, b):');
  await form.getByLabel(/^Greedy/).check();
  await form.getByRole('button', { name: 'Generate' }).click();
  const answer = section(page, 'Answers').getByRole('article', { name: 'base' });
  await expect(answer.locator('.token-text')).toHaveText(`${expected.text}<|im_end|>`);
  await expect(form.getByRole('status')).toHaveText('');

  await page.goto('./?view=models');
  await expect(loaded).toContainText('tiny-coder');
  await drop(hacker);
  await expect(loaded).toContainText('tiny-coder+hacker');
  await page.getByRole('button', { name: 'Take the adapter out' }).click();
  await expect(loaded).not.toContainText('hacker');
  const base = await loadModelFiles(diskSource(OWN));
  await expect(loaded).toContainText(base.sha256);
  await expect(loaded).toContainText('the lab’s own');

  // An adapter can also be named by its id on the Hub; only its two files of the repository are fetched.
  const hub = await new HubServer().start();
  try {
    const [config, weights] = await Promise.all(
      ['adapter_config.json', 'adapter_model.safetensors'].map((name) => readFile(join(hacker, name))),
    );
    const files = {
      'adapter_config.json': plain(config.toString('utf8')),
      'adapter_model.safetensors': lfs(new Uint8Array(weights)),
    };
    hub.commit('lab/hacker', { ...files, 'optimizer.bin': lfs(new Uint8Array(1000)) });
    await page.getByLabel('Repository', { exact: true }).fill('lab/hacker');
    await page.getByText('Mirror and access token').click();
    await page.getByLabel('Address of a mirror').fill(hub.endpoint);
    await page.getByRole('button', { name: 'Fold in as an adapter' }).click();
    await expect(loaded).toContainText('tiny-coder+lab--hacker');
    await expect(loaded).toContainText(expected.model.sha256);
    expect(hub.served.has('optimizer.bin')).toBe(false);
  } finally {
    await hub.stop();
  }
});
