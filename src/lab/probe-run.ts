// The probe as a person asks for it in the page: its pool, its spec, its place in the store, and how far it is. What it measures
// is src/experiments/probe's own: equal requests give the same rows as `npm run lab -- probe --per-module`.
import type { AdapterSettings } from '../engine/types.ts';
import { pairsOf } from '../environments/code/pair-sets.ts';
import { type PoolRow, poolFromJsonl } from '../environments/code/pool.ts';
import { makeProblemSet } from '../environments/code/problem-sets.ts';
import { contentKey } from '../experiments/artifacts.ts';
import { poolGroups } from '../experiments/probe/pool.ts';
import { runProbe } from '../experiments/probe/probe.ts';
import { sampleGradients } from '../experiments/probe/samples.ts';
import { type ProbeSpec, probeSpec } from '../experiments/probe/spec.ts';
import type { ProbeReport } from '../experiments/probe/types.ts';
import { templatePool } from '../experiments/template-pool.ts';
import { SpecError, StoppedError } from '../lib/errors.ts';
import { completionIds } from '../text/codec.ts';
import type { Equipped } from './equipment.ts';
import { probeWork } from './probe-work.ts';
import type { ProbeAsk, ProbeEvent, ProbeRecord } from './protocol-probe.ts';
import type { Records } from './records.ts';

export interface ProbeRunPorts {
  records: Records;
  /** The open device with this adapter on it. */
  equip(adapter: AdapterSettings): Promise<Equipped>;
  signal: AbortSignal;
  onProgress(at: Omit<ProbeEvent, 'type' | 'task'>): void;
  /** Its record is in the store. */
  onBegun(id: string): void;
  /** Milliseconds of a steady clock. */
  now(): number;
}

/** Throws SpecError, and StoppedError when it was stopped: the steps that are done stay. */
export async function runAskedProbe(ask: ProbeAsk, ports: ProbeRunPorts): Promise<ProbeRecord> {
  const { records, signal } = ports;
  const { teacher, samples } = ask;
  if (teacher.kind === 'templates' && !(teacher.correct >= 0 && teacher.correct <= samples))
    throw new SpecError(`${teacher.correct} right bodies of ${samples} samples.`, 'Ask for fewer right bodies.');
  const spec = probeSpec({
    problems: ask.problems,
    perProblem: samples,
    seed: ask.seed,
    perModule: true,
    overrides: ask.settings,
  });
  const { vanilla } = spec;
  const { policy, chosen, codec, grader, model } = await ports.equip(vanilla);
  const { name, kind } = chosen.report;
  const id = (await contentKey([spec, teacher, model.sha256, kind, grader.version])).slice(0, 32);
  const total = 2 * ask.problems;
  const kept = await records.probes.begin({
    ...{ schema: 1, id, ask, file: null, device: name, done: 0, total, report: null },
  });
  ports.onBegun(id);
  if (kept.report) return kept;

  const { rows, source } = await askedPool(spec, teacher, grader, ports);
  const groups = poolGroups(rows, { problems: ask.problems, perProblem: samples, maxNew: vanilla.maxNew }, codec);
  const report = await follow(
    runProbe(
      spec,
      { source, groups },
      {
        ...{ policy, codec, signal },
        device: chosen.device,
        artifacts: records.artifacts({ layout: policy.knobs, modelSha256: model.sha256 }, grader.version),
        modelSha256: model.sha256,
        store: records.probes.stepsOf(id),
      },
    ),
    new Pace(samples, groups.length, vanilla.pairs),
    ports,
  );
  const done: ProbeRecord = { ...kept, done: 2 * groups.length, total: 2 * groups.length, report };
  await records.probes.finish(done);
  return done;
}

async function askedPool(
  { problems, perProblem, vanilla }: ProbeSpec,
  teacher: ProbeAsk['teacher'],
  grader: Equipped['grader'],
  { records: { pools }, signal, onProgress }: ProbeRunPorts,
): Promise<{ rows: PoolRow[]; source: string }> {
  if (teacher.kind === 'pool') {
    const kept = await pools.bySha256(teacher.sha256);
    const report = (await pools.list()).find(({ sha256 }) => sha256 === teacher.sha256);
    if (!kept || !report)
      throw new SpecError(
        `The teacher pool ${teacher.sha256.slice(0, 12)} is not kept here.`,
        'Import it, or take the templates.',
      );
    return { rows: poolFromJsonl(kept.lines), source: report.name ?? report.teacher ?? teacher.sha256.slice(0, 12) };
  }
  const { modes, dataSeed } = vanilla;
  const set = makeProblemSet({ modes, honestShare: 0, count: problems, dataSeed });
  const draft = { rows: perProblem, correct: teacher.correct };
  const stream = templatePool(set, { dataSeed, draft, grader, artifacts: null, signal });
  for (;;) {
    const next = await stream.next();
    if (next.done) {
      const source = `the templates, ${teacher.correct} of ${perProblem} hacks of a problem with the right body`;
      return { rows: next.value, source };
    }
    const { what, done, total } = next.value;
    onProgress({ what, done, total, fraction: 0, etaSeconds: null });
    await breathe(signal);
  }
}

/** Tells how far it is, and lets messages in: on the CPU device nothing waits by itself. */
async function follow(
  stream: ReturnType<typeof runProbe>,
  pace: Pace,
  { signal, onProgress, now }: ProbeRunPorts,
): Promise<ProbeReport> {
  const stopped = () => (signal.reason instanceof StoppedError ? signal.reason : new StoppedError());
  for (;;) {
    const next = await stream.next().catch((error: unknown) => {
      // Whatever was interrupted says so in its own way.
      throw signal.aborted ? stopped() : error;
    });
    if (next.done) return next.value;
    const { what, done, total } = next.value;
    onProgress({ what, done, total, ...pace.at(what, done, total, now()) });
    try {
      await breathe(signal);
    } catch (error) {
      // Its projector lies on the device.
      await stream.throw(error).catch(() => {});
      throw error;
    }
  }
}

async function breathe(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  if (signal.aborted) throw signal.reason instanceof StoppedError ? signal.reason : new StoppedError();
}

class Pace {
  readonly #phases: Readonly<Record<string, readonly [from: number, share: number]>>;
  readonly #all: number;
  #began: number | null = null;
  #idle = 0;
  #phase = '';

  constructor(samples: number, problems: number, pairs: number) {
    const { bases, replay, all } = probeWork(samples, problems, pairs);
    this.#phases = {
      'hack basis': [0, bases / 3],
      'GRPO-contrastive basis': [bases / 3, (2 * bases) / 3],
      'vanilla replay': [bases, replay],
      'projected replay': [bases + replay, replay],
    };
    this.#all = all;
  }

  at(what: string, done: number, total: number, now: number): { fraction: number; etaSeconds: number | null } {
    this.#began ??= now;
    const [from, share] = this.#phases[what] ?? [this.#all, 0];
    // Steps that were kept cost nothing now, and must not be taken for speed.
    if (what !== this.#phase && share > 0) this.#idle += (share * done) / total;
    this.#phase = what;
    const worked = from + (share * done) / total;
    const fresh = worked - this.#idle;
    const seconds = (now - this.#began) / 1000;
    const etaSeconds = fresh > 0 && seconds > 0 ? (seconds / fresh) * (this.#all - worked) : null;
    return { fraction: worked / this.#all, etaSeconds };
  }
}

/** Pairs whose completions are timed. */
const TIMED = 4;

/** Seconds for one sample's gradient on this device, from one short pass. Leaves the policy untrained. */
export async function probePace({ policy, codec }: Equipped, now: () => number): Promise<number> {
  const samples = (await pairsOf({ pairSet: 'prog_wide', count: TIMED })).flatMap(({ prompt, hack, clean }) =>
    [hack, clean].map((text) => ({ promptIds: codec.encode(prompt), completionIds: completionIds(codec, text) })),
  );
  const timed = async () => {
    policy.setKnobs(policy.initialKnobs);
    const from = now();
    await sampleGradients(policy, samples);
    return (now() - from) / 1000 / samples.length;
  };
  // The first use of a shape makes its buffers and pipelines.
  await timed();
  return timed();
}
