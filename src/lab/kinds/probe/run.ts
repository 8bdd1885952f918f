// The probe as the user starts it in the page: its pool, its spec, its place in the store, and its progress. The measurement is
// src/experiments/kinds/probe's: equal requests give the same rows as `npm run lab -- probe --per-module`.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { poolFromJsonl } from '../../../environments/code/pool.ts';
import { pairsOf } from '../../../environments/pair-sets.ts';
import type { Settings } from '../../../experiments/config/settings.ts';
import { buildFor, poolGroups, templatesFor } from '../../../experiments/kinds/probe/pool.ts';
import { type ProbePool, type ProbeProgress, runProbe } from '../../../experiments/kinds/probe/probe.ts';
import { sampleGradients } from '../../../experiments/kinds/probe/samples.ts';
import { checkProbeModel, type ProbeSpec, probeSpec } from '../../../experiments/kinds/probe/spec.ts';
import { contentKey } from '../../../experiments/records/artifacts.ts';
import { completionIds, givenIds } from '../../../text/codec.ts';
import { type Equipped, targetOf, writingAs } from '../../equipment/equipment.ts';
import type { ProbeAsk, ProbeEvent, ProbeRecord } from '../../protocol/probe.ts';
import { drainUntilStopped, turnOrStop } from '../../work/drain.ts';
import { buildKeptPool, type PoolBuildPorts } from '../../work/pool-builder.ts';
import { Pace, replayPhases } from './work.ts';

export interface ProbeRunPorts extends Omit<PoolBuildPorts, 'onProgress'> {
  onProgress(at: Omit<ProbeEvent, 'type' | 'task'>): void;
  /** Called when its record is in the store. */
  onStarted(id: string): void;
}

/** The probe's spec for a request. `changes`: the second adapter's settings. Throws SpecError. */
export const specOf = ({ problems, samples, seed, settings }: ProbeAsk, changes: Partial<Settings> = {}): ProbeSpec =>
  probeSpec({ problems, perProblem: samples, seed, perModule: true, overrides: { ...settings, ...changes } });

/** Throws SpecError, and StoppedError if stopped: finished steps stay stored. */
export async function runRequestedProbe(ask: ProbeAsk, ports: ProbeRunPorts): Promise<ProbeRecord> {
  const { records } = ports;
  const { teacher, samples } = ask;
  if (teacher.kind === 'templates' && !(teacher.correct >= 0 && teacher.correct <= samples))
    throw new SpecError(`${teacher.correct} right bodies of ${samples} samples.`, 'Ask for fewer right bodies.');
  const spec = specOf(ask);
  const { vanilla } = spec;
  // The model is checked before it is factored.
  checkProbeModel((await ports.opened()).model.id);
  const equipped = await writingAs(await ports.equip(vanilla), vanilla);
  const { chosen, grader, model } = equipped;
  const { name, kind } = chosen.report;
  const id = (await contentKey([spec, teacher, model.sha256, kind, grader.version])).slice(0, 32);
  const total = 2 * ask.problems;
  const kept = await records.probes.begin({
    schema: 1,
    id,
    ask,
    file: null,
    device: name,
    done: 0,
    total,
    report: null,
    model: { id: model.id, sha256: model.sha256 },
  });
  ports.onStarted(id);
  if (kept.report) return kept;

  const pool = await poolOfProbe(kept, equipped, ports);
  const pace = new Pace(replayPhases(samples, pool.groups.length, vanilla.pairs));
  const report = await follow(replay(spec, pool, equipped, ports, id), pace, ports);
  const steps = 2 * pool.groups.length;
  return records.probes.finish(id, { done: steps, total: steps, report });
}

/** Both replays of a pool, stored step by step. `below`: LORA for the second adapter's. */
export const replay = (
  spec: ProbeSpec,
  pool: ProbePool,
  equipped: Equipped,
  { records, signal }: Pick<ProbeRunPorts, 'records' | 'signal'>,
  id: string,
  below = '',
) =>
  runProbe(spec, pool, {
    policy: equipped.policy,
    codec: equipped.codec,
    signal,
    device: equipped.chosen.device,
    artifacts: records.artifacts(targetOf(equipped), equipped.grader.version),
    modelSha256: equipped.model.sha256,
    store: records.probes.stepsOf(id, below),
  });

/** The pool of stage 1 with everything that training needs from it. The probe must have been started here. */
export async function poolOfProbe(
  record: ProbeRecord,
  { grader, codec }: Pick<Equipped, 'grader' | 'codec'>,
  ports: ProbeRunPorts,
): Promise<ProbePool> {
  const ask = record.ask as ProbeAsk;
  const spec = specOf(ask);
  const { problems, perProblem, vanilla } = spec;
  const { teacher } = ask;
  const shape = { problems, perProblem, maxNew: vanilla.maxNew };
  if (teacher.kind === 'templates') {
    const { signal, onProgress } = ports;
    const { stream, source } = templatesFor(spec, teacher.correct, { grader, signal });
    const rows = await drainUntilStopped(stream, signal, ({ what, done, total }) =>
      onProgress({ what, done, total, fraction: 0, etaSeconds: null }),
    );
    return { source, groups: poolGroups(rows, shape, codec), own: null };
  }
  const { pools } = ports.records;
  const sha256 = teacher.kind === 'pool' ? teacher.sha256 : await writtenPool(record, spec, ports);
  const kept = await pools.bySha256(sha256);
  const report = (await pools.list()).find((pool) => pool.sha256 === sha256);
  if (!kept || !report)
    throw new SpecError(
      `The teacher pool ${sha256.slice(0, 12)} is not kept here.`,
      'Import it, or take another teacher.',
    );
  return {
    source: report.name ?? report.teacher ?? sha256.slice(0, 12),
    groups: poolGroups(poolFromJsonl(kept.lines), shape, codec),
    own: { sha256, problems: report.problems, ...kept },
  };
}

/** Hash of the embedded teacher's pool: the one stored for this probe, or a new one. */
async function writtenPool({ id, poolSha256 }: ProbeRecord, spec: ProbeSpec, ports: ProbeRunPorts): Promise<string> {
  const { records, onProgress } = ports;
  if (poolSha256 && (await records.pools.bySha256(poolSha256))) return poolSha256;
  const { sha256 } = await buildKeptPool({ kind: 'onnx' }, buildFor(spec), {
    ...ports,
    // The pool takes only seconds, so it does not count in the probe's progress.
    onProgress: (done, total) => onProgress({ what: 'teacher pool', done, total, fraction: 0, etaSeconds: null }),
  });
  await records.probes.change(id, { poolSha256: sha256 });
  return sha256;
}

/** Runs a stream and reports its progress. */
export function follow<Result>(
  stream: AsyncGenerator<ProbeProgress, Result>,
  pace: Pace,
  { signal, onProgress }: Pick<ProbeRunPorts, 'signal' | 'onProgress'>,
  label = '',
): Promise<Result> {
  return drainUntilStopped(stream, signal, ({ what, done, total }) =>
    onProgress({ what: label + what, done, total, ...pace.at(label + what, done, total, performance.now()) }),
  );
}

/** Pairs whose gradients are timed. */
const TIMED = 4;

/** Seconds for one sample's gradient on this device, from one short pass. Leaves the policy untrained. Throws StoppedError. */
export async function probePace({ policy, codec }: Equipped, signal: AbortSignal): Promise<number> {
  const samples = (await pairsOf({ pairSet: 'prog_wide', count: TIMED })).flatMap(({ prompt, hack, clean }) =>
    [hack, clean].map((text) => ({ promptIds: givenIds(codec, prompt), completionIds: completionIds(codec, text) })),
  );
  const timed = async () => {
    await turnOrStop(signal);
    policy.setAdapterParams(policy.initialAdapterParams);
    const from = performance.now();
    await sampleGradients(policy, samples);
    return (performance.now() - from) / 1000 / samples.length;
  };
  // The first pass allocates buffers and pipelines of its shape.
  await timed();
  return timed();
}
