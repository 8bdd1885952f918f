// `export` on the CPU device: a short run's student, written and read back, gives to the bit the outputs of the engine that holds its
// adapter parameters; as ONNX it agrees to 1e-3; a plain folder goes through unchanged.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import * as ort from 'onnxruntime-web';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployed } from '../../algorithms/optimizer.ts';
import { configToJson } from '../../engine/config.ts';
import { Engine } from '../../engine/decoder/engine.ts';
import { randomWeights, SMALL } from '../../engine/testing/models.ts';
import type { AdapterSettings, WeightStorage, Weights } from '../../engine/types.ts';
import { readAll } from '../../engine/weights/reader.ts';
import { withDefaults } from '../../experiments/config/spec.ts';
import type { Checkpoint } from '../../experiments/records/checkpoint.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { filesBesideWeights, weightFiles } from '../../storage/model-export.ts';
import { loadModelFiles, type ModelFiles, storedSha256 } from '../../storage/model-files.ts';
import { bytesSource, SafetensorsFile } from '../../storage/safetensors.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { memorySource } from '../../storage/sources.ts';
import { helpText } from '../args.ts';
import type { Command } from '../command.ts';
import { readCheckpoint } from '../files/checkpoint.node.ts';
import { run } from '../run/run.ts';
import { callCommand } from '../testing/call.ts';
import { exportModel } from './export.ts';

const MINUTES = 60_000;
const root = fileURLToPath(new URL('../../..', import.meta.url));
const tinyCoder = join(root, 'public', 'models', 'tiny-coder');
let folder: string;
const at = (name: string) => join(folder, name);

const call = async (command: Command, ...argv: string[]) =>
  (await callCommand(command, [...argv, '--device', 'cpu'], { root })).text;
const write = (...argv: string[]) => call(exportModel, ...argv, '--cache', at('svd'));

const smoke = ['--preset', 'smoke', '--arms', 'route', '--steps', '2', '--set', 'problems=8', '--set', 'evalEvery=0'];
const small = [...smoke, '--set', 'finalEvalProblems=4', '--set', 'pairs=8', '--set', 'k=2', '--set', 'lr=0.02'];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-'));
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Greedy ids after a prompt, and the log-probabilities of a fixed answer to it. */
async function speak(
  { config, weights }: ModelFiles,
  adapter: 'none' | AdapterSettings,
  adapterParams: Float32Array | null,
  storage: WeightStorage = 'f32',
) {
  const device = await createCpuDevice();
  const engine = await Engine.create({ device, config, weights, adapter, storage });
  if (adapterParams) engine.setAdapterParams(adapterParams);
  const prompt = [510, 40, 60, 33, 71, 100, 120, 9];
  const ask = { maxNew: 24, temperature: 0, endTokens: [511] };
  const [said] = await engine.generate({ prompts: [prompt], sequences: [{ prompt: 0, key: [0, 0] }], ...ask });
  const scored = await engine.score([{ prompt, completion: [5, 80, 200, 333, 17], segment: 0 }], 1);
  const logits = await engine.logits(prompt);
  const result = { ids: said.tokens, logprobs: scored.logprobs[0], logits, prompt };
  scored.free();
  engine.free();
  device.destroy();
  return result;
}

/** A folder of `run --out` with this checkpoint. */
async function keepAs(name: string, checkpoint: Checkpoint): Promise<void> {
  await mkdir(at(name));
  await writeFile(at(`${name}/route-41.checkpoint`), serialize(checkpoint));
}

function expectSameWeights(found: Weights, wanted: Weights): void {
  expect([...found.keys()]).toEqual([...wanted.keys()]);
  for (const [name, { shape, data }] of wanted) {
    const other = found.get(name)!;
    expect(other.shape).toEqual(shape);
    expect(Buffer.from(other.data.buffer).equals(Buffer.from(data.buffer)), name).toBe(true);
  }
}

describe('export', () => {
  it.each([
    ['singular directions', [...small, '--set', 'adapter=svd']],
    ['a LoRA', [...small, '--set', 'adapter=lora', '--set', 'loraRank=4']],
  ])(
    'writes the student of a run on %s, which says what the engine with its adapter parameters says',
    async (_, argv) => {
      const name = argv.includes('adapter=lora') ? 'lora' : 'svd';
      await call(run, ...argv, '--out', at(name));
      const checkpoint = (await readCheckpoint(at(`${name}/route-41.checkpoint`)))!;
      const adapter = withDefaults(checkpoint.spec);
      const base = await loadModelFiles(diskSource(tinyCoder));
      const untrained = await speak(base, 'none', null);
      const { total } = checkpoint.optimizer;

      const printed = await write('--run', at(name), '--out', at(`${name}-hf`));
      expect(printed).toContain('trained weights of route-41, step 2');
      const student = await loadModelFiles(diskSource(at(`${name}-hf`)));
      const [read, held] = [await speak(student, 'none', null), await speak(base, adapter, total)];
      expect(read.ids).toEqual(held.ids);
      expect(read.logprobs).toEqual(held.logprobs);
      expect(read.logprobs).not.toEqual(untrained.logprobs);

      // Names and shapes are those that transformers expects: the base's own file, F32, a tokenizer and an end token.
      const [from, to] = await Promise.all(
        [tinyCoder, at(`${name}-hf`)].map((path) =>
          SafetensorsFile.open(bytesSource(readFileSync(join(path, 'model.safetensors'))), path),
        ),
      );
      expect([...to.tensors.keys()].sort()).toEqual([...from.tensors.keys()].sort());
      for (const [key, { shape }] of from.tensors) expect(to.info(key)).toMatchObject({ shape, dtype: 'F32' });
      expect(to.metadata).toMatchObject({
        format: 'pt',
        run: 'route-41',
        weights: 'trained',
        model_sha256: base.sha256,
      });
      expect(student.rawConfig).toEqual({ ...(base.rawConfig as object), torch_dtype: 'float32' });
      expect(student.generationConfig).toEqual({ eos_token_id: [511, 509], pad_token_id: 509 });
      for (const path of ['tokenizer.json', 'tokenizer_config.json'])
        expect(readFileSync(at(`${name}-hf/${path}`))).toEqual(readFileSync(join(tinyCoder, path)));

      await write(
        '--run',
        at(name),
        '--arm-seed',
        'route-41',
        '--weights',
        'deployed',
        '--out',
        at(`${name}-deployed`),
      );
      const shipped = await speak(await loadModelFiles(diskSource(at(`${name}-deployed`))), 'none', null);
      expect(shipped.logprobs).toEqual((await speak(base, adapter, deployed(checkpoint.optimizer))).logprobs);
      expect(shipped.logprobs).not.toEqual(read.logprobs);

      const facts = JSON.parse(
        await write('--run', at(name), '--format', 'onnx', '--json', '--out', at(`${name}-onnx`)),
      );
      expect(facts.origin).toMatchObject({ weights: 'trained', step: '2', device: 'cpu' });
      expect(facts.files.map(({ path }: { path: string }) => path)).toContain('onnx/model.onnx');
      const session = await ort.InferenceSession.create(readFileSync(at(`${name}-onnx/onnx/model.onnx`)));
      const said = (await session.run(feeds(base, held.prompt))).logits.data as Float32Array;
      expect(said.length).toBe(held.logits.length);
      const most = said.reduce((worst, x, i) => Math.max(worst, Math.abs(x - held.logits[i])), 0);
      expect(most).toBeLessThan(1e-3);
      expect(held.logits.some((x, i) => Math.abs(x - untrained.logits[i]) > 2e-3)).toBe(true);
      await session.release();
    },
    3 * MINUTES,
  );

  it('passes a folder, and a run’s base, through as they are', async () => {
    await write('--model', tinyCoder, '--out', at('plain'));
    const [base, same] = await Promise.all([tinyCoder, at('plain')].map((path) => loadModelFiles(diskSource(path))));
    expectSameWeights(await readAll(same.weights), await readAll(base.weights));
    const { generationConfig, rawConfig } = same;
    expect(generationConfig).toEqual({ eos_token_id: [511, 509], pad_token_id: 509 });
    expect(rawConfig).toEqual({ ...(base.rawConfig as object), torch_dtype: 'float32' });
    await write('--run', at('svd'), '--weights', 'base', '--out', at('run-base'));
    const runBase = await loadModelFiles(diskSource(at('run-base')));
    expectSameWeights(await readAll(runBase.weights), await readAll(base.weights));
  });

  it('reports that a run’s prompts used another template than the folder’s', async () => {
    const checkpoint = (await readCheckpoint(at('svd/route-41.checkpoint')))!;
    await keepAs('told', { ...checkpoint, spec: { ...checkpoint.spec, chatTemplate: 'none' } });
    const notesOf = async (name: string) => {
      const argv = ['--run', at(name), '--out', at(`${name}-noted`), '--cache', at('svd'), '--device', 'cpu'];
      return (await callCommand(exportModel, argv, { root })).notes.join('\n');
    };
    expect(await notesOf('told')).toMatch(/The run set chatTemplate or chatArgs/);
    expect(await notesOf('svd')).not.toMatch(/chatTemplate/);
  });

  it.each(['f16', 'q8'] as const)(
    'gives the outputs of a run whose frozen weights were stored as %s',
    async (storage) => {
      const base = await loadModelFiles(diskSource(tinyCoder));
      const checkpoint = (await readCheckpoint(at('svd/route-41.checkpoint')))!;
      const context = checkpoint.context.replace(base.sha256, await storedSha256(base.sha256, storage));
      await keepAs(storage, { ...checkpoint, context });
      await write('--run', at(storage), '--out', at(`${storage}-hf`));
      const student = await loadModelFiles(diskSource(at(`${storage}-hf`)));
      const read = await speak(student, 'none', null);
      const { total } = checkpoint.optimizer;
      const held = await speak(base, withDefaults(checkpoint.spec), total, storage);
      expect(read).toEqual(held);
      expect(read.logprobs).not.toEqual((await speak(base, withDefaults(checkpoint.spec), total)).logprobs);
    },
  );

  it('splits what is too large for one file, and the shards are read as one model', async () => {
    const config = SMALL.qwen2;
    const weights = randomWeights(config, 3);
    const files = weightFiles(config, weights, { weights: 'base' }, { shardBytes: 4000 });
    expect(files.length).toBeGreaterThan(3);
    expect(files.at(-1)!.path).toBe('model.safetensors.index.json');
    const blobs = files.map(({ path, bytes }): [string, Blob] => [path, new Blob([bytes().slice()])]);
    const config_json = new Blob([JSON.stringify(configToJson(config))]);
    const source = memorySource(new Map([...blobs, ['config.json', config_json]]));
    const read = await loadModelFiles(source);
    expectSameWeights(await readAll(read.weights), weights);
    // Without a tokenizer only config.json can name the end of a text.
    expect([...(await filesBesideWeights(read, source)).keys()]).toEqual(['config.json']);
    const rawConfig = { ...(read.rawConfig as object), dtype: 'bfloat16', bos_token_id: 1, eos_token_id: 2 };
    const beside = await filesBesideWeights({ ...read, rawConfig }, source);
    const said = (path: string) => JSON.parse(new TextDecoder().decode(beside.get(path)));
    expect(said('generation_config.json')).toEqual({ bos_token_id: 1, eos_token_id: 2 });
    expect(said('config.json')).toEqual({ ...rawConfig, dtype: 'float32' });
  });

  it('refuses what cannot be, with the reason, and writes nothing', async () => {
    const refused = async (argv: string[], says: RegExp) => {
      const error: unknown = await write(...argv).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(SpecError);
      expect(String(error)).toMatch(says);
    };
    const out = ['--out', at('refused')];
    await refused(['--model', tinyCoder], /--out is missing/);
    await refused(out, /Neither --run nor --model/);
    await refused(['--model', tinyCoder, '--weights', 'deployed', ...out], /a run’s, and --run is not given/);
    await refused(['--model', tinyCoder, '--arm-seed', 'a-1', ...out], /--arm-seed names a run/);
    await refused(['--run', at('nowhere'), ...out], /--run .*nowhere: there is no such folder/);
    await refused(['--run', at('svd'), '--arm-seed', 'none-41', ...out], /keeps no run "none-41"/);
    await refused(['--model', tinyCoder, '--out', tinyCoder], /is not empty/);

    const checkpoint = (await readCheckpoint(at('svd/route-41.checkpoint')))!;
    await keepAs('foreign', { ...checkpoint, spec: { ...checkpoint.spec, model: 'qwen' } });
    await refused(['--run', at('foreign'), ...out], /foreign was trained on qwen, which is no embedded model/);

    await mkdir(at('other'));
    const weights = randomWeights(SMALL.qwen3, 3);
    await writeFile(at('other/model.safetensors'), weightFiles(SMALL.qwen3, weights, {})[0].bytes());
    await writeFile(at('other/config.json'), JSON.stringify(configToJson(SMALL.qwen3)));
    await refused(['--run', at('svd'), '--model', at('other'), ...out], /was trained on weights with the sha-256/);
    await refused(['--model', tinyCoder, '--out', at('other/config.json')], /cannot be listed \(ENOTDIR\)/);
    expect(existsSync(at('refused'))).toBe(false);
  });

  it('says in its help what it writes', () => {
    expect(helpText(exportModel.usage)).toMatch(/onnx\/model\.onnx; inputs and outputs are named as onnx-community/);
  });
});

function feeds({ config }: ModelFiles, ids: readonly number[]): Record<string, ort.Tensor> {
  const longs = (values: readonly number[]) =>
    new ort.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
  const past = Array.from({ length: config.layers }, (_, n) =>
    ['key', 'value'].map((kind): [string, ort.Tensor] => [
      `past_key_values.${n}.${kind}`,
      new ort.Tensor('float32', new Float32Array(), [1, config.kvHeads, 0, config.headDim]),
    ]),
  );
  return {
    input_ids: longs(ids),
    attention_mask: longs(ids.map(() => 1)),
    position_ids: longs(ids.map((_, i) => i)),
    ...Object.fromEntries(past.flat()),
  };
}
