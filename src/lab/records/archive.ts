// An experiment as one zip and back: spec, rows, evaluations, rollouts, checkpoints (adapter parameters and moments as safetensors) and
// an imported basis and a stored teacher pool that it used: all of its stored parts, so that it can be opened and resumed elsewhere.
//
//   experiment.json             the record, without the runs that its result repeats
//   runs/<i>/run.json           by place in runIds
//   runs/<i>/rollouts.jsonl     one line per step
//   runs/<i>/checkpoint.json    step, context, rows, history
//   runs/<i>/state.safetensors  total, hack, moments, controls, and where bases were last refreshed: flat vectors [adapter parameters]
//   runs/<i>/steps.safetensors  Δ of each optimizer step, where it is kept (records/archive-steps.ts)
//   runs/<i>/knobs.safetensors  δS and δS_hack (of a LoRA A and B) by module, for other tools; not read back
//   basis.safetensors           the basis file that the spec names
//   pool.jsonl                  the stored teacher pool that the spec names
//   pairs.json                  the person's own pair set that the spec names

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { deployed, type OptimizerState } from '../../algorithms/optimizer.ts';
import { layoutOf } from '../../engine/adapter-layout.ts';
import { type RunSpec, runIdOf } from '../../experiments/config/run-spec.ts';
import { specAt } from '../../experiments/config/segments.ts';
import { parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { Checkpoint, RefreshedBases } from '../../experiments/records/checkpoint.ts';
import type { RolloutRecord, RunRecord } from '../../experiments/records/events.ts';
import type { KeptSteps } from '../../experiments/records/steps.ts';
import { writeCheckpointFile } from '../../storage/checkpoint-file.ts';
import { ArchiveWriter, parseJson, stringify } from '../../storage/run-archive.ts';
import { bytesSource, SafetensorsFile } from '../../storage/safetensors.ts';
import { type TensorToWrite, writeSafetensors } from '../../storage/safetensors-write.ts';
import type { StoredExperiment } from '../protocol/experiments.ts';
import { flatVector, readSteps, writeSteps } from './archive-steps.ts';
import type { BasisTarget } from './bases.ts';
import {
  type ArchivedCheckpoint,
  type ArchivedExperiment,
  damagedArchive,
  readCheckpoint,
  readExperiment,
  readRolloutStep,
  readRun,
} from './schema.ts';

export interface ExperimentParts {
  record: StoredExperiment;
  runs: RunRecord[];
  checkpoints: Checkpoint[];
  /** The file that spec.overrides.basisFile names, if it is stored. */
  basis: Uint8Array<ArrayBuffer> | null;
  /** The lines of the pool that spec.overrides.teacherPool names, if it is stored. */
  pool: string | null;
  /** JSON of the pair set that spec.overrides.pairSet names, if it is a person's own and stored. */
  pairs: string | null;
  /** Steps by run id. */
  steps: ReadonlyMap<string, KeptSteps>;
}

export interface ReadParts extends ExperimentParts {
  rollouts: { runId: string; step: number; rollouts: RolloutRecord[] }[];
}

/** `rolloutsOf` yields one step at a time: a long run's rollouts need not fit into memory. */
export async function packExperiment(
  { record, runs, checkpoints, basis, pool, pairs, steps }: ExperimentParts,
  rolloutsOf: (runId: string) => AsyncIterable<{ step: number; rollouts: RolloutRecord[] }>,
  target: BasisTarget,
  appVersion: string,
): Promise<Blob> {
  const writer = new ArchiveWriter();
  const { result, ...rest } = record;
  const slim = result && { table: result.table, verdicts: result.verdicts };
  await writer.add('experiment.json', [`${stringify({ ...rest, result: slim })}\n`]);
  for (const [i, run] of runs.entries()) {
    await writer.add(`runs/${i}/run.json`, [`${stringify(run)}\n`]);
    await writer.add(`runs/${i}/rollouts.jsonl`, lines(rolloutsOf(run.id)));
    const checkpoint = checkpoints.find(({ runId }) => runId === run.id);
    if (!checkpoint) continue;
    const { optimizer, refreshed, compared, ...kept } = checkpoint;
    const { moments, hackMoments } = optimizer;
    const about: ArchivedCheckpoint = { ...kept, t: moments.t, hackT: hackMoments?.t ?? null };
    if (refreshed) about.refreshed = refreshSteps(refreshed);
    await writer.add(`runs/${i}/checkpoint.json`, [`${stringify(about)}\n`]);
    await writer.add(`runs/${i}/state.safetensors`, [writeState(optimizer, refreshed, compared)]);
    const stepFile = writeSteps(steps.get(run.id) ?? null);
    if (stepFile) await writer.add(`runs/${i}/steps.safetensors`, [stepFile]);
    const layout = layoutOf(target.layout, run.spec);
    // A run of another model has other modules, so its flat vectors are all that can be written.
    if (run.modelSha256 !== target.modelSha256 || optimizer.total.length !== layout.total) continue;
    const adapterParams = { deltaS: deployed(optimizer), deltaSHack: optimizer.hack };
    const metadata = { step: String(checkpoint.step), model_sha256: run.modelSha256 };
    await writer.add(`runs/${i}/knobs.safetensors`, [writeCheckpointFile(layout, adapterParams, metadata)]);
  }
  if (basis) await writer.add('basis.safetensors', [basis]);
  if (pool !== null) await writer.add('pool.jsonl', [pool]);
  if (pairs !== null) await writer.add('pairs.json', [pairs]);
  return writer.finish(appVersion);
}

async function* lines(steps: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const step of steps) yield `${stringify(step)}\n`;
}

/** Throws FormatError for any other zip. `target`: a run of this model must have its adapter parameters. */
export async function unpackExperiment(
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  label: string,
  target: BasisTarget,
): Promise<ReadParts> {
  const fail = (what: string): never => {
    throw damagedArchive(label, what);
  };
  const take = (name: string) => files.get(name) ?? fail(`${name} is missing.`);
  const json = (name: string) => parseJson(take(name), `${label}: ${name}`);
  const archived: ArchivedExperiment = readExperiment(json('experiment.json'), `${label}: experiment.json`);
  const spec = parseExperimentSpec(archived.spec);
  const possible = new Set(resolveRuns(spec).map((run) => runIdOf(archived.id, run)));
  const { runIds } = archived;
  if (new Set(runIds).size !== runIds.length) fail('it names a run twice.');
  const known = new Set(['experiment.json', 'basis.safetensors', 'pool.jsonl', 'pairs.json']);
  const runs: RunRecord[] = [];
  const checkpoints: Checkpoint[] = [];
  const rollouts: ReadParts['rollouts'] = [];
  const steps = new Map<string, KeptSteps>();
  for (const [i, runId] of runIds.entries()) {
    const name = (file: string) => {
      known.add(`runs/${i}/${file}`);
      return `runs/${i}/${file}`;
    };
    if (!possible.has(runId)) fail(`run ${JSON.stringify(runId.slice(0, 80))} does not belong to its experiment.`);
    const run = readRun(json(name('run.json')), `${label}: run ${i}`);
    if (run.id !== runId || run.experimentId !== archived.id || runIdOf(archived.id, run.spec) !== runId)
      fail(`run ${i} says that it is ${JSON.stringify(run.id.slice(0, 80))}.`);
    runs.push(run);
    let last = 0;
    for (const line of linesOf(take(name('rollouts.jsonl')))) {
      const step = readRolloutStep(parseJson(line, `${label}: rollouts of run ${i}`), `${label}: rollouts of run ${i}`);
      if (step.step <= last) fail(`the rollouts of run ${i} are not in order.`);
      last = step.step;
      rollouts.push({ runId, step: step.step, rollouts: step.rollouts });
    }
    const [about, state, stepFile] = ['checkpoint.json', 'state.safetensors', 'steps.safetensors'].map(name);
    name('knobs.safetensors');
    if (files.has(about) !== files.has(state)) fail(`the checkpoint of run ${i} lacks one of its two files.`);
    if (files.has(stepFile) && !files.has(about)) fail(`run ${i} has steps and no checkpoint.`);
    if (!files.has(about)) continue;
    const length = run.modelSha256 === target.modelSha256 ? layoutOf(target.layout, run.spec).total : null;
    const { t, hackT, refreshed: at, ...kept } = readCheckpoint(json(about), `${label}: ${about}`);
    const vectors = await readState(take(state), `${label}: ${state}`, specAt(run.spec, kept.step), length, at ?? null);
    const { optimizer } = vectors;
    if (kept.runId !== runId || kept.step > run.spec.steps || kept.rows.length !== kept.step)
      fail(`the checkpoint of run ${i} belongs to another run.`);
    if ((hackT === null) !== (optimizer.hackMoments === null)) fail(`the checkpoint of run ${i} is incomplete.`);
    optimizer.moments.t = t;
    if (optimizer.hackMoments) optimizer.hackMoments.t = hackT ?? 0;
    checkpoints.push({ ...kept, ...vectors });
    if (!files.has(stepFile)) continue;
    const { length: adapterParams } = optimizer.total;
    steps.set(runId, await readSteps(take(stepFile), `${label}: ${stepFile}`, run.spec.steps, adapterParams));
  }
  for (const name of files.keys())
    if (!known.has(name)) fail(`it holds ${JSON.stringify(name)}, which does not belong in it.`);
  const { result, ...rest } = archived;
  // A run that was at work when it was archived is not at work here.
  const atWork = archived.status === 'running' || archived.status === 'waiting';
  const record: StoredExperiment = {
    ...rest,
    spec,
    status: atWork ? 'stopped' : archived.status,
    result: result && { spec, runs, table: result.table, verdicts: result.verdicts },
  };
  for (const run of runs) if (run.status === 'running' || run.status === 'waiting') run.status = 'stopped';
  const basis = files.get('basis.safetensors') ?? null;
  const text = (name: string) => {
    const content = files.get(name);
    return content ? textOf(content, `${label}: ${name}`) : null;
  };
  const [pool, pairs] = [text('pool.jsonl'), text('pairs.json')];
  return { record, runs, checkpoints, rollouts, basis, pool, pairs, steps };
}

function textOf(content: Uint8Array, label: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (cause) {
    throw new FormatError(`${label} is not text.`, 'Export the run again from the lab that has it.', { cause });
  }
}

const NEWLINE = 10;

function* linesOf(content: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < content.length; ) {
    const to = content.indexOf(NEWLINE, from);
    const end = to < 0 ? content.length : to;
    if (end > from) yield content.subarray(from, end);
    from = end + 1;
  }
}

const VECTORS = ['total', 'hack', 'moments.m', 'moments.v'] as const;
/** Name of Checkpoint.compared, which is optional. */
const COMPARED = 'compared';
/** Name of Refreshed.divisor of the run's own basis, which is optional. */
const DIVISOR = 'refreshed.divisor';

/** The step after which each refreshed basis was last extracted; the adapter parameters of that step are in the state file. */
const refreshSteps = ({ own, shadows: controls }: RefreshedBases): NonNullable<ArchivedCheckpoint['refreshed']> => ({
  own: own?.step ?? null,
  shadows: Object.fromEntries(Object.entries(controls).map(([id, { step }]) => [id, step])),
});

function writeState(
  { total, hack, moments, hackMoments, shadows: controls }: OptimizerState,
  refreshed: RefreshedBases | undefined,
  compared: Float32Array | undefined,
): Uint8Array<ArrayBuffer> {
  const tensors = new Map<string, TensorToWrite>();
  const put = (name: string, data: Float32Array) => tensors.set(name, { dtype: 'F32', shape: [data.length], data });
  put('total', total);
  put('hack', hack);
  put('moments.m', moments.m);
  put('moments.v', moments.v);
  if (hackMoments) {
    put('hackMoments.m', hackMoments.m);
    put('hackMoments.v', hackMoments.v);
  }
  for (const [id, control] of Object.entries(controls)) put(`shadow/${id}`, control);
  if (refreshed?.own) put('refreshed', refreshed.own.adapterParams);
  if (refreshed?.own?.divisor) put(DIVISOR, refreshed.own.divisor);
  for (const [id, { adapterParams }] of Object.entries(refreshed?.shadows ?? {})) put(`refreshed/${id}`, adapterParams);
  if (compared) put(COMPARED, compared);
  return writeSafetensors(tensors);
}

/** Reads exactly the vectors of this run's optimizer, all of one length (the model's, if known). */
async function readState(
  content: Uint8Array,
  label: string,
  spec: RunSpec,
  adapterParams: number | null,
  at: ArchivedCheckpoint['refreshed'] | null,
): Promise<Pick<Checkpoint, 'optimizer' | 'refreshed' | 'compared'>> {
  const file = await SafetensorsFile.open(bytesSource(content), label);
  const ownMoments = spec.projection === 'route' && spec.projectTarget === 'gradient';
  // A matched random quarantine is made after the last step.
  const trainedControls = spec.shadows.filter(({ kind }) => kind !== 'random_matched');
  const refreshedControls = trainedControls.filter(({ id }) => at?.shadows[id] !== undefined);
  const wanted = [
    ...VECTORS,
    ...(ownMoments ? ['hackMoments.m', 'hackMoments.v'] : []),
    ...trainedControls.map(({ id }) => `shadow/${id}`),
    ...(at && at.own !== null ? ['refreshed'] : []),
    ...refreshedControls.map(({ id }) => `refreshed/${id}`),
  ];
  if (file.tensors.has(COMPARED)) wanted.push(COMPARED);
  const isScaled = typeof at?.own === 'number' && spec.spanMetric === 'adam' && file.tensors.has(DIVISOR);
  if (isScaled) wanted.push(DIVISOR);
  const length = adapterParams ?? file.info('total').shape[0];
  for (const name of file.tensors.keys())
    if (!wanted.includes(name))
      throw damagedArchive(label, `the tensor ${JSON.stringify(name.slice(0, 60))} does not belong in it.`);
  const read = async (name: string) => flatVector(file, name, length, label, 'model');
  const moments = async (name: string) => ({ m: await read(`${name}.m`), v: await read(`${name}.v`), t: 0 });
  const controls: Record<string, Float32Array> = {};
  for (const { id } of trainedControls) setOwn(controls, id, await read(`shadow/${id}`));
  const optimizer: OptimizerState = {
    total: await read('total'),
    hack: await read('hack'),
    moments: await moments('moments'),
    hackMoments: ownMoments ? await moments('hackMoments') : null,
    shadows: controls,
  };
  const compared = file.tensors.has(COMPARED) ? { compared: await read(COMPARED) } : {};
  if (!at) return { optimizer, ...compared };
  const refreshed: RefreshedBases = { own: null, shadows: {} };
  if (at.own !== null)
    refreshed.own = {
      step: at.own,
      adapterParams: await read('refreshed'),
      ...(isScaled ? { divisor: await read(DIVISOR) } : {}),
    };
  for (const { id } of refreshedControls)
    setOwn(refreshed.shadows, id, { step: at.shadows[id], adapterParams: await read(`refreshed/${id}`) });
  return { optimizer, refreshed, ...compared };
}
