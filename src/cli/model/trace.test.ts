// `trace` on a series of adapters that is made here: norms and angles are those of the multiplied-out updates, and an update that spans the
// basis lies in it.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adapterLayout } from '../../engine/adapter-layout.ts';
import { onDirections } from '../../engine/adapters/update-geometry.ts';
import { configToJson } from '../../engine/config.ts';
import { randomWeights, SMALL } from '../../engine/testing/models.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { svd } from '../../kernels/svd.ts';
import { CounterRng } from '../../rng/index.ts';
import { type ModuleBasis, writeBasisFile } from '../../storage/basis-file.ts';
import { weightFiles } from '../../storage/model-export.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { HubServer, lfs, plain } from '../../storage/models/testing/hub-server.ts';
import { type TensorToWrite, writeSafetensors } from '../../storage/safetensors-write.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { callCommand } from '../testing/call.ts';
import { trace } from './trace.ts';

const config = SMALL.qwen3;
const { modules } = adapterLayout(config);
const R = 3;
let folder: string;
const at = (name: string) => join(folder, name);

type Factor = { a: Float32Array; b: Float32Array };
type Series = Map<string, Factor>;
const drawn = (seed: number): Series => {
  const rng = new CounterRng([seed, 7]);
  const normal = (n: number) => Float32Array.from({ length: n }, () => rng.normal());
  return new Map(modules.map(({ name, dOut, dIn }) => [name, { a: normal(R * dIn), b: normal(dOut * R) }]));
};
const times = (series: Series, factor: number): Series =>
  new Map([...series].map(([name, { a, b }]) => [name, { a, b: b.map((x) => factor * x) }]));

async function save(path: string, series: Series): Promise<void> {
  await mkdir(at(path), { recursive: true });
  const tensors = new Map<string, TensorToWrite>();
  for (const { name, dOut, dIn } of modules) {
    const { a, b } = series.get(name)!;
    tensors.set(`base_model.model.${name}.lora_A.weight`, { dtype: 'F32', shape: [R, dIn], data: a });
    tensors.set(`base_model.model.${name}.lora_B.weight`, { dtype: 'F32', shape: [dOut, R], data: b });
  }
  // The adapter has a scale of 2.
  const fields = { peft_type: 'LORA', r: R, lora_alpha: 2 * R, target_modules: 'all-linear' };
  await writeFile(at(`${path}/adapter_config.json`), JSON.stringify(fields));
  await writeFile(at(`${path}/adapter_model.safetensors`), writeSafetensors(tensors, { format: 'pt' }));
}

/** 2 B A of all Linears, concatenated. */
function whole(series: Series): Float64Array {
  const all: number[] = [];
  for (const { name, dOut, dIn } of modules) {
    const { a, b } = series.get(name)!;
    for (let o = 0; o < dOut; o++)
      for (let j = 0; j < dIn; j++) {
        let sum = 0;
        for (let k = 0; k < R; k++) sum += 2 * b[o * R + k] * a[k * dIn + j];
        all.push(sum);
      }
  }
  return Float64Array.from(all);
}
const dot = (x: Float64Array, y: Float64Array) => x.reduce((sum, value, i) => sum + value * y[i], 0);

const first = drawn(1);
const series = [first, times(first, 3), drawn(2)];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trace-'));
  await mkdir(at('base'));
  await writeFile(at('base/model.safetensors'), weightFiles(config, randomWeights(config, 3), {})[0].bytes());
  await writeFile(at('base/config.json'), JSON.stringify(configToJson(config)));
  // Checkpoints go in the order of their numbers, not of their names.
  for (const [i, step] of [5, 20, 100].entries()) await save(`run/checkpoint-${step}`, series[i]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const call = async (...argv: string[]) =>
  JSON.parse(
    (await callCommand(trace, [at('base'), ...argv, '--device', 'cpu', '--cache', at('cache'), '--json'])).text,
  );

it('has the norms and angles of the multiplied-out updates', async () => {
  const rows = await call(at('run'));
  expect(rows.map(({ adapter }: { adapter: string }) => adapter)).toEqual([
    'checkpoint-5',
    'checkpoint-20',
    'checkpoint-100',
  ]);
  const full = series.map(whole);
  const norm = (x: Float64Array) => Math.sqrt(dot(x, x));
  for (const [t, row] of rows.entries()) {
    expect(row).toMatchObject({ r: R, modules: modules.length, basis: null });
    expect(row.norm / norm(full[t])).toBeCloseTo(1, 5);
    expect(row.cosLast).toBeCloseTo(dot(full[t], full[2]) / (norm(full[t]) * norm(full[2])), 5);
  }
  expect([rows[0].moved, rows[0].cosBefore]).toEqual([null, null]);
  expect(rows[1].cosBefore).toBeCloseTo(1, 6);
  expect(rows[1].moved / rows[0].norm).toBeCloseTo(2, 4);
  expect(rows[2].moved / norm(full[2].map((x, i) => x - full[1][i]))).toBeCloseTo(1, 5);
});

it('reports each update’s share in a basis, beside the share expected by chance', async () => {
  const files = await loadModelFiles(diskSource(at('base')));
  const device = await createCpuDevice();
  const basis = new Map<string, ModuleBasis>();
  for (const module of modules) {
    const { data } = await files.weights.read(`${module.name}.weight`);
    const p = onDirections(
      module,
      { r: R, ...first.get(module.name)! },
      await svd(device, data, module.dOut, module.dIn),
    );
    const size = Math.sqrt(dot(p, p));
    basis.set(module.name, { k: 1, r: module.r, V: Float32Array.from(p, (x) => x / size), S: Float32Array.of(1) });
  }
  device.destroy();
  await writeFile(at('basis.safetensors'), writeBasisFile(basis, { k: 1, modelSha256: files.sha256 }));
  const rows = await call(at('run/checkpoint-5'), at('run/checkpoint-100'), '--basis', at('basis.safetensors'));
  const [own, other] = rows.map((row: { basis: unknown }) => row.basis);
  expect(own.inBasis).toBeCloseTo(1, 5);
  expect(other.inBasis).toBeLessThan(0.5);
  const [least, most] = [Math.min(...modules.map(({ r }) => 1 / r)), Math.max(...modules.map(({ r }) => 1 / r))];
  for (const { byChance, onDirections: share } of [own, other]) {
    expect(byChance).toBeGreaterThanOrEqual(least);
    expect(byChance).toBeLessThanOrEqual(most + 1e-9);
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThan(1);
  }
  const basisOf = call(at('run'), '--basis', at('nowhere'));
  await expect(basisOf).rejects.toThrow(SpecError);
});

it('takes revisions of the Hub as a series', async () => {
  const hub = await new HubServer().start();
  process.env.HF_ENDPOINT = hub.endpoint;
  try {
    for (const step of [5, 20]) {
      const read = (name: string) => readFile(at(`run/checkpoint-${step}/${name}`));
      const files = {
        'adapter_config.json': plain(String(await read('adapter_config.json'))),
        'adapter_model.safetensors': lfs(new Uint8Array(await read('adapter_model.safetensors'))),
      };
      hub.commit('somebody/hacker', files, `step-${step}`);
    }
    const rows = await call('somebody/hacker@step-5', 'somebody/hacker@step-20');
    const own = await call(at('run/checkpoint-5'), at('run/checkpoint-20'));
    const named = own.map((row: object, i: number) =>
      Object.assign(row, { adapter: `somebody/hacker@step-${[5, 20][i]}` }),
    );
    expect(rows).toEqual(named);
  } finally {
    delete process.env.HF_ENDPOINT;
    await hub.stop();
  }
});
