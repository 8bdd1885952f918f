// The lab's records in the stores: experiments, runs, rollouts, checkpoints, pools and bases, each under its own key. The
// only file that knows how they lie there.
import type { RawBasis } from '../algorithms/extraction.ts';
import type { KnobLayout } from '../engine/types.ts';
import type { ArtifactStore } from '../experiments/artifacts.ts';
import type { Checkpoint, CheckpointStore } from '../experiments/checkpoint.ts';
import type { RolloutRecord, RunRecord } from '../experiments/events.ts';
import { SpecError } from '../lib/errors.ts';
import { readBasisFile, writeBasisFile } from '../storage/basis-file.ts';
import type { Stores } from '../storage/kv.ts';
import { bytesSource } from '../storage/safetensors.ts';
import { sha256 } from '../storage/sources.ts';
import type { BasisReport, ExperimentRecord, ExperimentSummary, PoolReport } from './protocol.ts';

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
  report: PoolReport;
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

  async saveExperiment(record: StoredExperiment): Promise<void> {
    record.updatedAt = this.#date();
    await this.#stores.experiments.set(record.id, record);
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

  // ---- rollouts -------------------------------------------------------------------------------------------------

  async saveRollouts(runId: string, step: number, rollouts: readonly RolloutRecord[]): Promise<void> {
    await this.#stores.rollouts.set(rolloutKey(runId, step), rollouts);
  }

  async rollouts(runId: string, step: number | null): Promise<{ steps: number[]; rollouts: RolloutRecord[] }> {
    const keys = await this.#stores.rollouts.keys(`${runId}/`);
    const key = step === null ? keys.at(-1) : rolloutKey(runId, step);
    const steps = keys.map((name) => Number(name.slice(runId.length + 1)));
    return { steps, rollouts: (key && (await this.#stores.rollouts.get<RolloutRecord[]>(key))) || [] };
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

  artifacts(target: BasisTarget): ArtifactStore {
    const { pools, bases } = this.#stores;
    return {
      loadPool: async (key) => (await pools.get<StoredPool>(key))?.lines ?? null,
      savePool: async (key, lines) => {
        const report: PoolReport = { id: key, createdAt: this.#date(), bytes: lines.length };
        await pools.set(key, { report, lines } satisfies StoredPool);
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
    return all.flatMap((kept) => (kept ? [kept.report] : [])).sort((a, b) => b.createdAt - a.createdAt);
  }

  async deletePool(id: string): Promise<void> {
    await this.#stores.pools.delete(id);
  }
}

export function summaryOf({ result: _, ...summary }: StoredExperiment): ExperimentSummary {
  return summary;
}
