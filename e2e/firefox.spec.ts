// The lab in Firefox: it opens, runs the smallest experiment with its sandbox, keeps it over a reload, and shares it. Its sandbox has no shared
// memory, though its frame is isolated. A model's files are dropped on the page and loaded.

import { expect, test } from '@playwright/test';
import { browserWorkerSource } from '@projected-grpo-lab/python-sandbox/sandbox-source.ts';
import { findFirefox } from '../scripts/tool/engines.mjs';
import { openOffline, runShareKeep } from './driven-page.ts';
import { openFirefox } from './firefox-page.ts';

/** Drops a copy of the page's own model as files, as a person does from a file manager. */
const DROP = `
  const { DataTransfer, DragEvent, File } = window;
  const fetched = async (name) => new File([await (await fetch('./models/tiny-coder/' + name)).blob()], name);
  return Promise.all(arguments[0].map(fetched)).then((files) => {
    const dataTransfer = new DataTransfer();
    for (const file of files) dataTransfer.items.add(file);
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    return dataTransfer.files.length;
  });`;

const SHARING = `[typeof SharedArrayBuffer, typeof globalThis.WebAssembly?.Memory].join()`;

test('open, run, keep and share with a sealed sandbox in Firefox', async ({ baseURL }) => {
  const firefox = findFirefox();
  test.skip(firefox === null, 'no Firefox here: apt-get install firefox-esr');
  test.setTimeout(600_000);
  const page = await openFirefox(firefox!);
  try {
    await runShareKeep(page, baseURL!);
    await page.open(new URL('./?view=device', baseURL).href);
    await page.see(/yes: threads can share memory/, 180_000);

    // The frame is isolated here, as it is in no other browser.
    expect(await page.inFrame('return crossOriginIsolated')).toBe(true);
    // A driver's script has its own globals, so those of the frame are read from its window.
    const frames = 'const { SharedArrayBuffer, WebAssembly } = window;';
    expect(await page.inFrame(`${frames} return [typeof SharedArrayBuffer, typeof WebAssembly.Memory].join()`)).toBe(
      'undefined,undefined',
    );
    const worker = (source: string) =>
      page.inFrame<string>(
        `return new Promise((resolve, reject) => {
           const worker = new Worker('data:text/javascript;charset=utf-8,' + encodeURIComponent(arguments[0]));
           worker.onmessage = ({ data }) => resolve(data);
           worker.onerror = ({ message }) => reject(new Error(message));
         });`,
        source,
      );
    expect(await worker(`postMessage(${SHARING})`)).toMatch(/^\w+,function$/);
    expect(await worker(browserWorkerSource(`post(${SHARING});`))).toBe('undefined,undefined');

    const names = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'];
    expect(await page.evaluate(DROP, names)).toBe(names.length);
    await page.see(/853,376/);
    await page.press('Load');
    const loaded = `return document.querySelector('[data-testid="loaded-model"]')?.innerText ?? ''`;
    await expect.poll(() => page.evaluate<string>(loaded), { timeout: 60_000 }).toMatch(/^Loaded\s+model\s/);
  } finally {
    await page.close();
  }
});

test('a host without headers: isolated from the second load on, and offline, in Firefox', async () => {
  const firefox = findFirefox();
  test.skip(firefox === null, 'no Firefox here: apt-get install firefox-esr');
  const page = await openFirefox(firefox!);
  try {
    await openOffline(page);
  } finally {
    await page.close();
  }
});
