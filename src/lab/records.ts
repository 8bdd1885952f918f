// The lab's records in the stores: experiments, runs, rollouts, checkpoints, pools and bases, each under its own key. The
// only file that knows how they lie there.
import type { RawBasis } from '../algorithms/extraction.ts';
import type { KnobLayout } from '../engine/types.ts';
import { type PoolRow, poolFromJsonl, poolToJsonl } from '../environments/code/pool.ts';
import type { ArtifactStore } from '../experiments/artifacts.ts';
import type { Checkpoint, CheckpointStore } from '../experiments/checkpoint.ts';
import type { RolloutRecord, RunRecord } from '../experiments/events.ts';
import { SpecError } from '../lib/errors.ts';
import { readBasisFile, writeBasisFile } from '../storage/basis-file.ts';
import type { Stores } from '../storage/kv.ts';
import { bytesSource } from '../storage/safetensors.ts';
import { sha256 } from '../storage/sources.ts';
import type { Annotation, BasisReport, ExperimentRecord, ExperimentSummary, PoolReport } from './protocol.ts';
import { type ExperimentParts, packExperiment, type ReadParts } from './records-archive.ts';
import { countPool } from './records-pools.ts';
import { headsOf, type RolloutHead } from './rollout-index.ts';

/** With the counts that a list shows, so that listing reads no run. */
export interface StoredExperiment extends ExperimentRecord {
  runsDone: number;
  stepsDone: number;
  stepsTotal: number;
}

interface StoredBasis {
  report: BasisReport;
  bytes: Uint8Array<ArrayBuffer>;
}
interface StoredPool {
  /** Without counts where the first lab wrote it. */
  report: Pick<PoolReport, 'id' | 'createdAt' | 'bytes'> & Partial<PoolReport>;
  lines: string;
}

/** The model that a basis must fit. */
export interface BasisTarget {
  layout: KnobLayout;
  modelSha256: string;
}

const rolloutKey = (runId: string, step: number) => `${runId}/${String(step).padStart(7, '0')}`;

export class Records {
  readonly #stores: Stores;
  readonly #date: () => number;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(stores: Stores, date: () => number) {
    this.#stores = stores;
    this.#date = date;
  }

  // ---- experiments and runs -------------------------------------------------------------------------------------

  /** Newest first. Records of another layout are passed over: a migration would have brought them here. */
  async experiments(): Promise<StoredExperiment[]> {
    const { experiments } = this.#stores;
    const all = await Promise.all((await experiments.keys()).map((key) => experiments.get<StoredExperiment>(key)));
    return all
      .filter((record) => record?.schema === 1)
      .sort((a, b) => b!.createdAt - a!.createdAt) as StoredExperiment[];
  }

  /** Throws SpecError when there is none. */
  async experiment(id: string): Promise<StoredExperiment> {
    const record = await this.#stores.experiments.get<StoredExperiment>(id);
    if (record) return record;
    throw new SpecError(
      `There is no experiment ${JSON.stringify(id)} in this browser.`,
      'It may have been deleted in another tab; reload the list.',
    );
  }

  async has(id: string): Promise<boolean> {
    return (await this.#stores.experiments.get(id)) !== undefined;
  }

  /** A person's words in the store win over the record's: they may have been written while it was being worked on. */
  saveExperiment(record: StoredExperiment): Promise<void> {
    return this.#inTurn(async () => {
      const kept = await this.#stores.experiments.get<StoredExperiment>(record.id);
      if (kept) copyWords(kept, record);
      record.updatedAt = this.#date();
      await this.#stores.experiments.set(record.id, record);
    });
  }

  annotate(id: string, changes: Annotation): Promise<StoredExperiment> {
    return this.#inTurn(async () => {
      const record = { ...(await this.experiment(id)), ...checkWords(changes) };
      await this.#stores.experiments.set(id, record);
      return record;
    });
  }

  /** One write of a record after the other: each reads what is there first. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#writing.then(work, work);
    this.#writing = result.catch(() => {});
    return result;
  }

  async runs(record: ExperimentRecord): Promise<RunRecord[]> {
    const runs = await Promise.all(record.runIds.map((id) => this.run(id)));
    return runs.filter((run) => run !== null);
  }

  async run(id: string): Promise<RunRecord | null> {
    return (await this.#stores.runs.get<RunRecord>(id)) ?? null;
  }

  async saveRun(run: RunRecord): Promise<void> {
    await this.#stores.runs.set(run.id, run);
  }

  async deleteExperiment(record: ExperimentRecord): Promise<void> {
    const { experiments, runs, rollouts, checkpoints } = this.#stores;
    const prefix = `${record.id}/`;
    await Promise.all([rollouts.deletePrefix(prefix), checkpoints.deletePrefix(prefix), runs.deletePrefix(prefix)]);
    await experiments.delete(record.id);
  }

  /** Everything that is kept of it, as one zip; its export elsewhere gives the same bytes. */
  async exportExperiment(id: string, target: BasisTarget): Promise<Blob> {
    const record = await this.experiment(id);
    const runs = await this.runs(record);
    const checkpoints = await Promise.all(runs.map((run) => this.checkpoints.load(run.id)));
    const { basisFile } = record.spec.overrides;
    const basis = basisFile ? ((await this.#stores.bases.get<StoredBasis>(basisFile))?.bytes ?? null) : null;
    const parts: ExperimentParts = {
      // A run that was planned and never begun has no record yet.
      record: { ...record, runIds: runs.map((run) => run.id) },
      runs,
      checkpoints: checkpoints.filter((checkpoint) => checkpoint !== null),
      basis,
    };
    const { rollouts } = this.#stores;
    async function* rolloutsOf(runId: string) {
      for (const key of await rollouts.keys(`${runId}/`)) {
        const step = Number(key.slice(runId.length + 1));
        yield { step, rollouts: (await rollouts.get<RolloutRecord[]>(key)) ?? [] };
      }
    }
    return packExperiment(parts, rolloutsOf, target, record.appVersion);
  }

  /** Keeps what an archive holds. The record comes last, so that half an import is never listed. */
  async importExperiment(parts: ReadParts, target: BasisTarget): Promise<StoredExperiment> {
    const { record, runs, checkpoints, rollouts, basis } = parts;
    if (await this.has(record.id))
      throw new SpecError('This experiment is kept here already.', 'Open it in the list, or delete it first.');
    const wanted = record.spec.overrides.basisFile;
    if (basis && (await sha256(basis)) !== wanted)
      throw new SpecError('The archive’s basis is not the one that its spec names.', 'Export the run again.');
    try {
      for (const run of runs) await this.saveRun(run);
      for (const entry of rollouts) await this.saveRollouts(entry.runId, entry.step, entry.rollouts);
      for (const checkpoint of checkpoints) await this.checkpoints.save(checkpoint);
      // A basis of another model cannot be checked here, and its run cannot be resumed here either.
      if (basis && runs.some((run) => run.modelSha256 === target.modelSha256))
        await this.saveBasis(basis, `basis-${wanted?.slice(0, 8)}.safetensors`, target);
      await this.#stores.experiments.set(record.id, record);
    } catch (error) {
      await this.deleteExperiment(record).catch(() => {});
      throw error;
    }
    return record;
  }

  // ---- rollouts -------------------------------------------------------------------------------------------------

  /** Returns about how many bytes they take. */
  async saveRollouts(runId: string, step: number, rollouts: readonly RolloutRecord[]): Promise<number> {
    await this.#stores.rollouts.set(rolloutKey(runId, step), rollouts);
    let bytes = 0;
    // The prompt of a group is one string, kept once; numbers of an array take about nine bytes each.
    for (const { completion, prompt, sampleIndex, logprobs } of rollouts)
      bytes += 400 + completion.length + (sampleIndex === 0 ? prompt.length : 0) + 9 * (logprobs?.length ?? 0);
    return bytes;
  }

  async rollouts(runId: string, step: number | null): Promise<{ steps: number[]; rollouts: RolloutRecord[] }> {
    const keys = await this.#stores.rollouts.keys(`${runId}/`);
    const key = step === null ? keys.at(-1) : rolloutKey(runId, step);
    const steps = keys.map((name) => Number(name.slice(runId.length + 1)));
    return { steps, rollouts: (key && (await this.#stores.rollouts.get<RolloutRecord[]>(key))) || [] };
  }

  /** One step is read at a time, so that a long run's texts are never in memory together. */
  async rolloutHeads(runId: string, from: number, to: number, text: string): Promise<RolloutHead[]> {
    const heads: RolloutHead[] = [];
    for (const key of await this.#stores.rollouts.keys(`${runId}/`)) {
      const step = Number(key.slice(runId.length + 1));
      if (step < from || step > to) continue;
      heads.push(...headsOf(runId, (await this.#stores.rollouts.get<RolloutRecord[]>(key)) ?? [], text));
    }
    return heads;
  }

  // ---- checkpoints ----------------------------------------------------------------------------------------------

  get checkpoints(): CheckpointStore {
    const { checkpoints } = this.#stores;
    return {
      load: async (runId) => (await checkpoints.get<Checkpoint>(runId)) ?? null,
      save: (checkpoint) => checkpoints.set(checkpoint.runId, checkpoint),
    };
  }

  // ---- teacher pools and hack bases -----------------------------------------------------------------------------

  /** `graderVersion` is stored beside the labels that it gave. */
  artifacts(target: BasisTarget, graderVersion: string | null = null): ArtifactStore {
    const { pools, bases } = this.#stores;
    return {
      loadPool: async (key) => (await pools.get<StoredPool>(key))?.lines ?? null,
      savePool: async (key, lines) => {
        await this.#keepPool(key, lines, { graderVersion, origin: 'built', name: null });
      },
      loadBasis: async (id): Promise<RawBasis | null> => {
        const kept = await bases.get<StoredBasis>(id);
        if (!kept) return null;
        const { modules } = await readBasisFile(bytesSource(kept.bytes), target.layout, {
          label: kept.report.name,
          modelSha256: target.modelSha256,
        });
        return modules;
      },
      saveBasis: async (info, basis) => {
        const bytes = writeBasisFile(basis, info);
        const name = `k ${info.k}, ${info.nPairs} pairs`;
        await this.#keepBasis(bytes, await this.checkBasis(bytes, name, target, 'extracted'));
      },
    };
  }

  /** What the file is; throws FormatError when it does not fit the model. */
  async checkBasis(
    bytes: Uint8Array<ArrayBuffer>,
    name: string,
    { layout, modelSha256 }: BasisTarget,
    origin: BasisReport['origin'] = 'file',
  ): Promise<BasisReport> {
    const { modules, metadata, zeroRows, warnings } = await readBasisFile(bytesSource(bytes), layout, {
      label: name,
      modelSha256,
    });
    return {
      id: await sha256(bytes),
      name,
      bytes: bytes.byteLength,
      modules: modules.size,
      modelModules: layout.modules.length,
      k: Math.max(...[...modules.values()].map(({ k }) => k)),
      zeroRows,
      nPairs: metadata.nPairs,
      tauAxis: metadata.tauAxis,
      nHeldout: metadata.nHeldout,
      modelSha256: metadata.modelSha256,
      pairsSha256: metadata.pairsSha256,
      warnings,
      origin,
      createdAt: this.#date(),
    };
  }

  async saveBasis(bytes: Uint8Array<ArrayBuffer>, name: string, target: BasisTarget): Promise<BasisReport> {
    return this.#keepBasis(bytes, await this.checkBasis(bytes, name, target));
  }

  /** A file that is already there keeps its name and date. */
  async #keepBasis(bytes: Uint8Array<ArrayBuffer>, report: BasisReport): Promise<BasisReport> {
    const known = await this.#stores.bases.get<StoredBasis>(report.id);
    if (known) return known.report;
    await this.#stores.bases.set(report.id, { report, bytes } satisfies StoredBasis);
    return report;
  }

  async bases(): Promise<BasisReport[]> {
    const { bases } = this.#stores;
    const all = await Promise.all((await bases.keys()).map((key) => bases.get<StoredBasis>(key)));
    return all.flatMap((kept) => (kept ? [kept.report] : [])).sort((a, b) => b.createdAt - a.createdAt);
  }

  async basisFile(id: string): Promise<Blob | null> {
    const kept = await this.#stores.bases.get<StoredBasis>(id);
    return kept ? new Blob([kept.bytes]) : null;
  }

  async deleteBasis(id: string): Promise<void> {
    await this.#stores.bases.delete(id);
  }

  async pools(): Promise<PoolReport[]> {
    const { pools } = this.#stores;
    const all = await Promise.all((await pools.keys()).map((key) => pools.get<StoredPool>(key)));
    return all.flatMap((kept) => (kept ? [fullReport(kept)] : [])).sort((a, b) => b.createdAt - a.createdAt);
  }

  /** Throws SpecError when there is none. */
  async poolRows(id: string): Promise<PoolRow[]> {
    const kept = await this.#stores.pools.get<StoredPool>(id);
    if (kept) return poolFromJsonl(kept.lines);
    throw new SpecError('There is no such teacher pool in this browser.', 'It may have been deleted in another tab.');
  }

  /** An imported pool is kept under its own content, apart from those that runs build: its labels are another's word. */
  async importPool(rows: readonly PoolRow[], name: string): Promise<PoolReport> {
    const lines = poolToJsonl(rows);
    const id = `file-${await sha256(new TextEncoder().encode(lines))}`;
    const known = await this.#stores.pools.get<StoredPool>(id);
    if (known) return fullReport(known);
    return this.#keepPool(id, lines, { graderVersion: null, origin: 'file', name });
  }

  async #keepPool(
    id: string,
    lines: string,
    about: Pick<PoolReport, 'graderVersion' | 'origin' | 'name'>,
  ): Promise<PoolReport> {
    const counts = countPool(poolFromJsonl(lines));
    const report: PoolReport = { id, createdAt: this.#date(), bytes: lines.length, ...counts, ...about };
    await this.#stores.pools.set(id, { report, lines } satisfies StoredPool);
    return report;
  }

  async deletePool(id: string): Promise<void> {
    await this.#stores.pools.delete(id);
  }
}

export function summaryOf({ result: _, ...summary }: StoredExperiment): ExperimentSummary {
  return summary;
}

/** Pools of the first lab were kept without counts. */
function fullReport({ report, lines }: StoredPool): PoolReport {
  if (report.rows !== undefined) return report as PoolReport;
  const counts = countPool(poolFromJsonl(lines));
  return { ...(report as PoolReport), ...counts, graderVersion: null, origin: 'built', name: null };
}

function copyWords(from: StoredExperiment, to: StoredExperiment): void {
  for (const key of ['name', 'tags', 'note'] as const) {
    if (from[key] !== undefined) Object.assign(to, { [key]: from[key] });
  }
}

const MAX_WORDS = { name: 120, tag: 40, tags: 20, note: 4000 };

/** Trimmed; throws SpecError for what is too long. */
function checkWords({ name, tags, note, interrupted }: Annotation): Annotation {
  const words: Annotation = {};
  const within = (what: string, text: string, limit: number): string => {
    const trimmed = text.trim();
    if (trimmed.length <= limit) return trimmed;
    throw new SpecError(`The ${what} has ${trimmed.length} characters; ${limit} are allowed.`, 'Make it shorter.');
  };
  if (name !== undefined) words.name = within('name', name, MAX_WORDS.name);
  if (note !== undefined) words.note = within('note', note, MAX_WORDS.note);
  if (tags !== undefined) {
    words.tags = [...new Set(tags.map((tag) => within('tag', tag, MAX_WORDS.tag)))].filter((tag) => tag !== '');
    if (words.tags.length > MAX_WORDS.tags)
      throw new SpecError(`${words.tags.length} tags are too many; ${MAX_WORDS.tags} are allowed.`, 'Drop some.');
  }
  if (interrupted !== undefined) words.interrupted = interrupted;
  return words;
}
