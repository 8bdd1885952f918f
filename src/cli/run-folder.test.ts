// What `run` and `pretrain` keep on disk comes back to the byte, and never half written.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TrainerState } from '../engine/trainer.ts';
import type { KnobLayout } from '../engine/types.ts';
import { pairsOf, pairsToJson } from '../environments/code/pair-sets.ts';
import { pairSetId } from '../experiments/artifacts.ts';
import type { Checkpoint } from '../experiments/checkpoint.ts';
import { parseExperimentSpec, resolveRuns } from '../experiments/spec.ts';
import { FormatError } from '../lib/errors.ts';
import { readCheckpointFile } from '../storage/checkpoint-file.ts';
import { bytesSource } from '../storage/safetensors.ts';
import { readPairFile } from './pair-file.node.ts';
import { writeWhole } from './ports.node.ts';
import { openRunFolder } from './run-folder.ts';
import { readTrainerState, writeTrainerState } from './trainer-state.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'run-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const layout: KnobLayout = {
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
    const knobs = await readCheckpointFile(file, layout, 'x');
    expect([...knobs.deltaS]).toEqual([4, 5, 9]);
    expect(knobs.metadata).toEqual({ step: '2', model_sha256: 'sha' });
  });

  it('says so when a checkpoint is damaged', async () => {
    writeFileSync(join(root, 'route-41.checkpoint'), 'nonsense');
    const folder = openRunFolder(root, layout, 'sha');
    await expect(folder.checkpoints.load('cli/route/41')).rejects.toBeInstanceOf(FormatError);
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
    const file = join(root, 'pairs.json');
    writeFileSync(file, pairsToJson(pairs));
    const own = await readPairFile(file);
    expect(own).toEqual({ id: await pairSetId(pairs), pairs });
    await expect(readPairFile(join(root, 'none.json'))).rejects.toThrow(/none\.json: ENOENT/);
    const reading = openRunFolder(root, layout, 'sha', new Map([['mine', path]]), new Map([[own.id, own.pairs]]));
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
