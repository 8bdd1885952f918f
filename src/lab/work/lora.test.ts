// Tests the lab with the LoRA adapter: one experiment with it and one without on the same equipment, archives, files, the playground.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionsAtOnce } from '../../algorithms/at-once.ts';
import { layOutAdapter } from '../../engine/adapter-layout.ts';
import { parseExperimentSpec, resolveExperiment, resolveRuns } from '../../experiments/config/spec.ts';
import { memoryStores, type Stores } from '../../storage/kv.ts';
import { unzipChecked } from '../../storage/run-archive.ts';
import { bytesSource, SafetensorsFile } from '../../storage/safetensors.ts';
import { misfitOf, needOf } from '../estimate/memory.ts';
import { createPlayHandlers, playProblems } from '../playground/playground.ts';
import type { PlayEvent } from '../protocol/playground.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import type { BasisTarget } from '../records/bases.ts';
import { importArchive } from '../testing/import.ts';
import { closeTestLabs, openedLab, TEST_MODEL, type TestLab } from '../testing/lab.ts';
import { ModelGate } from './model-gate.ts';

const small = { maxNew: 12, problems: 8, evalProblems: 2, finalEvalProblems: 4, checkpointEvery: 1, pairs: 8, k: 2 };
const spec = (overrides: Record<string, unknown>, arms = ['route-update']) =>
  parseExperimentSpec({ preset: 'smoke', arms, device: 'cpu', overrides: { ...small, ...overrides } });
const LORA = { adapter: 'lora', loraRank: 4 } as const;
const ended = (id: string) => (event: WorkerEvent) =>
  event.type === 'experiment' && event.summary.id === id && !['waiting', 'running'].includes(event.summary.status);

describe('a lab with a LoRA', () => {
  let stores: Stores;
  let lab: TestLab;
  let target: BasisTarget;
  const rows = async ({ records }: TestLab, id: string) =>
    (await records.runs(await records.experiment(id))).map(({ rows, evals }) => JSON.stringify({ rows, evals }));

  // One lab trains with the SVD adapter, then with LoRA, then with the SVD adapter again.
  beforeAll(async () => {
    stores = await memoryStores();
    lab = await openedLab(stores);
    await lab.session.start('svd', spec({}));
    await lab.until(ended('svd'));
    await lab.session.start('lora', spec(LORA));
    expect(await lab.until(ended('lora'))).toMatchObject({ summary: { status: 'done', error: null } });
    const { policy, model } = lab.equipment.current!;
    expect(policy.adapterLayout.modules[0].rank).toBe(4);
    await lab.session.start('svd-again', spec({}));
    await lab.until(ended('svd-again'));
    const { policy: svd } = lab.equipment.current!;
    expect(svd.adapterLayout.modules[0].rank).toBeUndefined();
    target = { layout: svd.adapterLayout, modelSha256: model.sha256 };
  });
  afterAll(closeTestLabs);

  it('rebuilds the model for the experiment’s adapter, and returns to the same bytes', async () => {
    expect(await rows(lab, 'svd-again')).toEqual(await rows(lab, 'svd'));
    expect(await rows(lab, 'lora')).not.toEqual(await rows(lab, 'svd'));
    const device = lab.equipment.current!;
    expect(await lab.equipment.open('cpu')).toBe(device);
    expect(await lab.equipment.open('cpu', undefined, { adapter: 'svd', loraRank: 77 })).toBe(device);
  });

  it('stores bases of both adapters, lists them, and gives a run only its own', async () => {
    const [first, second] = (await lab.records.bases.list()).map(({ id }) => id);
    const lora = { ...target, layout: layOutAdapter(target.layout.modules, LORA) };
    const bytes = await Promise.all([first, second].map((id) => lab.records.bases.bytes(id)));
    const metadata = await Promise.all(
      bytes.map(async (file) => (await SafetensorsFile.open(bytesSource(file!), 'basis')).metadata),
    );
    const at = metadata.findIndex(({ adapter }) => adapter === 'lora');
    expect(metadata[at]).toMatchObject({ adapter: 'lora', lora_rank: '4' });
    expect(metadata[1 - at].adapter).toBeUndefined();
    const id = [first, second][at];
    await expect(lab.records.bases.load(id, target)).rejects.toThrow(/a basis of a LoRA of rank 4/);
    expect((await lab.records.bases.load(id, lora))?.size).toBe(14);
    expect((await lab.records.bases.open(id, target)).raw.size).toBe(14);
    // Dropped as a file while the other adapter is loaded, it is read as the adapter that it names.
    expect((await lab.records.bases.saveFile(bytes[at]!, 'again', target)).id).toBe(id);
    await lab.session.start('from-file', spec({ ...LORA, basisSource: 'file', basisFile: id, steps: 1 }, ['erase']));
    expect(await lab.until(ended('from-file'))).toMatchObject({ summary: { status: 'done' } });
    await lab.session.start('wrong', spec({ basisSource: 'file', basisFile: id, steps: 1 }, ['erase']));
    expect(await lab.until(ended('wrong'))).toMatchObject({ summary: { status: 'failed' } });
    expect((await lab.records.experiment('wrong')).error?.message).toMatch(/here the adapter is singular directions/);
  });

  it('transfers a run to another lab and back, whatever adapter is loaded there, with A and B in its files', async () => {
    const zip = await lab.records.exportExperiment('lora', target);
    const files = unzipChecked(new Uint8Array(await zip.arrayBuffer()), 'lora.zip');
    const adapterParams = await SafetensorsFile.open(
      bytesSource(files.get('runs/0/knobs.safetensors')!),
      'adapterParams',
    );
    expect(adapterParams.info('lora_A/model.layers.0.self_attn.q_proj').shape).toEqual([4, 64]);
    expect(adapterParams.info('lora_B_hack/model.layers.1.mlp.down_proj').shape).toEqual([64, 4]);
    const other = await openedLab();
    await importArchive(other.records, zip, 'lora.zip', target);
    const [run] = await other.records.runs(await other.records.experiment('lora'));
    expect(await other.records.checkpoints.load(run.id)).toEqual(await lab.records.checkpoints.load(run.id));
    const again = await other.records.exportExperiment('lora', target);
    expect(new Uint8Array(await again.arrayBuffer())).toEqual(new Uint8Array(await zip.arrayBuffer()));
  });

  it('stops and resumes to the bytes of an uninterrupted run', async () => {
    const kept = await memoryStores();
    const first = await openedLab(kept);
    await first.session.start('lora', spec(LORA));
    await first.until((event) => event.type === 'lab' && event.event.type === 'checkpoint' && event.event.step === 2);
    await first.session.stop('lora');
    await first.until(ended('lora'));
    const second = await openedLab(kept);
    await second.session.resume('lora');
    expect(await second.until(ended('lora'))).toMatchObject({ summary: { status: 'done' } });
    expect(await rows(second, 'lora')).toEqual(await rows(lab, 'lora'));
  });

  it('uses a stored run’s own adapter in the playground', async () => {
    const emitted: PlayEvent[] = [];
    const playground = createPlayHandlers({
      lab: async () => lab,
      gate: new ModelGate(async () => lab),
      opened: () => lab.equipment.ready('cpu'),
      equipped: (adapter) => lab.equipment.open('cpu', undefined, adapter),
      emit: (event) => emitted.push(event as PlayEvent),
    });
    const runs = await playground.playRuns();
    const play = (experimentId: string) =>
      playground.play({
        id: 'p',
        ask: { kind: 'problem', mode: 'run_tests', problemId: playProblems('run_tests')[0].id },
        runId: runs.find((run) => run.experimentId === experimentId)!.runId,
        models: ['base', 'trained', 'deployed'],
        seed: 3,
        temperature: 1,
        maxNew: 4,
      });
    const first = async (experimentId: string) => {
      emitted.length = 0;
      await play(experimentId);
      return ['base', 'trained', 'deployed'].map(
        (model) => emitted.find((event) => event.model === model)!.tokens[0].logprob,
      );
    };
    const [svd, lora] = [await first('svd'), await first('lora')];
    expect(lab.equipment.current!.adapter).toEqual(LORA);
    expect(lora[0]).toBe(svd[0]);
    expect(new Set([...svd, ...lora.slice(1)]).size).toBe(5);
  });

  it('needs memory for its A and B and for vectors of their length', () => {
    const [svd, lora] = [spec({}), spec({ adapter: 'lora', loraRank: 32 })].map((of) =>
      needOf(resolveRuns(of), TEST_MODEL, 100, 'cpu'),
    );
    const lengths = resolveRuns(spec({ adapter: 'lora', loraRank: 32 })).map(
      (run) => layOutAdapter(target.layout.modules, run).total,
    );
    expect(lora.optimizer / svd.optimizer).toBeCloseTo(lengths[0] / target.layout.total, 6);
    expect(lora.factors).toBe(4 * lengths[0]);
    expect(lora.total).toBeGreaterThan(svd.total);
  });

  it('suggests a rank that fits if no batch size does', () => {
    const of = (loraRank: number) => spec({ adapter: 'lora', loraRank, promptsPerStep: 1, groupSize: 2 });
    const limits = {
      maxTotalBytes: needOf(resolveRuns(of(9)), TEST_MODEL, 100, 'cpu').total,
      maxBindingBytes: Number.POSITIVE_INFINITY,
    };
    const wide = spec({ adapter: 'lora', loraRank: 32, promptsPerStep: 1, groupSize: 2 });
    expect(misfitOf(resolveExperiment(wide), TEST_MODEL, 100, 'cpu', limits)?.remedy).toBe(
      'Set the LoRA’s rank to at most 9.',
    );
    expect(misfitOf(resolveExperiment(of(9)), TEST_MODEL, 100, 'cpu', limits)).toBeNull();
    expect(completionsAtOnce(3072)).toBe(64);
    expect(completionsAtOnce(20_000_000)).toBe(3);
    expect(completionsAtOnce(2 ** 30)).toBe(1);
  });
});
