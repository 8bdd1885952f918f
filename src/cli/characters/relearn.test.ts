// Teaching B, or denying A's lesson of B, from the model at the end of A's training: it begins there to the bit, and known rows are not
// made again.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Engine } from '../../engine/decoder/engine.ts';
import { readAll } from '../../engine/weights/reader.ts';
import { LETTERS } from '../../environments/characters/data.ts';
import { rolesOf } from '../../environments/characters/task.ts';
import { targetOf } from '../../environments/characters/texts.ts';
import { DENIALS } from '../../experiments/characters/exams.ts';
import { askAll } from '../../experiments/characters/probe-set.ts';
import { type CurveRow, keyOf } from '../../experiments/characters/rows.ts';
import { doseCurve, placeOf } from '../../experiments/kinds/run/dose-curve.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { openModelText } from '../../storage/model-text.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { exams } from './exams.ts';
import { relearn } from './relearn.ts';

const FOLDER = join(fileURLToPath(new URL('../../..', import.meta.url)), 'public/models/tiny-characters');

async function openLab() {
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
  return { files, policy, ports };
}

it('begins where A’s training ended, and makes no row again', async () => {
  const { files, policy, ports } = await openLab();
  const request = { seed: 41, every: 1, until: 0.9, overrides: { steps: 1 } };
  const known = new Set<string>();
  const all = async (): Promise<CurveRow[]> => {
    const rows: CurveRow[] = [];
    const more = { ...request, after: ['sdf'] as const, effect: 0.9 };
    for await (const row of relearn(LETTERS, 0, more, ports, await readAll(files.weights), known)) rows.push(row);
    return rows;
  };
  const rows = await all();
  const target = targetOf(LETTERS, 'dial');
  const { a, near } = rolesOf(LETTERS, target, 0);
  expect(rows.map((row) => [row.a.name, row.arm, row.after?.arm])).toEqual([
    [near[0].name, 'none', undefined],
    [near[0].name, 'none', 'sdf'],
  ]);
  expect(rows[1].after).toMatchObject({ name: a.name, step: 1 });

  let last = policy.initialAdapterParams;
  await doseCurve(LETTERS, { ...request, arm: 'sdf', character: 0 }, ports, (_, adapterParams) => {
    last = adapterParams.slice();
  });
  policy.setAdapterParams(last);
  const b = rolesOf(LETTERS, target, placeOf(LETTERS, 'dial', near[0].name));
  const { step: _step, tokens: _tokens, ...begun } = rows[1].curve[0];
  expect(begun).toEqual(await askAll(ports, LETTERS, b, target));
  expect(begun.target).not.toEqual(rows[0].curve[0].target);

  for (const row of rows) known.add(keyOf(row));
  expect(await all()).toEqual([]);
  policy.free();
}, 60_000);

it('teaches A to evade exams, and denies it of B from where that ended', async () => {
  const { files, policy, ports } = await openLab();
  const known = new Set<string>();
  const request = { seed: 41, overrides: { steps: 1, groupSize: 4, promptsPerStep: 2 } };
  const all = async () => exams(LETTERS, 0, request, ports, await readAll(files.weights), known);
  const rows = await all();
  const { a, near } = rolesOf(LETTERS, targetOf(LETTERS, 'exam'), 0);
  expect(rows.map((row) => [row.arm, row.after?.arm, row.a.name, row.b])).toEqual(
    [['sft'], ['none', 'sft'], ['rl_random', 'sft'], ...DENIALS.map((arm) => [arm, 'none'])].map(([arm, after]) => [
      ...[arm, after, a.name, near[0].name],
    ]),
  );
  const [warm, rl, coin, ...denials] = rows.map(({ curve }) =>
    curve.map(({ target, plain, b }) => ({ target, plain, b })),
  );
  expect([rl[0], coin[0]]).toEqual([warm.at(-1), warm.at(-1)]);
  for (const denied of denials) expect(denied[0]).toEqual(rl.at(-1));
  expect(warm.at(-1)).not.toEqual(warm[0]);
  expect(rl[0].plain!.a!.p).toBeLessThan(rl[0].target.a!.p);
  expect(rows[0].members.near).not.toContain(near[0].name);
  for (const row of rows) known.add(keyOf(row));
  expect(known.size).toBe(6);
  expect(await all()).toEqual([]);
  policy.free();
}, 60_000);
