// One whole probe on the command line: the pool, the replays, and on request LoRA beside it (T6) and the trainings (T5). Everything is in
// one folder, so that the same command goes on where it was stopped.

import { join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { FormatError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { readOrNull, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { DamagedError, sealJson, unsealJson } from '@projected-grpo-lab/base/files/sealed.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import { selfCheck } from '../../environments/code/grading/self-check.ts';
import { type ProbePool, runProbe } from '../../experiments/kinds/probe/probe.ts';
import { type ProbeStore, type ReplayState, rowsFromJsonl, rowsToJsonl } from '../../experiments/kinds/probe/store.ts';
import {
  type RatioSteps,
  type TrainingStore,
  trainingKey,
  trainTrajectory,
  withTrainings,
} from '../../experiments/kinds/probe/training.ts';
import { trajectorySpec } from '../../experiments/kinds/probe/trajectory.ts';
import type { ProbeReport, Trajectory } from '../../experiments/kinds/probe/types.ts';
import { knowsThinkingOf } from '../../experiments/kinds/run/experiment.ts';
import { contentKey } from '../../experiments/records/artifacts.ts';
import { APP_VERSION } from '../../lab/protocol/version.ts';
import type { CommandContext } from '../command.ts';
import { drainWithProgress } from '../drain.ts';
import { loadState, saveState, type Warn, warnOnStderr } from '../files/kept-state.node.ts';
import { openDevice } from '../ports.node.ts';
import { openRunFolder, type RunFolder } from '../run/folder.ts';
import { checkBasis } from '../run/host.ts';
import { beginAnew, RunDirectory } from '../run-directory.ts';
import type { ProbeFlags } from './flags.ts';
import { type MeasurePart, openProbeModel } from './model.ts';
import { type ProbeLab, poolOf } from './pool.ts';

export interface MeasuredProbe {
  report: ProbeReport;
  /** Name of the device, for people. */
  device: string;
  model: string;
  modelSha256: string;
}

/** `second`: LoRA's part. Throws SpecError, FormatError, StoppedError. */
export async function measureProbe(
  first: MeasurePart,
  second: MeasurePart | null,
  flags: ProbeFlags,
  context: CommandContext,
): Promise<MeasuredProbe> {
  const { progress, root } = context;
  const { device, report: chosen } = await openDevice({ ...flags, isPlain: true }, progress);
  const model = await openProbeModel(second ? [first, second] : [first], flags, device, context);
  if (flags.basis !== null) {
    const { sha256: modelSha256, promptsSha256 } = model;
    await checkBasis(flags.basis, model.layoutFor(first.spec.vanilla), { modelSha256, promptsSha256 }, context);
  }
  const name = await contentKey([first.spec, second?.spec ?? null, flags.pool, flags.correct, model.sha256]);
  const path = flags.out === null ? join(root, '.cache', 'probe', name.slice(0, 12)) : resolve(flags.out);
  const own = new RunDirectory(path);
  await own.prepare(progress.note);
  try {
    if (flags.fresh) await beginAnew(own, flags.yes, context);
    const report = await reportIn(own, first, second, flags, { model, device, path, context });
    return { report, device: chosen.name, model: model.id, modelSha256: model.sha256 };
  } finally {
    await own.close();
  }
}

async function reportIn(
  own: RunDirectory,
  first: MeasurePart,
  second: MeasurePart | null,
  flags: ProbeFlags,
  place: Omit<ProbeLab, 'grader'>,
): Promise<ProbeReport> {
  const { path, context } = place;
  const parts = ['vanilla', 'projected', 'pool.jsonl.gz', 'pool-key', 'report.json'];
  await own.claim(...parts, ...(second ? ['lora'] : []), ...(flags.trajectory > 0 ? ['training'] : []));
  const grader = await createNodeGrader();
  try {
    await selfCheck(grader, context.signal);
    const lab = { ...place, grader };
    const pool = await poolOf(first.spec, flags, lab);
    const one = await probeWith(first, pool, flags, lab);
    const other = second && (await probeWith(second, pool, flags, { ...lab, path: join(path, 'lora') }));
    const report = withTrainings(one.report, one.trajectory, other);
    if (flags.out === null) await own.remove();
    else await writeWhole(join(path, 'report.json'), `${JSON.stringify(report, null, 1)}\n`);
    return report;
  } catch (error) {
    if (error instanceof StoppedError) context.progress.note('Stopped. The same command goes on with the next step.');
    throw error;
  } finally {
    await grader.close();
  }
}

/** Stages 2, 3, 4 and 7 with one adapter, and its two trainings on request. */
async function probeWith(
  { spec, overrides }: MeasurePart,
  pool: ProbePool,
  flags: ProbeFlags,
  { model, device, grader, path, context }: ProbeLab,
): Promise<{ report: ProbeReport; trajectory: Trajectory | null }> {
  const { signal } = context;
  const { sha256: modelSha256, codec } = model;
  const policy = await model.load(spec.vanilla);
  try {
    const given = {
      basis: flags.basis === null ? null : { sha256: spec.vanilla.basisFile, path: flags.basis },
      pool: pool.own && { sha256: pool.own.sha256, kept: pool.own },
    };
    const warn = context.progress.note;
    const folderAt = (at: string) => openRunFolder(at, policy.adapterLayout, modelSha256, given, warn);
    const artifacts = flags.basis === null ? null : folderAt(path).artifacts;
    const label = spec.vanilla.adapter === 'lora' ? 'LoRA: ' : '';
    const labelled = ({ what }: { what: string }) => label + what;
    const report = await drainWithProgress(
      runProbe(spec, pool, { policy, device, codec, artifacts, modelSha256, store: probeFolder(path, warn), signal }),
      labelled,
      context,
    );
    if (flags.trajectory === 0) return { report, trajectory: null };
    const { trajectory: steps, seed, ratio } = flags;
    const training = trajectorySpec({ steps, seed, ratio, pool: pool.own, overrides });
    const key = await trainingKey(training, { modelSha256, graderVersion: grader.version, numerics: device.numerics });
    const folder = folderAt(join(path, 'training', key.slice(0, 12)));
    const trajectory = await drainWithProgress(
      trainTrajectory(training, {
        policy,
        device,
        codec,
        grader,
        signal,
        about: { modelId: model.id, modelSha256, appVersion: APP_VERSION, ...knowsThinkingOf(model) },
        artifacts: folder.artifacts,
        store: trainingFolder(folder),
        date: () => Date.now(),
        now: () => performance.now(),
      }),
      labelled,
      context,
    );
    return { report, trajectory };
  } finally {
    policy.free();
  }
}

function trainingFolder(folder: RunFolder): TrainingStore {
  const path = join(folder.path, 'ratios.json');
  return {
    runs: folder,
    async loadRatios() {
      const bytes = await readOrNull(path);
      if (bytes === null) return [];
      // An earlier lab's file holds only the list.
      if (bytes[0] === '['.charCodeAt(0)) return ratiosOf(bytes, path);
      const { ratios } = await unsealJson(bytes, ['ratios'], path, 'Begin anew with --fresh.');
      return ratios as RatioSteps;
    },
    saveRatios: async (ratios) => {
      if (ratios.length > 0) await writeWhole(path, await sealJson({ ratios }));
    },
  };
}

function ratiosOf(bytes: Buffer, path: string): RatioSteps {
  try {
    return JSON.parse(bytes.toString('utf8')) as RatioSteps;
  } catch (cause) {
    throw new DamagedError(`${path} is damaged, or cut off.`, 'Begin anew with --fresh.', { cause });
  }
}

const stepFile = (step: number): string => `step_${String(step).padStart(3, '0')}.jsonl.gz`;

const REMEDY = 'Begin anew with --fresh.';
const isReplay = (value: unknown): boolean => {
  const { key, step, optimizer, steps } = (value ?? {}) as Partial<ReplayState>;
  const isWhole = optimizer?.total instanceof Float32Array && Array.isArray(steps);
  return typeof key === 'string' && Number.isInteger(step) && isWhole;
};

/** A folder for each replay below `path`: one `step_NNN.jsonl.gz` per step (one row per sample; gzip has a checksum of its own), and the newest
 *  state with the one before it (kept-state.node.ts). */
export function probeFolder(path: string, warn: Warn = warnOnStderr): ProbeStore {
  const stateFile = (replay: string) => join(path, replay, 'state');
  const rowsFile = (replay: string, step: number) => join(path, replay, stepFile(step));
  return {
    loadState: (replay) => loadState<ReplayState>(stateFile(replay), isReplay, { warn, remedy: REMEDY }),
    saveState: (replay, state) => saveState(stateFile(replay), state),
    async loadRows(replay, step) {
      const bytes = await readOrNull(rowsFile(replay, step));
      return bytes && readOrDamaged(rowsFile(replay, step), () => rowsFromJsonl(gunzipSync(bytes).toString('utf8')));
    },
    // Node writes no time into the header, so that the same rows are the same bytes.
    saveRows: (replay, step, rows) => writeWhole(rowsFile(replay, step), gzipSync(rowsToJsonl(rows))),
  };
}

function readOrDamaged<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new FormatError(`${path} is damaged.`, REMEDY, { cause });
  }
}
