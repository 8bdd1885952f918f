import { readdirSync, readFileSync } from 'node:fs';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { adapterLayout, layOutAdapter } from '../engine/adapter-layout.ts';
import { parseConfig } from '../engine/config-reading.ts';
import { adapterMetadata, coverOf, type ModuleBasis, readBasisFile, writeBasisFile } from './basis-file.ts';
import { bytesSource, SafetensorsFile } from './safetensors.ts';
import { type TensorToWrite, writeSafetensors } from './safetensors-write.ts';

const layout = adapterLayout(
  parseConfig({
    model_type: 'qwen3',
    hidden_size: 8,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    head_dim: 4,
    intermediate_size: 12,
    vocab_size: 16,
  }),
);
const [first, second] = layout.modules;

/** Rows of the identity, cyclically shifted: orthonormal. */
function unitRows(k: number, r: number, shift = 0): ModuleBasis {
  const V = new Float32Array(k * r);
  for (let i = 0; i < k; i++) V[i * r + ((i + shift) % r)] = 1;
  return { k, r, V, S: Float32Array.from({ length: k }, (_, i) => k - i) };
}
const whole = () => new Map(layout.modules.map((module) => [module.name, unitRows(2, module.r, 1)]));
const read = (bytes: Uint8Array, modelSha256?: string) =>
  readBasisFile(bytesSource(bytes), layout, { label: 'basis.safetensors', modelSha256 });
const refusal = async (bytes: Uint8Array, modelSha256?: string) => {
  const error = await read(bytes, modelSha256).then(
    () => null,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(FormatError);
  return (error as FormatError).message;
};

describe('basis file', () => {
  it('reads back what it writes, metadata included', async () => {
    const metadata = {
      k: 2,
      nPairs: 24,
      tauAxis: 0,
      nHeldout: 0,
      modelSha256: 'ab'.repeat(32),
      pairsSha256: 'cd'.repeat(32),
      promptsSha256: 'ef'.repeat(32),
      adapter: null,
      loraRank: null,
    };
    const basis = await read(writeBasisFile(whole(), metadata), metadata.modelSha256);
    expect(basis.metadata).toEqual(metadata);
    expect(basis.modules).toEqual(whole());
    expect(basis.warnings).toEqual([]);
    expect(basis.zeroRows).toBe(0);
  });

  it('can be read only for the adapter of its extraction, which the refusal names', async () => {
    const lora = layOutAdapter(layout.modules, { adapter: 'lora', loraRank: 2 });
    const low = new Map(lora.modules.map((module) => [module.name, unitRows(2, module.r, 1)]));
    const bytes = writeBasisFile(low, { k: 2, ...adapterMetadata(lora) });
    const open = (given: typeof layout, anyAdapter?: boolean, file = bytes) =>
      readBasisFile(bytesSource(file), given, { label: 'b', anyAdapter });
    expect((await open(lora)).modules).toEqual(low);
    expect((await open(lora)).metadata).toMatchObject({ adapter: 'lora', loraRank: 2 });
    expect((await open(layout, true)).modules).toEqual(low);
    await expect(open(layout)).rejects.toThrow(
      /^b is a basis of a LoRA of rank 2 \(V\/\S+q_proj has the shape \[2,32\]\); here the adapter is singular directions, which needs \[k, 8\]/,
    );
    const other = layOutAdapter(layout.modules, { adapter: 'lora', loraRank: 3 });
    await expect(open(other)).rejects.toThrow(/a LoRA of rank 2 .*; here the adapter is a LoRA of rank 3/);
    const plain = writeBasisFile(whole(), adapterMetadata(layout));
    expect(Object.keys((await SafetensorsFile.open(bytesSource(plain), 'b')).metadata)).toEqual(['file_sha256']);
    await expect(open(lora, false, plain)).rejects.toThrow(/a basis of singular directions .* a LoRA of rank 2/);
    expect((await open(lora, true, plain)).modules).toEqual(whole());
  });

  it('accepts zero rows, missing modules and missing metadata, with warnings', async () => {
    const modules = new Map([[first.name, unitRows(3, first.r)]]);
    modules.get(first.name)!.V.fill(0, 2 * first.r);
    const basis = await read(writeBasisFile(modules, {}));
    expect(basis.zeroRows).toBe(1);
    expect(basis.warnings.join(' ')).toMatch(/Only 1 of the model's 7 Linears.*does not say which model/);
    expect(basis.metadata.nPairs).toBeNull();
  });

  it('refuses a basis of another model, by hash and by name', async () => {
    const bytes = writeBasisFile(whole(), { modelSha256: '1'.repeat(64) });
    expect(await refusal(bytes, '2'.repeat(64))).toMatch(/extracted from another model/);
    expect(await refusal(writeBasisFile(new Map([['model.layers.9.mlp.up_proj', unitRows(1, 8)]]), {}))).toMatch(
      /: 2 of its 2 tensors belong to no Linear of this model: "V\/model\.layers\.9\.mlp\.up_proj", "S\/model/,
    );
  });

  it('refuses rows that are not orthonormal, naming them', async () => {
    const long = whole();
    long.get(second.name)!.V[1] = 1.5;
    expect(await refusal(writeBasisFile(long, {}))).toMatch(
      new RegExp(`row 0 of V/${second.name} has the squared length 2.250`),
    );
    const skew = whole();
    const { V, r } = skew.get(first.name)!;
    V.copyWithin(r, 0, r);
    expect(await refusal(writeBasisFile(skew, {}))).toMatch(/rows 0 and 1 .* not orthogonal/);
    const nan = whole();
    nan.get(first.name)!.V[0] = Number.NaN;
    expect(await refusal(writeBasisFile(nan, {}))).toMatch(
      new RegExp(`1 of the ${2 * first.r} numbers of V/${first.name} are not finite, the first in row 0`),
    );
  });

  it('refuses a basis without an axis, and counts as covered only modules that have one', async () => {
    const zeros = whole();
    for (const { V } of zeros.values()) V.fill(0);
    const all = /all 14 axes of its 7 modules are zero, so nothing would be projected/;
    expect(await refusal(writeBasisFile(zeros, {}))).toMatch(all);
    // The noise floor drops an axis with S = 0, whatever its direction.
    const silent = whole();
    for (const { S } of silent.values()) S.fill(0);
    expect(await refusal(writeBasisFile(silent, {}))).toMatch(all);
    zeros.get(second.name)!.V[1] = 1;
    const basis = await read(writeBasisFile(zeros, {}));
    expect(coverOf(basis.modules)).toEqual({ modules: 1, axes: 1 });
    expect(basis.warnings.join(' ')).toMatch(/Only 1 of the model's 7 Linears have an axis/);
  });

  it('refuses wrong ranks, negative singular values, V without S, and an empty file', async () => {
    expect(await refusal(writeBasisFile(new Map([[first.name, unitRows(2, first.r + 1)]]), {}))).toMatch(
      /1 of the model's 7 modules have another rank: model\.layers\.0\.self_attn\.q_proj \(found r = 9, expected 8\)\.$/,
    );
    const wide = new Map(layout.modules.map(({ name, r }) => [name, unitRows(2, r + 1)]));
    expect(await refusal(writeBasisFile(wide, {}))).toMatch(/7 of .*k_proj \(found r = \d+, .*v_proj .* and 4 more\.$/);
    const negative = whole();
    negative.get(first.name)!.S[1] = -1;
    expect(await refusal(writeBasisFile(negative, {}))).toMatch(
      /is -1; a singular value is a finite number of at least 0/,
    );
    const half = new Map<string, TensorToWrite>([
      [`V/${first.name}`, { dtype: 'F32', shape: [1, first.r], data: unitRows(1, first.r).V }],
    ]);
    expect(await refusal(writeSafetensors(half))).toMatch(/has V but no S/);
    expect(await refusal(writeSafetensors(new Map()))).toMatch(/no basis at all/);
  });

  it('accepts the bases of the reference fixtures', async (context) => {
    const folder = new URL('../../../shared/oracle/', import.meta.url);
    let names: string[];
    try {
      names = readdirSync(folder).filter((name) => !name.includes('.'));
    } catch {
      return context.skip('../shared is not here');
    }
    for (const name of names) {
      const config = parseConfig(JSON.parse(readFileSync(new URL(`${name}/config.json`, folder), 'utf8')));
      const fixtureLayout = adapterLayout(config);
      const file = await SafetensorsFile.open(
        bytesSource(readFileSync(new URL(`${name}/expected.safetensors`, folder))),
        name,
      );
      const modules = new Map<string, ModuleBasis>();
      for (const module of fixtureLayout.modules) {
        const [k, r] = file.info(`pairs.V/${module.name}`).shape;
        const V = await file.readF32(`pairs.V/${module.name}`);
        modules.set(module.name, { k, r, V, S: await file.readF32(`pairs.S/${module.name}`) });
      }
      const basis = await readBasisFile(bytesSource(writeBasisFile(modules, { k: 3 })), fixtureLayout, { label: name });
      expect(basis.modules.size).toBe(fixtureLayout.modules.length);
    }
  });
});
