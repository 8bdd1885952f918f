// Files of `run` and `pretrain` read back to the byte, and are never half written.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TrainerState } from '../../engine/decoder/trainer.ts';
import type { AdapterLayout } from '../../engine/types.ts';
import { pairsOf, pairsToJson } from '../../environments/pair-sets.ts';
import { parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import { pairSetId } from '../../experiments/records/artifacts.ts';
import type { Checkpoint } from '../../experiments/records/checkpoint.ts';
import type { RunRecord, StepTiming } from '../../experiments/records/events.ts';
import { readCheckpointFile } from '../../storage/checkpoint-file.ts';
import { bytesSource } from '../../storage/safetensors.ts';
import { readPairFile } from '../files/given.node.ts';
import { readTrainerState, writeTrainerState } from '../make/trainer-state.ts';
import { writeWhole } from '../ports.node.ts';
import { openRunFolder } from './folder.ts';
import { openRunsFolder } from './runs-folder.ts';

let root: string;
/** Folder of files that are not the lab's. */
let elsewhere: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'run-'));
  elsewhere = mkdtempSync(join(tmpdir(), 'other-'));
});
afterEach(() => {
  for (const folder of [root, elsewhere]) rmSync(folder, { recursive: true, force: true });
});

const layout: AdapterLayout = {
  modules: [{ name: 'model.layers.0.mlp.up_proj', offset: 0, r: 3, dOut: 3, dIn: 3 }],
  total: 3,
};

function checkpoint(): Checkpoint {
  const [spec] = resolveRuns(parseExperimentSpec({ preset: 'smoke', arms: ['route'] }));
  const moments = () => ({ m: new Float32Array([1, 2, 3]), v: new Float32Array([4, 5, 6]), t: 7 });
  return {
    schema: 1,
    runId: 'cli/route/41',
    spec,
    context: 'c',
    step: 2,
    optimizer: {
      total: new Float32Array([5, 7, 9]),
      hack: new Float32Array([1, 2, -3e-40]),
      moments: moments(),
      hackMoments: moments(),
      shadows: { no_gate: new Float32Array([0.1, 0, -0]) },
    },
    rows: [],
    timings: [],
    evals: [],
    history: { 'p@x': [0.25] },
  };
}

function record(): RunRecord {
  return {
    schema: 1,
    id: 'cli/route/41',
    experimentId: 'cli',
    spec: checkpoint().spec,
    status: 'done',
    createdAt: 1_700_000_000_000,
    device: 'CPU',
    appVersion: '0.1.0',
    modelSha256: 'a'.repeat(64),
    graderVersion: 'g',
    rows: [],
    timings: [{ step: 1, total: 0.5, phases: {}, rolloutTokens: 7, tokensPerSecond: 14 } as unknown as StepTiming],
    evals: [],
    error: null,
  };
}

describe('run folder', () => {
  it('keeps optimizer steps to the byte, each once, and none beyond where a run goes on', async () => {
    const { steps } = openRunFolder(root, layout, 'sha');
    expect(await steps.load('cli/none/41')).toBeNull();
    await steps.append('cli/none/41', 1, [Float32Array.of(1, -0, 3e-40)]);
    await steps.append('cli/none/41', 2, []);
    await steps.append('cli/none/41', 3, [Float32Array.of(9, 9, 9), Float32Array.of(8, 8, 8)]);
    await steps.append('cli/none/41', 3, [Float32Array.of(2, 2, 2)]);
    await steps.append('cli/none/42', 1, [Float32Array.of(7, 7, 7)]);
    const kept = (await steps.load('cli/none/41'))!;
    expect(kept).toEqual([[Float32Array.of(1, -0, 3e-40)], [], [Float32Array.of(2, 2, 2)]]);
    expect(Object.is(kept[0][0][1], -0)).toBe(true);
    await steps.truncate('cli/none/41', 1);
    expect(await steps.load('cli/none/41')).toHaveLength(1);
    expect(await steps.load('cli/none/42')).toHaveLength(1);
    await steps.append('cli/none/41', 3, []);
    expect(await steps.load('cli/none/41')).toBeNull();
    writeFileSync(join(root, 'none-42.steps', '000001'), 'x');
    await expect(steps.load('cli/none/42')).rejects.toBeInstanceOf(FormatError);
  });

  it('gives checkpoints back bit for bit, with δS and δS_hack beside them', async () => {
    const folder = openRunFolder(root, layout, 'sha');
    expect(await folder.checkpoints.load('cli/route/41')).toBeNull();
    await folder.checkpoints.save(checkpoint());
    const back = await folder.checkpoints.load('cli/route/41');
    expect(back).toEqual(checkpoint());
    expect(Object.is(back!.optimizer.shadows.no_gate[2], -0)).toBe(true);
    const file = bytesSource(readFileSync(join(root, 'route-41.safetensors')));
    const adapterParams = await readCheckpointFile(file, layout, 'x');
    expect([...adapterParams.deltaS]).toEqual([4, 5, 9]);
    expect(adapterParams.metadata).toMatchObject({ step: '2', model_sha256: 'sha' });
  });

  it.each([
    ['a run', () => openRunFolder(root, layout, 'sha').checkpoints],
    ['a study', () => openRunsFolder(root).checkpoints],
  ])('wants a checkpoint of %s after a few seconds too, however long a step takes', async (_, open) => {
    let at = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => at);
    try {
      const checkpoints = open();
      await checkpoints.load('cli/route/41');
      expect(checkpoints.isDue?.('cli/route/41')).toBe(false);
      at = 60_000;
      expect(checkpoints.isDue?.('cli/route/41')).toBe(true);
    } finally {
      clock.mockRestore();
    }
  });

  it('gives a sampler’s state back, and refuses one that is no text', async () => {
    const { checkpoints } = openRunFolder(root, layout, 'sha');
    const kept = { ...checkpoint(), runId: 'cli/none/7', returns: { 'p@x': [[0, 0.5]] }, sampler: '{"next":3}' };
    await checkpoints.save(kept);
    expect(await checkpoints.load('cli/none/7')).toEqual(kept);
    const broken = { ...kept, runId: 'cli/none/8', sampler: 3 as unknown as string };
    await checkpoints.save(broken);
    await expect(checkpoints.load('cli/none/8')).rejects.toBeInstanceOf(FormatError);
  });

  it('says so when a checkpoint is damaged', async () => {
    writeFileSync(join(root, 'route-41.checkpoint'), 'nonsense');
    const folder = openRunFolder(root, layout, 'sha');
    await expect(folder.checkpoints.load('cli/route/41')).rejects.toBeInstanceOf(FormatError);
  });

  const stepTwo = checkpoint();
  const stepFour = { ...checkpoint(), step: 4 };
  const path = () => join(root, 'route-41.checkpoint');
  const flip = (at: string, byte: number) => {
    const bytes = readFileSync(at);
    bytes[byte % bytes.length] ^= 4;
    writeFileSync(at, bytes);
  };
  async function savedTwice() {
    const warnings: string[] = [];
    const folder = openRunFolder(root, layout, 'sha', {}, (line) => void warnings.push(line));
    await folder.checkpoints.save(stepTwo);
    await folder.checkpoints.save(stepFour);
    return { folder, warnings, load: () => folder.checkpoints.load('cli/route/41') };
  }

  it('uses the checkpoint before the newest where a bit of that is flipped, wherever it is, and says so', async () => {
    const { load, warnings } = await savedTwice();
    expect(await load()).toEqual(stepFour);
    const whole = readFileSync(path());
    for (let byte = 0; byte < whole.length; byte += 37) {
      flip(path(), byte);
      expect(await load(), `byte ${byte}`).toEqual(stepTwo);
      writeFileSync(path(), whole);
    }
    expect(warnings).toHaveLength(Math.ceil(whole.length / 37));
    expect(warnings[9]).toMatch(/route-41\.checkpoint is damaged.* route-41\.checkpoint-previous, is used\./);
    writeFileSync(path(), whole.subarray(0, 200));
    expect(await load()).toEqual(stepTwo);
    rmSync(path());
    expect(await load()).toEqual(stepTwo);
  });

  it('does not put a damaged checkpoint in the place of the good one before it', async () => {
    const { folder, load } = await savedTwice();
    flip(path(), 500);
    expect(await load()).toEqual(stepTwo);
    await folder.checkpoints.save({ ...checkpoint(), step: 6 });
    flip(path(), 500);
    expect(await load()).toEqual(stepTwo);
    flip(`${path()}-previous`, 500);
    await expect(load()).rejects.toThrow(/route-41\.checkpoint is damaged/);
  });

  it('opens checkpoints, runs and steps of an earlier lab, which have no sha-256', async () => {
    const { folder, load } = await savedTwice();
    writeFileSync(path(), serialize(stepTwo));
    expect(await load()).toEqual(stepTwo);
    const run = record();
    writeFileSync(join(root, 'route-41.run.json'), JSON.stringify(run));
    expect(await folder.finishedRun(run.id)).toEqual(run);
    await folder.steps.append('cli/route/41', 1, []);
    writeFileSync(join(root, 'route-41.steps', '000001'), serialize([Float32Array.of(1, 2, 3)]));
    expect(await folder.steps.load('cli/route/41')).toEqual([[Float32Array.of(1, 2, 3)]]);
  });

  it('refuses what was written in a checkpoint’s place', async () => {
    const { load } = await savedTwice();
    rmSync(`${path()}-previous`);
    writeFileSync(path(), serialize({ hello: 'world' }));
    await expect(load()).rejects.toThrow(/is not what it should be/);
  });

  it('refuses a run’s file that is cut off, changed, another run’s or no run’s, and says what to do', async () => {
    const { folder } = await savedTwice();
    const run = record();
    const file = join(root, 'route-41.run.json');
    await folder.saveRun(run);
    expect(await folder.finishedRun(run.id)).toEqual(run);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ id: run.id });
    const whole = readFileSync(file);
    for (const bytes of [
      whole.subarray(0, whole.length / 2),
      whole.subarray(0, whole.length - 1),
      Buffer.alloc(0),
      Buffer.from('{"name":"my-package","version":"1.0.0"}'),
      Buffer.from('[]'),
      Buffer.from('PK\u0003\u0004'),
      Buffer.from(JSON.stringify({ ...run, rows: 3 })),
      Buffer.from(JSON.stringify({ ...run, id: 'cli/none/41' })),
      Buffer.from(whole.toString('utf8').replace('"step":1', '"step":7')),
    ]) {
      writeFileSync(file, bytes);
      const error = await folder.finishedRun(run.id).catch((thrown: unknown) => thrown);
      expect(error, bytes.toString('utf8', 0, 60)).toBeInstanceOf(FormatError);
      expect((error as FormatError).message).toContain('route-41.run.json');
      expect((error as FormatError).remedy).toMatch(/Delete it/);
    }
  });

  it('makes a pool anew whose bytes have changed', async () => {
    const { folder, warnings } = await savedTwice();
    const key = 'c'.repeat(64);
    await folder.artifacts.savePool(key, '{"reward":0}\n');
    expect(await folder.artifacts.loadPool(key)).toBe('{"reward":0}\n');
    writeFileSync(join(root, `pool-${'c'.repeat(16)}.jsonl`), '{"reward":1}\n');
    expect(await folder.artifacts.loadPool(key)).toBeNull();
    expect(warnings[0]).toMatch(/pool-c{16}\.jsonl is damaged/);
  });

  it('keeps rollouts by step, pools and extracted bases', async () => {
    const folder = openRunFolder(root, layout, 'sha');
    await folder.saveRollouts('cli/route/41', 1, []);
    await folder.artifacts.savePool('k'.repeat(64), '{}\n');
    expect(await folder.artifacts.loadPool('k'.repeat(64))).toBe('{}\n');
    expect(await folder.artifacts.loadPool('other')).toBeNull();
    const info = {
      key: 'b'.repeat(64),
      k: 1,
      nPairs: 2,
      tauAxis: 0,
      nHeldout: 0,
      modelSha256: 'sha',
      pairsSha256: 'p',
    };
    const basis = new Map([
      [layout.modules[0].name, { k: 1, r: 3, V: new Float32Array([0, 1, 0]), S: new Float32Array([2]) }],
    ]);
    await folder.artifacts.saveBasis(info, basis);
    const path = join(root, `basis-${'b'.repeat(16)}.safetensors`);
    const pairs = await pairsOf({ pairSet: 'prog_wide', count: 2 });
    const file = join(elsewhere, 'pairs.json');
    writeFileSync(file, pairsToJson(pairs));
    const own = await readPairFile(file);
    expect(own).toEqual({ id: await pairSetId(pairs), pairs });
    await expect(readPairFile(join(root, 'none.json'))).rejects.toThrow(/none\.json: ENOENT/);
    const reading = openRunFolder(root, layout, 'sha', { basis: { sha256: 'mine', path }, pairs: own });
    expect(await reading.artifacts.loadPairs(own.id)).toEqual(pairs);
    expect(await reading.artifacts.loadPairs('pairs:other')).toBeNull();
    expect(await reading.artifacts.loadBasis('mine')).toEqual(basis);
    expect(await reading.artifacts.loadBasis('unknown')).toBeNull();
    expect(readdirSync(join(root, 'route-41.rollouts'))).toEqual(['00001.jsonl']);
    await folder.remove();
    expect(() => readdirSync(root)).toThrow();
  });

  it('leaves no half-written file behind', async () => {
    await writeWhole(join(root, 'deep', 'a.txt'), 'one');
    await writeWhole(join(root, 'deep', 'a.txt'), 'two');
    expect(readFileSync(join(root, 'deep', 'a.txt'), 'utf8')).toBe('two');
    expect(readdirSync(join(root, 'deep'))).toEqual(['a.txt']);
  });
});

describe('trainer state', () => {
  const state = (): TrainerState => ({
    step: 5,
    weights: new Map([['w/x', { shape: [2], data: new Float32Array([1, 2]) }]]),
    m: new Map([['w/x', new Float32Array([3, 4])]]),
    v: new Map([['w/x', new Float32Array([5, 6])]]),
  });

  it('comes back bit for bit, and only for its own settings', async () => {
    const bytes = writeTrainerState(state(), 's');
    expect(await readTrainerState(bytesSource(bytes), 'f', 's')).toEqual(state());
    await expect(readTrainerState(bytesSource(bytes), 'f', 't')).rejects.toThrow(/other settings/);
  });
});
