// `export --format peft`: what is read back with --adapter is what --format hf folds, for each adapter, with and without the quarantine;
// a cut to fewer ranks makes the error that is printed, and what is no LoRA is refused.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapterLayout, quarantineMask } from '../../engine/adapter-layout.ts';
import type { AdapterSettings, WeightReader } from '../../engine/types.ts';
import { LINEARS, linearsOf } from '../../engine/weight-names.ts';
import type { Checkpoint } from '../../experiments/records/checkpoint.ts';
import { CounterRng } from '../../rng/index.ts';
import { loadModelFiles, type ModelFiles } from '../../storage/model-files.ts';
import { SafetensorsFile } from '../../storage/safetensors.ts';
import { diskFile, diskSource } from '../../storage/sources.node.ts';
import type { Command } from '../command.ts';
import { readCheckpoint } from '../files/checkpoint.node.ts';
import { run } from '../run/run.ts';
import { callCommand } from '../testing/call.ts';
import { exportModel } from './export.ts';
import { openModel } from './folder.ts';
import { generate } from './generate.ts';

const MINUTES = 60_000;
const root = fileURLToPath(new URL('../../..', import.meta.url));
const tinyCoder = join(root, 'public', 'models', 'tiny-coder');
let folder: string;
const at = (name: string) => join(folder, name);
const call = async (command: Command, ...argv: string[]) =>
  (await callCommand(command, [...argv, '--device', 'cpu'], { root })).text;
const write = (...argv: string[]) => call(exportModel, ...argv, '--cache', at('svd-cache'));
const context = {
  progress: { update: () => {}, line: () => {}, note: () => {}, end: () => {} },
  signal: new AbortController().signal,
  root,
};

let base: ModelFiles;
const names: string[] = [];
/** A folder of `run --out` whose run has this adapter, and adapter parameters that are drawn. */
async function drawn(name: string, settings: AdapterSettings, change = (_: Float32Array, _hack: Float32Array) => {}) {
  const kept = (await readCheckpoint(at('trained/route-41.checkpoint')))!;
  const layout = adapterLayout(base.config, settings);
  const rng = new CounterRng([5, settings.loraRank]);
  const normal = () => Float32Array.from({ length: layout.total }, () => 0.05 * rng.normal());
  const [total, hack] = [normal(), normal()];
  change(total, hack);
  const checkpoint: Checkpoint = {
    ...kept,
    spec: { ...kept.spec, ...settings },
    optimizer: { ...kept.optimizer, total, hack },
  };
  await mkdir(at(name));
  await writeFile(at(`${name}/route-41.checkpoint`), serialize(checkpoint));
  return { layout, total, hack };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-peft-'));
  base = await loadModelFiles(diskSource(tinyCoder));
  names.push(
    ...[...base.weights.shapes.keys()].filter((name) => LINEARS.some((role) => name.endsWith(`.${role}.weight`))),
  );
  const smoke = ['--preset', 'smoke', '--arms', 'route', '--steps', '2', '--set', 'problems=8', '--set', 'evalEvery=0'];
  const small = ['--set', 'finalEvalProblems=4', '--set', 'pairs=8', '--set', 'k=2', '--set', 'lr=0.02'];
  await call(run, ...smoke, ...small, '--set', 'adapter=svd', '--out', at('trained'));
}, 3 * MINUTES);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** ‖(found − from) − (wanted − minus)‖ / ‖wanted − minus‖ over all Linears: how far an update is from another. */
async function errorOf(
  [found, from]: readonly [WeightReader, WeightReader],
  [wanted, minus]: readonly [WeightReader, WeightReader],
): Promise<{ all: number; by: Map<string, number> }> {
  let [off, size] = [0, 0];
  const by = new Map<string, number>();
  for (const name of names) {
    const [a, b, c, d] = await Promise.all([found, from, wanted, minus].map(async (of) => (await of.read(name)).data));
    let [ownOff, ownSize] = [0, 0];
    for (let i = 0; i < a.length; i++) {
      ownOff += (a[i] - b[i] - (c[i] - d[i])) ** 2;
      ownSize += (c[i] - d[i]) ** 2;
    }
    by.set(name.replace(/\.weight$/, ''), Math.sqrt(ownOff / ownSize));
    off += ownOff;
    size += ownSize;
  }
  return { all: Math.sqrt(off / size), by };
}
const adapted = async (name: string) => (await openModel({ model: null, adapter: at(name) }, context)).files.weights;
const folded = async (runFolder: string, weights: string, name: string) => {
  await write('--run', at(runFolder), '--weights', weights, '--out', at(name));
  return (await loadModelFiles(diskSource(at(name)))).weights;
};

describe('export --format peft', () => {
  it(
    'writes a trained run so that base and adapter give the outputs of the folded model',
    async () => {
      const facts = JSON.parse(await write('--run', at('trained'), '--format', 'peft', '--out', at('peft'), '--json'));
      expect((await readdir(at('peft'))).sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors']);
      expect(facts).toMatchObject({ exact: true, maxLoraRank: 128, relativeError: { all: 0, worst: 0 } });
      const config = JSON.parse(await readFile(at('peft/adapter_config.json'), 'utf8'));
      expect(Object.keys(config)).toEqual(Object.keys(config).sort());
      expect(config).toMatchObject({
        peft_type: 'LORA',
        r: facts.r,
        lora_alpha: facts.r,
        use_rslora: false,
        bias: 'none',
        rank_pattern: {},
        base_model_name_or_path: 'tiny-coder',
        init_lora_weights: true,
        layers_to_transform: null,
        target_modules: linearsOf(base.config, 0),
      });
      const file = await SafetensorsFile.open((await diskFile(at('peft/adapter_model.safetensors')))!, 'peft');
      expect(file.metadata).toEqual({
        format: 'pt',
        model_sha256: base.sha256,
        run: 'route-41',
        step: '2',
        weights: 'trained',
      });
      for (const [key, { shape, dtype }] of file.tensors) {
        expect(key).toMatch(/^base_model\.model\.model\.layers\.\d+\.(self_attn|mlp)\.\w+_proj\.lora_[AB]\.weight$/);
        expect([dtype, shape[key.includes('lora_A') ? 0 : 1]]).toEqual(['F32', facts.r]);
      }
      const whole = await folded('trained', 'trained', 'hf');
      expect((await errorOf([await adapted('peft'), base.weights], [whole, base.weights])).all).toBeLessThan(1e-5);
      const ask = ['--prompt', 'def f', '--greedy', '--max-new', '16', '--json'];
      const [one, other] = await Promise.all([
        call(generate, '--adapter', at('peft'), ...ask),
        call(generate, '--model', at('hf'), ...ask),
      ]);
      expect(JSON.parse(one).ids).toEqual(JSON.parse(other).ids);
      const said = await write('--adapter', at('peft'), '--out', at('merged'));
      expect(said).toContain(`base weights with ${at('peft')} folded in`);
      expect(JSON.parse(one).adapter).toMatchObject({ r: facts.r, scale: 1, base: 'tiny-coder' });
    },
    2 * MINUTES,
  );

  it.each<AdapterSettings & { r: Record<string, number> }>([
    { adapter: 'svd', loraRank: 0, r: { trained: 128, deployed: 128, quarantine: 128 } },
    { adapter: 'lora', loraRank: 4, r: { trained: 4, deployed: 4, quarantine: 8 } },
    { adapter: 'blocks', loraRank: 3, r: { trained: 12, deployed: 6, quarantine: 6 } },
  ])(
    'gives the fold of $adapter with, without and by the quarantine alone',
    async ({ r, ...settings }) => {
      const name = settings.adapter;
      const mask = name === 'blocks' ? quarantineMask(adapterLayout(base.config, settings)) : null;
      await drawn(name, settings, (total, hack) => {
        // The second block is the quarantine of two blocks: what is deployed is without it.
        if (mask)
          hack.forEach((_, i) => {
            hack[i] = mask[i] ? total[i] : 0;
          });
      });
      const [trained, deployed] = [
        await folded(name, 'trained', `${name}-t`),
        await folded(name, 'deployed', `${name}-d`),
      ];
      const wanted = {
        trained: [trained, base.weights],
        deployed: [deployed, base.weights],
        quarantine: [trained, deployed],
      } as const;
      for (const [part, pair] of Object.entries(wanted)) {
        const out = `${name}-${part}`;
        const argv = ['--run', at(name), '--weights', part, '--format', 'peft', '--json', '--out', at(out)];
        const facts = JSON.parse(await write(...argv));
        expect([facts.r, facts.exact], part).toEqual([r[part], true]);
        // The folds of both sides are rounded to f32 beside W.
        expect((await errorOf([await adapted(out), base.weights], pair)).all, part).toBeLessThan(1e-5);
      }
    },
    2 * MINUTES,
  );

  it.each(['svd', 'lora', 'blocks'])(
    'cuts %s to the best of a rank, and says the error that it makes',
    async (name) => {
      const argv = ['--run', at(name), '--format', 'peft', '--rank', '3', '--json', '--out', at(`${name}-cut`)];
      const facts = JSON.parse(await write(...argv));
      expect([facts.r, facts.exact, facts.maxLoraRank]).toEqual([3, false, 8]);
      const whole = (await loadModelFiles(diskSource(at(`${name}-t`)))).weights;
      const found = await errorOf([await adapted(`${name}-cut`), base.weights], [whole, base.weights]);
      expect(found.all).toBeGreaterThan(0.1);
      expect(facts.relativeError.all).toBeCloseTo(found.all, 4);
      for (const { module, relativeError } of facts.modules)
        expect(relativeError, module).toBeCloseTo(found.by.get(module)!, 4);
      expect(facts.relativeError.worst).toBeCloseTo(Math.max(...found.by.values()), 4);
    },
    MINUTES,
  );

  it.each([
    ['bf16', 4e-3],
    ['f16', 6e-4],
  ] as const)('rounds to %s', async (dtype, most) => {
    await write('--run', at('lora'), '--format', 'peft', '--dtype', dtype, '--out', at(dtype));
    const file = await SafetensorsFile.open((await diskFile(at(`${dtype}/adapter_model.safetensors`)))!, dtype);
    expect([...new Set([...file.tensors.values()].map((info) => info.dtype))]).toEqual([dtype.toUpperCase()]);
    const whole = (await loadModelFiles(diskSource(at('lora-t')))).weights;
    const { all } = await errorOf([await adapted(dtype), base.weights], [whole, base.weights]);
    expect(all).toBeGreaterThan(most / 20);
    expect(all).toBeLessThan(most);
  });

  it(
    'takes all weights with a rank alone, and none that are no Linears',
    async () => {
      const settings = { adapter: 'full', loraRank: 0 } as const;
      const { layout } = await drawn('full-all', settings);
      const isLinear = (name: string) => names.includes(`${name}.weight`);
      await drawn('full', settings, (total) => {
        for (const { name, offset, r } of layout.modules) if (!isLinear(name)) total.fill(0, offset, offset + r);
      });
      const peft = (name: string, ...argv: string[]) =>
        write('--run', at(name), '--format', 'peft', '--out', at(`${name}-peft`), ...argv);
      await expect(peft('full-all', '--rank', '8')).rejects.toThrow(
        /are no Linears and cannot be in a LoRA: model\.embed_tokens/,
      );
      await expect(peft('full')).rejects.toThrow(/All weights were trained/);
      const facts = JSON.parse(await peft('full', '--rank', '8', '--json'));
      const whole = await folded('full', 'trained', 'full-hf');
      const { all } = await errorOf([await adapted('full-peft'), base.weights], [whole, base.weights]);
      expect(facts.relativeError.all).toBeCloseTo(all, 4);
      expect(facts.r).toBe(8);
    },
    2 * MINUTES,
  );

  it('leaves out what did not move, and names the layers where some are without', async () => {
    const settings = { adapter: 'lora', loraRank: 2 } as const;
    const { layout } = await drawn('some-all', settings);
    await drawn('some', settings, (total) => {
      for (const { name, offset, r } of layout.modules)
        if (!/layers\.1\.mlp\.(up|down)_proj$/.test(name)) total.fill(0, offset, offset + r);
    });
    await write('--run', at('some'), '--format', 'peft', '--out', at('some-peft'));
    const config = JSON.parse(await readFile(at('some-peft/adapter_config.json'), 'utf8'));
    expect([config.target_modules, config.layers_to_transform]).toEqual([['up_proj', 'down_proj'], [1]]);
    const { adapter } = await openModel({ model: tinyCoder, adapter: at('some-peft') }, context);
    expect(adapter).toMatchObject({ modules: 2, r: 2 });
    await drawn('none', settings, (total) => void total.fill(0));
    await expect(write('--run', at('none'), '--format', 'peft', '--out', at('none-peft'))).rejects.toThrow(
      /No Linear moved/,
    );
  });

  it('writes a run that began from an adapter as an adapter of the bare base', async () => {
    const settings = { adapter: 'lora', loraRank: 2 } as const;
    await drawn('later', settings);
    const kept = (await readCheckpoint(at('later/route-41.checkpoint')))!;
    const before = await openModel({ model: tinyCoder, adapter: at('some-peft') }, context);
    const began = { ...kept, context: kept.context.replace(base.sha256, before.files.sha256) };
    expect(began.context).not.toBe(kept.context);
    await writeFile(at('later/route-41.checkpoint'), serialize(began));
    const from = ['--run', at('later'), '--adapter', at('some-peft')];
    await write(...from, '--out', at('later-hf'));
    const facts = JSON.parse(await write(...from, '--format', 'peft', '--json', '--out', at('later-peft')));
    expect(facts.r).toBe(4);
    const whole = (await loadModelFiles(diskSource(at('later-hf')))).weights;
    expect((await errorOf([await adapted('later-peft'), base.weights], [whole, base.weights])).all).toBeLessThan(1e-5);
    await expect(write('--run', at('later'), '--out', at('later-no'))).rejects.toThrow(/was trained on weights with/);
  });

  it('refuses another base than its own, and flags that do not belong together', async () => {
    const other = at('other');
    await mkdir(other);
    for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json'])
      await writeFile(join(other, name), await readFile(join(tinyCoder, name)));
    const bytes = await readFile(join(tinyCoder, 'model.safetensors'));
    bytes[bytes.length - 1] ^= 1;
    await writeFile(join(other, 'model.safetensors'), bytes);
    const read = openModel({ model: other, adapter: at('peft') }, context);
    await expect(read).rejects.toThrow(FormatError);
    await expect(read).rejects.toThrow(/model_sha256/);
    const refused = async (argv: string[], says: RegExp) => {
      const error: unknown = await write(...argv, '--out', at('refused')).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(SpecError);
      expect(String(error)).toMatch(says);
    };
    await refused(['--model', tinyCoder, '--format', 'peft'], /no run’s weights are named/);
    await refused(['--run', at('trained'), '--weights', 'base', '--format', 'peft'], /no run’s weights are named/);
    await refused(['--run', at('trained'), '--rank', '4'], /--rank 4 is of an adapter/);
    await refused(['--run', at('trained'), '--dtype', 'bf16'], /--dtype bf16 is of an adapter/);
    await refused(['--run', at('trained'), '--weights', 'quarantine'], /A quarantine is no model/);
  });
});
