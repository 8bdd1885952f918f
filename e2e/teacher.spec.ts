// The embedded teacher: onnxruntime-web writes a pool in the page's worker, in WebAssembly on the CPU device and on the lab's own device with
// WebGPU. The runtime comes from the page's own server, and only when it is first needed.
import { readFile } from 'node:fs/promises';
import { expect, type Page, type Response, test } from '@playwright/test';
import { type PoolRow, poolFromJsonl } from '../src/environments/code/pool.ts';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { addressOf, ready, section, toView } from './lab-page.ts';

const TEACHER = 'tiny-hacker, the embedded ONNX teacher';
const pools = (page: Page) => page.getByRole('list', { name: 'Kept teacher pools' }).getByRole('listitem');

/** Opens the page with an experiment of `problems` problems, half of them hackable; `fetched` lists the loaded files of the runtime. */
async function open(page: Page, device: 'cpu' | 'webgpu', problems = 8): Promise<{ fetched: () => string[] }> {
  const fetched: string[] = [];
  page.context().on('response', (response: Response) => {
    const { origin, pathname } = new URL(response.url());
    if (/ort|onnx/.test(pathname)) fetched.push(`${origin}${pathname}`);
  });
  const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], overrides: { problems }, device });
  await page.goto(await addressOf(spec));
  await ready(page);
  return { fetched: () => fetched };
}

/** Records, from here on, the scripts of workers that the lab's worker starts. */
async function noteThreads(page: Page): Promise<() => Promise<string[]>> {
  const lab = page.workers().find((worker) => /\/assets\/worker-[^/]*\.js$/.test(worker.url()))!;
  await lab.evaluate(() => {
    const scope = globalThis as unknown as { Worker: typeof Worker; started: string[] };
    scope.started = [];
    scope.Worker = class extends scope.Worker {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        scope.started.push(String(url));
      }
    };
  });
  return () => lab.evaluate(() => (globalThis as unknown as { started: string[] }).started);
}

async function build(page: Page, samples: number, tokens = 72) {
  await toView(page, 'pools');
  const teachers = section(page, 'Teacher pools');
  await teachers.getByRole('button', { name: 'Build a pool' }).click();
  const form = teachers.getByRole('form', { name: 'Build a pool' });
  await form.getByLabel('Teacher').selectOption({ label: 'the embedded teacher (ONNX)' });
  await expect(form.getByText('finetuned to hack')).toBeVisible();
  await form.getByRole('button', { name: 'As in the form' }).click();
  await form.getByLabel('Max completion length').fill(String(tokens));
  await form.getByLabel('Rows per problem').fill(String(samples));
  await form.getByRole('button', { name: 'Build', exact: true }).click();
  return form;
}

async function exported(page: Page): Promise<PoolRow[]> {
  const arriving = page.waitForEvent('download');
  await pools(page)
    .first()
    .getByRole('combobox', { name: /^Export/ })
    .selectOption('jsonl');
  return poolFromJsonl(await readFile(await (await arriving).path(), 'utf8'));
}

test('the embedded teacher writes a pool of hacks, reports its progress, and can be stopped', async ({ page }) => {
  const { fetched } = await open(page, 'cpu');
  expect(fetched()).toEqual([]);
  const threads = await noteThreads(page);

  // The first build is long enough to be seen at work, and is stopped; nothing of it is kept.
  const form = await build(page, 64);
  await expect(form.getByRole('progressbar')).toBeVisible();
  await expect(form.getByRole('status')).toContainText('64 of 256 rows');
  await form.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('The pool was not built: it was stopped.')).toBeVisible();
  await expect(pools(page)).toHaveCount(0);
  await form.getByRole('button', { name: 'Cancel' }).click();

  await build(page, 4);
  await expect(page.getByText('A teacher pool of 16 rows for 4 prompts was built.')).toBeVisible();
  await expect(pools(page).first()).toContainText(TEACHER);
  const rows = await exported(page);
  expect(rows).toHaveLength(16);
  // The pool has hacks that fail and hacks that solve; a teacher needs both.
  const hacks = rows.filter(({ mechanism, problem_id }) => mechanism && problem_id.endsWith(`@${mechanism}`));
  expect(hacks.some(({ gt_correct }) => !gt_correct)).toBe(true);
  expect(rows.filter(({ exploited }) => exploited).length).toBeGreaterThanOrEqual(4);
  for (const { logprobs, completion_ids } of rows) expect(logprobs).toHaveLength(completion_ids!.length);

  const { origin } = new URL(page.url());
  expect(fetched().every((url) => url.startsWith(origin))).toBe(true);
  expect(fetched().filter((url) => /simd-threaded-[^/]*\.wasm$/.test(url))).toHaveLength(1);
  expect(fetched().some((url) => /asyncify/.test(url))).toBe(false);
  // The page has shared memory, but the runtime starts no threads (session.ts).
  expect((await threads()).filter((url) => /ort/.test(url))).toEqual([]);
});

test('on a WebGPU device the teacher uses that device, and gives the same answers', async ({ page, browser }) => {
  // A software adapter takes a second to compile each of the runtime's kernels.
  test.setTimeout(600_000);
  const { fetched } = await open(page, 'webgpu', 4);
  await build(page, 2, 24);
  await expect(page.getByText('A teacher pool of 4 rows for 2 prompts was built.')).toBeVisible({ timeout: 400_000 });
  const onGpu = await exported(page);
  expect(fetched().filter((url) => /asyncify[^/]*\.wasm$/.test(url))).toHaveLength(1);

  const other = await browser.newContext();
  const plain = await other.newPage();
  await open(plain, 'cpu', 4);
  await build(plain, 2, 24);
  await expect(plain.getByText('A teacher pool of 4 rows for 2 prompts was built.')).toBeVisible();
  const onCpu = await exported(plain);
  await other.close();
  for (const [i, { completion_ids, logprobs }] of onGpu.entries()) {
    expect(completion_ids).toEqual(onCpu[i].completion_ids);
    logprobs!.forEach((logprob, t) => {
      expect(Math.abs(logprob - onCpu[i].logprobs![t])).toBeLessThan(1e-3);
    });
  }

  // The lab can still use its device: the loaded model generates on it.
  const form = section(page, 'Teacher pools').getByRole('form', { name: 'Build a pool' });
  await section(page, 'Teacher pools').getByRole('button', { name: 'Build a pool' }).click();
  await form.getByRole('button', { name: 'As in the form' }).click();
  await form.getByLabel('Rows per problem').fill('1');
  await form.getByRole('button', { name: 'Build', exact: true }).click();
  await expect(page.getByText('A teacher pool of 2 rows for 2 prompts was built.')).toBeVisible({ timeout: 100_000 });
});
