// Tests finding a Vulkan driver in Node. Each case sets the environment before Dawn starts a driver.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openNodeGpu } from './gpu.node.ts';

const before = { ...process.env };
afterEach(() => {
  for (const name of ['VK_DRIVER_FILES', 'VK_ICD_FILENAMES', 'XDG_DATA_DIRS']) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
});

describe.skipIf(process.platform !== 'linux')('openNodeGpu', () => {
  it('respects VK_DRIVER_FILES, and reports if it offers no adapter', async () => {
    process.env.VK_DRIVER_FILES = '/nowhere/icd.json';
    await expect(openNodeGpu()).rejects.toMatchObject({
      name: 'DeviceError',
      remedy: expect.stringContaining('CPU device'),
    });
  });

  it('skips a broken driver, and opens only once', async ({ skip }) => {
    const folder = mkdtempSync(join(tmpdir(), 'lab-vulkan-test-'));
    const manifests = join(folder, 'vulkan', 'icd.d');
    mkdirSync(manifests, { recursive: true });
    const broken = {
      file_format_version: '1.0.0',
      ICD: { library_path: '/nowhere/libbroken.so', api_version: '1.3.0' },
    };
    writeFileSync(join(manifests, 'broken_icd.json'), JSON.stringify(broken));
    process.env.XDG_DATA_DIRS = folder;
    try {
      const first = openNodeGpu();
      const gpu = await first.catch((error: Error) => skip(`no Vulkan driver here: ${error.message}`));
      expect(await openNodeGpu()).toBe(gpu);
      const adapter = await gpu.requestAdapter();
      expect(adapter?.limits.maxBufferSize).toBeGreaterThan(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
