// Tests a GPU that is lost for an unknown reason during a run: in every phase, the run stops with everything that it stored, the page is
// informed, and on a new device it resumes from its checkpoint to the bytes of an undisturbed run. Uses Node's WebGPU device, which is real
// except for the loss (kernels/testing/lossy-gpu.ts).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import { type LossyGpu, lossyGpu } from '../../kernels/testing/lossy-gpu.ts';
import { openTestDevice } from '../../kernels/webgpu/testing.ts';
import { openNodeGpu } from '../../lib/gpu.node.ts';
import { memoryStores, type Stores } from '../../storage/kv.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import { ended, openTestLab, statusOf, type TestLab } from '../testing/lab.ts';

/** A software device needs minutes to compile what a real one compiles in a moment. */
const MINUTES = 60_000;

const { device, why } = await openTestDevice();
device?.destroy();

const overrides = {
  steps: 2,
  promptsPerStep: 1,
  maxNew: 8,
  problems: 4,
  evalEvery: 1,
  evalProblems: 1,
  finalEvalProblems: 2,
  checkpointEvery: 1,
  pairs: 4,
  k: 1,
  modes: ['run_tests'],
  // LoRA needs no factoring: each test opens a device, and a software one is slow.
  adapter: 'lora',
  loraRank: 2,
};
const spec = parseExperimentSpec({ preset: 'smoke', arms: ['erase'], device: 'webgpu', overrides });

/** Stored results without clock readings. */
async function computed({ records }: TestLab, id: string) {
  const [run] = await records.runs(await records.experiment(id));
  const checkpoint = await records.checkpoints.load(run.id);
  const rollouts = await Promise.all([1, 2].map(async (step) => (await records.rollouts.at(run.id, step)).rollouts));
  return { rows: run.rows, evals: run.evals, optimizer: checkpoint?.optimizer, history: checkpoint?.history, rollouts };
}

const phase = (name: string, step: number) => (event: WorkerEvent) =>
  event.type === 'lab' && event.event.type === 'phase' && event.event.phase === name && event.event.step === step;

describe.skipIf(!device)(`a lost GPU ${why}`, () => {
  // One lab for all tests: the device on which one experiment resumes is lost in the next.
  let lossy: LossyGpu;
  let stores: Stores;
  let lab: TestLab;
  let onEvent: (event: WorkerEvent) => void = () => {};
  let undisturbed: Awaited<ReturnType<typeof computed>>;
  beforeAll(async () => {
    lossy = lossyGpu(await openNodeGpu());
    stores = await memoryStores();
    const told = (event: WorkerEvent) => onEvent(event);
    lab = await openTestLab(stores, undefined, told, undefined, undefined, async () => lossy.gpu);
    await lab.session.start('undisturbed', spec);
    expect(statusOf(await lab.until(ended('undisturbed')))).toBe('done');
    undisturbed = await computed(lab, 'undisturbed');
  }, 6 * MINUTES);
  afterAll(() => lab?.close());

  it.each<[string, (event: WorkerEvent) => boolean, number]>([
    ['rollout', phase('rollout', 2), 1],
    ['backward', phase('backward', 2), 1],
    [
      'extraction',
      (event) =>
        event.type === 'lab' && event.event.type === 'prepare' && /basis|pair|gradient/i.test(event.event.what),
      0,
    ],
    ['evaluation on the way', phase('evaluate', 2), 1],
    [
      'final evaluation',
      (event) => event.type === 'lab' && event.event.type === 'phase' && event.event.phase === 'final evaluation',
      2,
    ],
  ])(
    'in %s: the run stops, and goes on from its checkpoint on a new device to the same bytes',
    async (name, when, kept) => {
      const id = name.replaceAll(' ', '-');
      const lostBefore = lossy.lost();
      // A stored basis of an earlier experiment would be reused.
      for (const key of await stores.bases.keys()) await stores.bases.delete(key);
      let armed = false;
      onEvent = (event) => {
        if (armed || !when(event)) return;
        armed = true;
        lossy.loseAfter(2);
      };
      const start = lab.events.length;
      await lab.session.start(id, spec);
      const stopped = await lab.until(ended(id));
      expect(lossy.lost()).toBe(lostBefore + 1);
      expect(stopped).toMatchObject({
        summary: {
          status: 'stopped',
          error: { message: expect.stringMatching(/the GPU was lost \(the driver was reset\)/) },
        },
      });
      expect(lab.events.slice(start)).toContainEqual({
        type: 'device-lost',
        message: expect.stringContaining('driver was reset'),
      });
      const [run] = await lab.records.runs(await lab.records.experiment(id));
      expect((await lab.records.checkpoints.load(run.id))?.step ?? 0).toBe(kept);

      const before = lab.events.length;
      await lab.session.resume(id);
      await expect.poll(() => lab.events.slice(before).some(ended(id)), { timeout: 4 * MINUTES }).toBe(true);
      expect((await lab.records.experiment(id)).error).toBeNull();
      expect((await lab.records.experiment(id)).status).toBe('done');
      expect(lossy.lost()).toBe(lostBefore + 1);
      expect(await computed(lab, id)).toEqual(undisturbed);
    },
  );
});
