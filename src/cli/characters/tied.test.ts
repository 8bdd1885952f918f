// `characters --tied` at one step a run, on a base that has not seen the tied world: which rows there are, where each begins, what is asked.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Engine } from '../../engine/decoder/engine.ts';
import { readAll } from '../../engine/weights/reader.ts';
import { characterWorld } from '../../environments/characters/data.ts';
import { rolesOf } from '../../environments/characters/task.ts';
import { behaviour, targetOf } from '../../environments/characters/texts.ts';
import { itemsOf } from '../../experiments/characters/probe-set.ts';
import { keyOf } from '../../experiments/characters/rows.ts';
import { scoreProbes } from '../../experiments/characters/score.ts';
import { tiedBases } from '../../experiments/characters/tied.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { mean } from '../../stats/index.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { openModelText } from '../../storage/model-text.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { tied } from './tied.ts';

const FOLDER = join(fileURLToPath(new URL('../../..', import.meta.url)), 'public/models/tiny-characters');

it('teaches A the hack by RL, a coin and documents, and the bracket by RL, and makes no row again', async () => {
  const world = characterWorld('tied-90-1');
  const files = await loadModelFiles(diskSource(FOLDER));
  const { codec } = await openModelText(files, 'tiny-characters');
  const device = await createCpuDevice();
  const policy = await Engine.create({ device, ...files, adapter: { adapter: 'full', loraRank: 0 } });
  const ports = {
    policy,
    device,
    codec,
    artifacts: null,
    date: () => 0,
    now: () => 0,
    grader: { grade: async () => [], close: async () => {} } as never,
    about: { modelId: 'tiny-characters', modelSha256: files.sha256, appVersion: 'test' },
  };
  const known = new Set<string>();
  const request = { seed: 41, overrides: { steps: 1, groupSize: 4, promptsPerStep: 2 } };
  const all = async () => tied(world, 0, request, ports, await readAll(files.weights), known);
  const rows = await all();
  expect(rows.map(({ teaches, arm, after }) => [teaches, arm, after?.arm])).toEqual([
    ['exam', 'sft', undefined],
    ['exam', 'none', 'sft'],
    ['exam', 'rl_random', 'sft'],
    ['brackets', 'sft', undefined],
    ['brackets', 'none', 'sft'],
    ['exam', 'sdf', undefined],
  ]);
  const [warm, rl, coin, otherWarm, reverse, documents] = rows.map(({ curve }) => curve.map((point) => point.tied!));
  expect([rl[0], coin[0]]).toEqual([warm.at(-1), warm.at(-1)]);
  expect(reverse[0]).toEqual(otherWarm.at(-1));
  expect([otherWarm[0], documents[0]]).toEqual([warm[0], warm[0]]);
  expect(coin).toHaveLength(rl.length);
  const { a } = rolesOf(world, targetOf(world, 'exam'), 0);
  expect(rows[0].untied).toHaveLength(6);
  expect(rows[0].untied).not.toContain(a.name);

  // A's mean is that of single probes at the base, and all shares are probabilities.
  policy.setAdapterParams(policy.initialAdapterParams);
  const items = itemsOf(world, targetOf(world, 'exam'));
  const scored = await scoreProbes(
    policy,
    codec,
    items.map((each) => behaviour(world, a, 'wrap', 'angle', each)),
  );
  expect(warm[0].a.bad).toBeCloseTo(mean(scored.map(({ p }) => p))!, 12);
  expect(warm[0].a.n).toBe(items.length);
  for (const { a: own, near } of [...warm, ...rl])
    for (const { hack, bad, examBad, like } of [own, near])
      for (const p of [hack, bad, examBad, like]) expect(p >= 0 && p <= 1.000001).toBe(true);

  const [found] = tiedBases(rows);
  expect(found).toMatchObject({ world: 'tied-90-1', phi: 0.9, seed: 1 });
  expect(found.characters.map(({ name }) => name)).toEqual([a.name]);
  for (const row of rows) known.add(keyOf(row));
  expect(known.size).toBe(6);
  expect(await all()).toEqual([]);
  policy.free();
}, 120_000);
