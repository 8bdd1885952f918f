// Rehearses `npm run gpu`: a few parts with tiny shapes on any adapter, one that fails, one that takes too long, and the pack, run from its
// folder.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { bundleGpu } from './bundle.mjs';
import { pack } from './gpu.mjs';

const folder = mkdtempSync(join(tmpdir(), 'gpu-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const bundle = await bundleGpu();

/** Runs the report with an empty folder as PATH, so that python3 is not found; with no PATH at all a default one is searched. */
async function report(main, ...args) {
  const out = join(folder, `report-${args.join('')}`);
  await promisify(execFile)(process.execPath, [main, '--tiny', '--out', out, ...args], {
    env: { HOME: folder, PATH: folder },
  });
  const { outcomes } = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
  return { outcomes, text: readFileSync(join(out, 'report.md'), 'utf8') };
}
const only = (...names) => names.flatMap((name) => ['--only', name]);

it('names the part that fails and continues, and is bounded in time', async () => {
  const { outcomes, text } = await report(bundle, ...only('torch'));
  expect(outcomes).toMatchObject([{ name: 'torch', failed: expect.stringContaining('python3') }]);
  expect(text).toContain('## torch: failed after');
  const late = await report(bundle, ...only('adapter', 'torch'), '--limit', '0.01');
  expect(late.outcomes.map(({ failed }) => failed)).toEqual(['not done after 0.01 s', 'not done after 0.01 s']);
  const all = await report(bundle, ...only('adapter', 'torch'), '--total', '0.05');
  expect(all.outcomes.map(({ failed }) => failed)).toEqual([
    expect.stringMatching(/^not done after 0\.0\d* s$/),
    expect.stringContaining('not begun: the 0.05 s of all parts are over'),
  ]);
});

it('packs what it needs, refuses to overwrite, and measures from the packed folder', async () => {
  const to = join(folder, 'pack');
  expect(pack(dirname(bundle), to)).toBeLessThan(60e6);
  expect(() => pack(dirname(bundle), to)).toThrow(/there already/);
  expect(existsSync(join(to, 'node_modules', 'webgpu', 'index.js'))).toBe(true);
  const { outcomes, text } = await report(join(to, 'main.js'), ...only('adapter', 'switches', 'decode', 'svd', 'step'));
  const failed = outcomes.filter((outcome) => 'failed' in outcome);
  // Without any driver, each part reports that.
  if (failed.length === outcomes.length && /Vulkan|adapter/.test(failed[0].failed)) {
    console.warn(`The rehearsal is skipped: ${failed[0].failed}`);
    return;
  }
  expect(failed).toEqual([]);
  const titles = [
    'Adapter',
    'Adapter, with switches',
    'Limits',
    'Decoding',
    'Singular vectors of every Linear',
    'A GRPO step',
  ];
  for (const title of titles) expect(text).toContain(`## ${title}\n`);
  expect(text).toContain('Memory is within the plan.');
});
