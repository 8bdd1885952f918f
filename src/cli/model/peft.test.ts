// Adapters of PEFT against the fixtures of ../shared/exchange/peft (skipped where they are missing): what is applied gives the expected ids
// and logits, what is refused is refused by name, each single change of a good adapter too.
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../engine/decoder/engine.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { SafetensorsFile } from '../../storage/safetensors.ts';
import { writeSafetensors } from '../../storage/safetensors-write.ts';
import { diskFile } from '../../storage/sources.node.ts';
import { callCommand } from '../testing/call.ts';
import { openModel } from './folder.ts';
import { generate } from './generate.ts';

const PEFT = resolve('../shared/exchange/peft');
const isHere = existsSync(join(PEFT, 'expected.json'));

interface Case {
  base: string;
  tokenizer: string;
  outcome: 'apply' | 'either' | 'refuse';
  says: string[];
  prompt: string;
  prompt_ids: number[];
  ids: number[];
  delta_norm: Record<string, number>;
}
interface Change {
  config?: Record<string, unknown>;
  drop?: string;
  transpose?: string;
  nan?: string;
  rename?: [string, string];
  file?: [string, string | null];
  cut?: number;
}
const expected: { cases: Record<string, Case>; changed: { change: Change; says: string[] }[] } = isHere
  ? JSON.parse(readFileSync(join(PEFT, 'expected.json'), 'utf8'))
  : { cases: {}, changed: [] };
const cases = Object.entries(expected.cases).map(([name, one]) => ({ name, ...one }));
if (!isHere) console.log('peft.test.ts: ../shared/exchange/peft is missing; nothing of it is checked.');

let folder: string;
/** Folder of the base with its tokenizer, as the facts describe it. */
const baseOf = ({ base }: Pick<Case, 'base'>) => join(folder, base.split('/').at(-1)!);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'peft-'));
  for (const one of new Map(cases.map((item) => [item.base, item])).values()) {
    await mkdir(baseOf(one));
    for (const name of ['config.json', 'model.safetensors'])
      await symlink(resolve(PEFT, one.base, name), join(baseOf(one), name));
    for (const name of ['tokenizer.json', 'tokenizer_config.json'])
      await symlink(join(PEFT, one.tokenizer, name), join(baseOf(one), name));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const context = {
  progress: { update: () => {}, line: () => {}, note: () => {}, end: () => {} },
  signal: new AbortController().signal,
  root: process.cwd(),
};
const asked = (one: Case, adapter: string) => [
  ...['--model', baseOf(one), '--adapter', adapter, '--prompt', one.prompt],
  ...['--greedy', '--max-new', '12', '--device', 'cpu', '--json'],
];
const relative = (got: Float32Array, wanted: Float32Array) => {
  let [off, size] = [0, 0];
  got.forEach((x, i) => {
    off += (x - wanted[i]) ** 2;
    size += wanted[i] ** 2;
  });
  return Math.sqrt(off / size);
};
/** A message that names the case by one of its words, and has a remedy. */
const expectRefusal = (error: unknown, says: readonly string[]) => {
  expect(error instanceof FormatError || error instanceof SpecError, String(error)).toBe(true);
  const { message, remedy } = error as FormatError;
  expect(
    says.filter((word) => message.toLowerCase().includes(word.toLowerCase())),
    message,
  ).not.toEqual([]);
  expect(remedy).not.toBe('');
};

describe.skipIf(!isHere)('adapters that are applied', () => {
  it.each(cases.filter(({ outcome }) => outcome === 'apply'))('$name', async (one) => {
    const adapter = join(PEFT, one.name);
    const { code, text, notes } = await callCommand(generate, asked(one, adapter));
    const said = JSON.parse(text);
    expect(code).toBe(0);
    expect([said.promptIds, said.ids]).toEqual([one.prompt_ids, one.ids]);
    expect(said.adapter).toMatchObject({ folder: adapter, modules: Object.keys(one.delta_norm).length });
    expect(notes).toContainEqual(expect.stringContaining(`Adapter ${adapter}: rank ${said.adapter.r}, scale`));

    const { files } = await openModel({ model: baseOf(one), adapter }, context);
    const file = await SafetensorsFile.open((await diskFile(join(PEFT, 'expected.safetensors')))!, 'expected');
    const device = await createCpuDevice();
    const engine = await Engine.create({ device, config: files.config, weights: files.weights, adapter: 'none' });
    try {
      const logits = await engine.logits(one.prompt_ids);
      expect(relative(logits, await file.readF32(`${one.name}/logits`))).toBeLessThan(1e-5);
    } finally {
      engine.free();
      device.destroy();
    }
    const base = await openModel({ model: baseOf(one), adapter: null }, context);
    expect(files.sha256).not.toBe(base.files.sha256);
    for (const [module, norm] of Object.entries(one.delta_norm)) {
      const [w, folded] = [
        await base.files.weights.read(`${module}.weight`),
        await files.weights.read(`${module}.weight`),
      ];
      const found = Math.sqrt(folded.data.reduce((sum, x, i) => sum + (x - w.data[i]) ** 2, 0));
      expect(Math.abs(found / norm - 1), module).toBeLessThan(1e-4);
      // A part of a weight is the same numbers as the whole.
      const part = new Float32Array(100);
      await files.weights.readPart!(`${module}.weight`, 37, part);
      expect([...part], module).toEqual([...folded.data.subarray(37, 137)]);
    }
  });
});

describe.skipIf(!isHere)('adapters that are refused', () => {
  it.each(cases.filter(({ outcome }) => outcome !== 'apply'))('$name', async (one) => {
    const error = await callCommand(generate, asked(one, join(PEFT, one.name))).catch((thrown) => thrown);
    expectRefusal(error, one.says);
  });

  it.each(expected.changed)('plain with $change', async ({ change, says }) => {
    const adapter = await mkdtemp(join(folder, 'changed-'));
    await cp(join(PEFT, 'plain'), adapter, { recursive: true });
    await apply(change, adapter);
    const error = await callCommand(generate, asked(expected.cases.plain, adapter)).catch((thrown) => thrown);
    expectRefusal(error, says);
  });
});

describe.skipIf(!isHere)('the base without --model', () => {
  const ask = (adapter: string) => [
    '--adapter',
    adapter,
    '--prompt',
    'a',
    '--greedy',
    '--max-new',
    '1',
    '--device',
    'cpu',
  ];
  const named = async (base: string | null) => {
    const adapter = await mkdtemp(join(folder, 'named-'));
    await cp(join(PEFT, 'plain'), adapter, { recursive: true });
    await apply({ config: { base_model_name_or_path: base } }, adapter);
    return adapter;
  };

  it('is a folder, seen from the adapter’s', async () => {
    const adapter = await named('../qwen3-tied');
    const { code, text } = await callCommand(generate, [...ask(adapter), '--json']);
    expect([code, JSON.parse(text).model.folder]).toEqual([0, join(folder, 'qwen3-tied')]);
  });

  it.each<[string | null, RegExp]>([
    ['Qwen/Qwen3-0.6B', /"Qwen\/Qwen3-0\.6B".*neither a folder beside it nor an embedded model/],
    [null, /names no base \(base_model_name_or_path\)/],
    ['../../etc', /"\.\.\/\.\.\/etc"/],
    ['tiny-coder', /no such Linear|d_in of the base/],
  ])('is %s', async (base, says) => {
    const error = await callCommand(generate, ask(await named(base))).catch((thrown) => thrown);
    expect(error instanceof SpecError || error instanceof FormatError).toBe(true);
    expect(String(error)).toMatch(says);
  });

  it('is not asked of the Hub where the name is that of a folder', async () => {
    const error = await callCommand(generate, ask('./nowhere')).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SpecError);
    expect(String(error)).toMatch(/--adapter \.\/nowhere: there is no such folder/);
  });
});

/** Makes one change of `expected.json` to the copy of an adapter. */
async function apply(change: Change, adapter: string): Promise<void> {
  const [config, weights] = ['adapter_config.json', 'adapter_model.safetensors'].map((name) => join(adapter, name));
  if (change.config) {
    const before = JSON.parse(await readFile(config, 'utf8'));
    await writeFile(config, JSON.stringify(Object.assign(before, change.config)));
  }
  if (change.file) {
    const [from, to] = change.file;
    if (to === null) await rm(join(adapter, from));
    else await rename(join(adapter, from), join(adapter, to));
  }
  if (change.cut !== undefined) await writeFile(weights, (await readFile(weights)).subarray(0, change.cut));
  const { drop, transpose, nan, rename: names } = change;
  if ((drop ?? transpose ?? nan ?? names) === undefined) return;
  const file = await SafetensorsFile.open((await diskFile(weights))!, weights);
  const tensors = new Map<string, { dtype: 'F32'; shape: readonly number[]; data: Float32Array }>();
  for (const [name, { shape }] of file.tensors) {
    if (name === drop) continue;
    const data = await file.readF32(name);
    if (name === nan) data[3] = Number.NaN;
    const kept = names ? name.replace(names[0], names[1]) : name;
    tensors.set(kept, { dtype: 'F32', shape: name === transpose ? [...shape].reverse() : shape, data });
  }
  await writeFile(weights, writeSafetensors(tensors, { format: 'pt' }));
}
