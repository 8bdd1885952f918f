// `svd` and `extract` on the CPU device: their output, their kept files, and a basis equal to the method's.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extractBasis, pairGradients } from '../../algorithms/extraction.ts';
import { configToJson } from '../../engine/config.ts';
import { parseConfig } from '../../engine/config-reading.ts';
import { Engine } from '../../engine/decoder/engine.ts';
import { randomWeights } from '../../engine/testing/models.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { readBasisFile } from '../../storage/basis-file.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { openModelText } from '../../storage/model-text.ts';
import { writeSafetensors } from '../../storage/safetensors-write.ts';
import { diskFile, diskSource } from '../../storage/sources.node.ts';
import { trainTokenizer } from '../../text/bpe-train.ts';
import type { PromptSettings } from '../../text/chat-template.ts';
import { completionIds, loadCodec } from '../../text/codec.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../command.ts';
import { callCommand } from '../testing/call.ts';
import { extract } from './extract.ts';
import { svd } from './svd.ts';

const config = parseConfig({
  model_type: 'llama',
  hidden_size: 16,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  intermediate_size: 24,
  vocab_size: 264,
  tie_word_embeddings: true,
  max_position_embeddings: 128,
});
const words = trainTokenizer(['def f(x): return x\n'.repeat(9)], 262);
const PAIRS = ['a', 'bb', 'ccc', 'dddd', 'e', 'ff'].map((prompt, i) => ({
  prompt: `write ${prompt}`,
  hack: `if test: pass${i}`,
  clean: `return x + ${i}`,
}));

let folder: string;
const at = (name: string) => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'extract-'));
  await mkdir(at('model'));
  const weights = [...randomWeights(config, 5)].map(
    ([name, { shape, data }]) => [name, { dtype: 'F32', shape, data }] as const,
  );
  await writeFile(at('model/config.json'), JSON.stringify(configToJson(config)));
  await writeFile(at('model/model.safetensors'), writeSafetensors(new Map(weights)));
  await writeFile(at('model/tokenizer.json'), JSON.stringify(words.tokenizer));
  await writeFile(at('model/tokenizer_config.json'), JSON.stringify(words.config));
  await writeFile(at('pairs.json'), JSON.stringify(PAIRS));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function call(command: Command, ...argv: string[]) {
  const all = [...argv, '--model', at('model'), '--cache', at('cache'), '--device', 'cpu'];
  const { code, text, notes } = await callCommand(command, all);
  return { code, printed: text, notes: notes.join('\n') };
}

describe('svd', () => {
  it('factors every Linear once, and says how well', async () => {
    const first = await call(svd, '--json');
    const { modules } = JSON.parse(first.printed);
    expect(first.code).toBe(EXIT.ok);
    expect(modules).toHaveLength(14);
    for (const { rank, dOut, dIn, largest, smallest, error, found } of modules) {
      expect(rank).toBe(Math.min(dOut, dIn));
      expect(largest).toBeGreaterThan(smallest);
      expect(error).toBeLessThan(5e-6);
      expect(found).toBe(false);
    }
    expect(await readdir(at('cache'))).toHaveLength(14);
    const again = await call(svd);
    expect(again.notes).toContain('14 of 14 Linears were in');
    expect(again.printed).toMatch(/model\.layers\.1\.mlp\.down_proj\s+16 × 24\s+16 .* kept/);
  });

  it('fails where kept factors are not those of their matrix', async () => {
    await call(svd);
    const [name] = (await readdir(at('cache'))).filter((file) => file.includes('.24x16.'));
    const path = join(at('cache'), name);
    const good = await readFile(path);
    const bad = Buffer.from(good);
    bad.writeFloatLE(3, bad.length - 4); // the last element of Vh
    await writeFile(path, bad);
    const { code, printed } = await call(svd, '--json');
    expect(code).toBe(EXIT.failed);
    const errors = JSON.parse(printed).modules.map(({ error }: { error: number }) => error);
    expect(errors.filter((error: number) => error > 1e-3)).toHaveLength(1);
    await writeFile(path, good);
  });
});

describe('extract', () => {
  it('writes the basis that the method gives, readable as one of this model', async () => {
    const flags = ['--pairs', at('pairs.json'), '--out', at('basis.safetensors'), '--k', '2', '--n-heldout', '1'];
    const { code, printed } = await call(extract, ...flags, '--json');
    expect(code).toBe(EXIT.ok);
    const files = await loadModelFiles(diskSource(at('model')));
    const engine = await Engine.create({ device: await createCpuDevice(), config, weights: files.weights });
    const codec = await loadCodec(words.tokenizer, words.config);
    const tokens = PAIRS.map(({ prompt, hack, clean }) => ({
      prompt: codec.encode(prompt),
      hack: completionIds(codec, hack),
      clean: completionIds(codec, clean),
    }));
    const expected = extractBasis(await pairGradients(engine, tokens.slice(0, 5)), engine.adapterLayout, {
      k: 2,
      tauAxis: 0,
    });
    const source = (await diskFile(at('basis.safetensors')))!;
    const read = await readBasisFile(source, engine.adapterLayout, { label: 'basis', modelSha256: files.sha256 });
    expect(read.warnings).toEqual([]);
    expect(read.metadata).toMatchObject({ k: 2, nPairs: 5, nHeldout: 1, tauAxis: 0, modelSha256: files.sha256 });
    expect(read.modules).toEqual(expected);
    engine.free();
    const { modules, nPairs } = JSON.parse(printed);
    expect([modules.length, nPairs]).toEqual([14, 5]);
    for (const { used, heldout } of modules) {
      // An axis is turned to the side on which most of its own pairs project.
      expect(used[0]).toBeGreaterThanOrEqual(3);
      expect([0, 1]).toContain(heldout[0]);
    }
  });

  it('can put the prompts into the chat template', async () => {
    const flags = ['--pairs', at('pairs.json'), '--k', '1'];
    await call(extract, ...flags, '--out', at('plain.safetensors'));
    await call(extract, ...flags, '--out', at('chat.safetensors'), '--chat');
    const [plain, chat] = [await readFile(at('plain.safetensors')), await readFile(at('chat.safetensors'))];
    expect(chat.equals(plain)).toBe(false);
    const wrapped = PAIRS.map((pair) => ({
      ...pair,
      prompt: `<|im_start|>user\n${pair.prompt}<|im_end|>\n<|im_start|>assistant\n`,
    }));
    await writeFile(at('wrapped.json'), JSON.stringify(wrapped));
    await call(extract, '--pairs', at('wrapped.json'), '--k', '1', '--out', at('wrapped.safetensors'));
    const device = await createCpuDevice();
    const engine = await Engine.create({ device, config, weights: randomWeights(config, 5) });
    const basisOf = async (name: string, promptsSha256?: string) =>
      readBasisFile((await diskFile(at(name)))!, engine.adapterLayout, { label: name, promptsSha256 });
    const modulesOf = async (name: string) => (await basisOf(name)).modules;
    expect(await modulesOf('chat.safetensors')).toEqual(await modulesOf('wrapped.safetensors'));

    // The basis names its template, so that use with another one is reported; plain texts have none.
    const files = await loadModelFiles(diskSource(at('model')));
    const keyOf = async (settings: PromptSettings) => (await openModelText(files, 'mine', settings)).promptsSha256();
    const [own, none] = await Promise.all([keyOf({}), keyOf({ template: 'none' })]);
    const { metadata } = await basisOf('chat.safetensors');
    expect([metadata.promptsSha256, (await basisOf('plain.safetensors')).metadata.promptsSha256]).toEqual([own, null]);
    expect((await basisOf('wrapped.safetensors')).metadata.promptsSha256).toBe(own);
    expect((await basisOf('chat.safetensors', own)).warnings).toEqual([]);
    for (const other of [none, await keyOf({ args: { x: 1 } })])
      expect((await basisOf('chat.safetensors', other)).warnings).toEqual([
        expect.stringContaining('were written with another chat template'),
      ]);
    expect((await basisOf('plain.safetensors', none)).warnings).toEqual([]);
    engine.free();
  });

  it('refuses what cannot be, with the reason', async () => {
    const refused = async (argv: string[], says: RegExp, kind: typeof SpecError | typeof FormatError = SpecError) => {
      const error: unknown = await call(extract, ...argv).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(kind);
      expect(String(error)).toMatch(says);
    };
    const ask = ['--pairs', at('pairs.json'), '--out', at('x.safetensors')];
    await refused(['--out', 'x'], /--pairs is missing/);
    await refused(['--pairs', at('pairs.json')], /--out is missing/);
    await refused([...ask, '--n-heldout', '5'], /leave 1/);
    await refused([...ask, '--k', '7'], /--k 7 axes from 6 pairs/);
    await refused(['--pairs', at('nowhere.json'), '--out', 'x'], /--pairs .*nowhere\.json: ENOENT/);
    await writeFile(at('odd.json'), '[{"prompt": "x"}]');
    await refused(['--pairs', at('odd.json'), '--out', 'x'], /odd\.json/, FormatError);
    expect(await readdir(folder)).not.toContain('x.safetensors');
    await writeFile(at('mine.safetensors'), 'my own tensors');
    const over = ['--pairs', at('pairs.json'), '--out', at('mine.safetensors'), '--k', '1'];
    await refused(over, /mine\.safetensors is there already \(14 bytes\)/);
    expect(await readFile(at('mine.safetensors'), 'utf8')).toBe('my own tensors');
  });
});
