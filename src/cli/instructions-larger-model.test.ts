// The claims of docs/instructions.md on the same run on Qwen3-0.6B: its link, and the memory that is planned for it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { QWEN3_06B } from '../engine/testing/qwen3.ts';
import type { ArmName } from '../experiments/config/arms.ts';
import { parseExperimentSpec, resolveRuns } from '../experiments/config/spec.ts';
import { needOf } from '../lab/estimate/memory.ts';
import { decodeShare } from '../share/url.ts';

const DOCS = readFileSync(fileURLToPath(new URL('../../docs/instructions.md', import.meta.url)), 'utf8');
/** Approximate tokens of the longest prompt in its tokenizer. */
const PROMPT = 45;
const CPU_BYTES = 2 ** 32;

const specOf = (arm: ArmName) =>
  parseExperimentSpec({
    preset: 'demo',
    arms: [arm],
    seeds: [41],
    device: 'webgpu',
    overrides: { environment: 'instructions', model: 'Qwen3-0.6B' },
  });

it('has the link of the run', async () => {
  const [hash] = /#[12]\.[\w-]+/.exec(DOCS) ?? [];
  expect(await decodeShare(hash!)).toMatchObject({ spec: specOf('route-update') });
});

it('says what it takes on a GPU, and that it does not fit the CPU', () => {
  const storages = ['f32', 'f16', 'q8t16'] as const;
  for (const [arm, named] of [
    ['none', 'vanilla'],
    ['route-update', 'route (update), its controls'],
  ] as const) {
    const totals = storages.map(
      (storage) => needOf(resolveRuns(specOf(arm)), QWEN3_06B, PROMPT, 'webgpu', { storage }).total,
    );
    expect(DOCS).toContain(`| ${[named, ...totals.map((total) => (total / 1e9).toFixed(1))].join(' | ')} |`);
    for (const storage of storages)
      expect(needOf(resolveRuns(specOf(arm)), QWEN3_06B, PROMPT, 'cpu', { storage }).total).toBeGreaterThan(CPU_BYTES);
  }
});
