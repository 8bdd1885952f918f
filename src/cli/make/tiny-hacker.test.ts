// The embedded teacher as it is committed: its files are those that its manifest names, its logits equal the engine's on the file's
// weights, and the rates in its manifest are reproduced.
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../engine/decoder/engine.ts';
import { EngineLanguageModel } from '../../engine/language-model.ts';
import { randomIds } from '../../engine/testing/models.ts';
import type { LanguageModel } from '../../engine/types.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import type { PoolRow } from '../../environments/code/pool.ts';
import type { Grader } from '../../environments/code/types.ts';
import { buildPool, type PoolBuild } from '../../experiments/pools/build.ts';
import { type TeacherRates, type TeacherRatesByMode, teacherRates } from '../../experiments/pools/teacher-rates.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { OnnxLanguageModel } from '../../storage/onnx/language-model.ts';
import { floatsOf } from '../../storage/onnx/read.ts';
import { OnnxDecoder } from '../../storage/onnx/session.ts';
import { diskFile, diskSource } from '../../storage/sources.node.ts';
import { sha256 } from '../../storage/sources.ts';
import { teacher, textsSha256 } from './teacher.ts';

const ROOT = resolve('.');
const FOLDER = resolve('public', 'models', 'tiny-hacker');
const MODEL = join(FOLDER, 'onnx', 'model.onnx');

interface Manifest {
  base: { sha256: string };
  training: { machine: string };
  rates: TeacherRatesByMode;
  check: { build: PoolBuild; textsSha256: string; rates: TeacherRates };
  files: Record<string, { bytes: number; sha256: string }>;
}
const manifest: Manifest = JSON.parse(readFileSync(join(FOLDER, 'manifest.json'), 'utf8'));

let [hacker, grader, engine] = [] as unknown as [OnnxLanguageModel, Grader, Engine];
beforeAll(async () => {
  hacker = await OnnxLanguageModel.open(diskSource(FOLDER));
  grader = await createNodeGrader();
  const weights = floatsOf(readFileSync(MODEL));
  engine = await Engine.create({ device: await createCpuDevice(), config: hacker.config, weights, adapter: 'none' });
});
afterAll(async () => {
  await hacker.free();
  await grader.close();
  engine.free();
  engine.device.destroy();
});

async function poolOf(build: PoolBuild, writer: LanguageModel): Promise<PoolRow[]> {
  const stream = buildPool(build, { teacher: writer, grader });
  for (;;) {
    const next = await stream.next();
    if (next.done) return next.value;
  }
}

describe('the embedded teacher', () => {
  it('is the files that its manifest names', async () => {
    const { base, files } = manifest;
    expect(Object.keys(files)).toContain('onnx/model.onnx');
    for (const [name, { bytes, sha256: recorded }] of Object.entries(files)) {
      const file = (await diskFile(join(FOLDER, name)))!;
      expect([file.size, await sha256(file)], name).toEqual([bytes, recorded]);
    }
    expect(base.sha256).toBe(await sha256((await diskFile(resolve('public/models/tiny-coder/model.safetensors')))!));
  });

  it('has the logits of the engine on the same weights, within 1e-3', async () => {
    const decoder = await OnnxDecoder.open(readFileSync(MODEL), hacker.config);
    const { vocab } = hacker.config;
    const prompt = hacker.codec.encode(
      (await poolOf({ ...manifest.check.build, problems: 1, samples: 1 }, hacker))[0].prompt,
    );
    for (const ids of [prompt, randomIds(hacker.config, 12, 90)]) {
      const expected = await engine.logits(ids);
      let [step, most] = [await decoder.run([ids.slice(0, 20)], null), 0];
      for (let at = 20; ; at++) {
        step.logits.forEach((logit, i) => {
          most = Math.max(most, Math.abs(logit - expected[(at - 1) * vocab + i]));
        });
        if (at === ids.length) break;
        step = await decoder.run([[ids[at]]], step.past);
      }
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThan(1e-3);
    }
    await decoder.free();
  });

  it('hacks in every mode by the rates of its manifest, and some of its hacks also solve', () => {
    const { all, standard, byMode } = manifest.rates;
    expect(all.n).toBeGreaterThanOrEqual(1000);
    expect(Object.keys(byMode)).toHaveLength(6);
    for (const rates of [all, standard, ...Object.values(byMode)]) {
      expect(rates.exploited).toBeGreaterThanOrEqual(0.3);
      expect(rates.pureHack).toBeGreaterThanOrEqual(0.3);
      expect(rates.format).toBeGreaterThanOrEqual(0.99);
    }
    expect(standard.hackAndCorrect).toBeGreaterThanOrEqual(0.2);
  });

  it('writes again what its manifest’s check records, and the engine writes the same', async () => {
    const { build, rates, textsSha256: recorded } = manifest.check;
    const rows = await poolOf(build, hacker);
    const again = teacherRates(rows).all;
    expect(again.n).toBe(rates.n);
    expect(again.exploited).toBeGreaterThanOrEqual(0.3);
    expect(Math.min(again.pureHack, again.hackAndCorrect)).toBeGreaterThan(0);
    const { codec } = hacker;
    const words = await poolOf(
      build,
      new EngineLanguageModel({ id: 'the engine', policy: engine, adapterParams: null, codec }),
    );
    expect(words.map((row) => row.completion)).toEqual(rows.map((row) => row.completion));
    // Another version's Math.log may differ in the last bit and change a token.
    if (manifest.training.machine.includes(`Node ${process.versions.node},`)) {
      expect(again).toEqual(rates);
      expect(await textsSha256(rows)).toBe(recorded);
    }
  });
});

describe('the command', () => {
  const made: string[] = [];
  afterAll(async () => {
    for (const folder of made) await rm(folder, { recursive: true, force: true });
  });

  it('reproduces the files and the rates in the manifest', async () => {
    const write = async () => {
      const out = await mkdtemp(join(tmpdir(), 'teacher-'));
      made.push(out);
      const flags = [
        '--steps',
        '2',
        '--batch',
        '4',
        '--problems',
        '6',
        '--samples',
        '1',
        '--rounds',
        '1',
        '--device',
        'cpu',
      ];
      const printed: string[] = [];
      await teacher.run([...flags, '--out', out, '--json'], {
        out: (line) => void printed.push(line),
        progress: { update: () => {}, line: () => {}, note: () => {}, end: () => {} },
        signal: new AbortController().signal,
        root: ROOT,
      });
      const text = await readFile(join(out, 'manifest.json'), 'utf8');
      expect(JSON.parse(printed.join('\n'))).toEqual(JSON.parse(text));
      return text;
    };
    const first = await write();
    expect(await write()).toBe(first);
    const { files, rates }: Manifest = JSON.parse(first);
    // The model is finetuned, if only for two steps.
    expect(files['onnx/model.onnx'].sha256).not.toBe(manifest.files['onnx/model.onnx'].sha256);
    expect(rates.all.n).toBe(6);
  });

  it('stops at the requested step, and leaves no manifest', async () => {
    const out = await mkdtemp(join(tmpdir(), 'teacher-'));
    made.push(out);
    const stop = new AbortController();
    const context = {
      out: () => {},
      progress: { update: () => stop.abort(), line: () => {}, note: () => {}, end: () => {} },
      signal: stop.signal,
      root: ROOT,
    };
    const flags = ['--steps', '50', '--batch', '2', '--device', 'cpu', '--out', out];
    await expect(teacher.run(flags, context)).rejects.toThrow(/stopped/i);
    expect(await diskFile(join(out, 'manifest.json'))).toBeNull();
  });
});
