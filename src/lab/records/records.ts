// The lab's records in the stores: experiments, runs, rollouts, checkpoints, pools and bases, each under its own key. Only this folder knows
// their layout there.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { DamagedError, sealRecord, unsealRecord } from '@projected-grpo-lab/base/files/sealed.ts';
import { finalCell } from '../../experiments/analysis/final-cell.ts';
import { OWN_PAIRS } from '../../experiments/config/environments.ts';
import { environmentOf } from '../../experiments/config/preset-in.ts';
import { asRecorded, withDefaults } from '../../experiments/config/spec.ts';
import { headlinesOf } from '../../experiments/environments/registry.ts';
import { KINDS } from '../../experiments/kinds/kinds.ts';
import type { KeptParents } from '../../experiments/kinds/run/fork.ts';
import { type ArtifactStore, pairSetId } from '../../experiments/records/artifacts.ts';
import type { Checkpoint, CheckpointStore } from '../../experiments/records/checkpoint.ts';
import type { RunRecord, TableRow } from '../../experiments/records/events.ts';
import { fromResult, fromRows } from '../../experiments/records/layout-1.ts';
import { type StepStore, stepsIn } from '../../experiments/records/steps.ts';
import { deleteRecords, loadRecord, saveRecord, type Warn } from '../../storage/kept-record.ts';
import type { Stores } from '../../storage/kv.ts';
import { sha256 } from '../../storage/sources.ts';
import type {
  Annotation,
  ExperimentRecord,
  ExperimentSummary,
  ModelOutcome,
  StoredExperiment,
} from '../protocol/experiments.ts';
import type { ExperimentParts, ReadParts } from './archive.ts';
import { BasisStore, type BasisTarget } from './bases.ts';
import { KeptRollouts } from './kept-rollouts.ts';
import { RolloutLabels } from './labels.ts';
import { PairSets } from './pairs.ts';
import { PoolStore } from './pools.ts';
import { KeptProbes } from './probes.ts';
import { ProblemStore } from './problems.ts';
import { isFull } from './room.ts';
import { checkNotes, copyNotes } from './user-notes.ts';

/** Loaded with the first import or export of an experiment with own pairs. */
const pairsJson = () => import('../../environments/code/pair-sets/json.ts');

const MAKE_AGAIN = 'Start the experiment again: the same settings give the same run.';

export class Records {
  readonly #stores: Stores;
  readonly #date: () => number;
  readonly pairSets: PairSets;
  readonly bases: BasisStore;
  readonly pools: PoolStore;
  readonly probes: KeptProbes;
  readonly problems: ProblemStore;
  readonly rollouts: KeptRollouts;
  readonly labels: RolloutLabels;
  #writing: Promise<unknown> = Promise.resolve();
  /** Records that the full store refused; they (for example that a run was stopped, and why) are kept in memory until there is room. */
  readonly #unwritten = new Map<string, StoredExperiment>();

  readonly #warn: Warn;

  /** `warn` is called for damaged records, with the substitute that is used. */
  constructor(stores: Stores, date: () => number, warn: Warn = (line) => console.warn(line)) {
    this.#stores = stores;
    this.#date = date;
    this.#warn = warn;
    this.pairSets = new PairSets(stores.pairs, date);
    this.bases = new BasisStore(stores.bases, date);
    this.pools = new PoolStore(stores.pools, date);
    this.probes = new KeptProbes(stores.probes, date, warn);
    this.problems = new ProblemStore(stores.problems, date);
    this.labels = new RolloutLabels(stores.labels);
    this.rollouts = new KeptRollouts(stores.rollouts, async (id) => (await this.run(id))?.spec.environment ?? '');
  }

  // ---- experiments and runs -------------------------------------------------------------------------------------

  /** Newest first. Records of another layout are skipped: a migration would have converted them. */
  async experiments(): Promise<StoredExperiment[]> {
    const { experiments } = this.#stores;
    const keys = new Set([...(await experiments.keys()), ...this.#unwritten.keys()]);
    const all = await Promise.all(
      [...keys].map((key) => this.#unwritten.get(key) ?? experiments.get<StoredExperiment>(key)),
    );
    return all
      .filter((record) => record?.schema === KINDS.run.schema)
      .map((record) => inCurrentLayout(record!))
      .sort((a, b) => b.createdAt - a.createdAt);
  }

  /** Throws SpecError if there is none. */
  async experiment(id: string): Promise<StoredExperiment> {
    const record = this.#unwritten.get(id) ?? (await this.#stores.experiments.get<StoredExperiment>(id));
    if (record) return structuredClone(inCurrentLayout(record));
    throw new SpecError(
      `There is no experiment ${JSON.stringify(id)} in this browser.`,
      'It may have been deleted in another tab; reload the list.',
    );
  }

  async has(id: string): Promise<boolean> {
    return (await this.#stores.experiments.get(id)) !== undefined;
  }

  /**
   * The stored notes of the user override the record's: they may have been written while it was running. If the store is full, the record
   * stays in memory (`hold`) or is dropped (`refuse`, for a request that has not begun).
   */
  saveExperiment(record: StoredExperiment, whenFull: 'hold' | 'refuse' = 'hold'): Promise<void> {
    return this.#inTurn(async () => {
      const kept = await this.#stores.experiments.get<StoredExperiment>(record.id);
      if (kept) copyNotes(kept, record);
      record.updatedAt = this.#date();
      await this.#write(record, whenFull);
    });
  }

  async #write(record: StoredExperiment, whenFull: 'hold' | 'refuse' = 'hold'): Promise<void> {
    try {
      await this.#stores.experiments.set(record.id, record);
      this.#unwritten.delete(record.id);
    } catch (error) {
      if (isFull(error) && whenFull === 'hold') this.#unwritten.set(record.id, structuredClone(record));
      throw error;
    }
  }

  annotate(id: string, changes: Annotation): Promise<StoredExperiment> {
    return this.#inTurn(async () => {
      const record = { ...(await this.experiment(id)), ...checkNotes(changes) };
      await this.#write(record);
      return record;
    });
  }

  /** Writes of records are serialized, since each reads the record first. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#writing.then(work, work);
    this.#writing = result.catch(() => {});
    return result;
  }

  async runs(record: ExperimentRecord): Promise<RunRecord[]> {
    const runs = await Promise.all(record.runIds.map((id) => this.run(id)));
    return runs.filter((run) => run !== null);
  }

  /** Null if there is none, or a damaged one: a warning says so, and a resumed experiment recreates it from its checkpoint. */
  async run(id: string): Promise<RunRecord | null> {
    const kept = await this.#stores.runs.get<RunRecord>(id);
    if (!kept) return null;
    try {
      const run = await unsealRecord(kept, `The record of ${id} in this browser`, MAKE_AGAIN);
      return fromRows({ ...run, spec: asRecorded(withDefaults(run.spec)) });
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      this.#warn(`${error.message} It is left out. ${error.remedy}`);
      return null;
    }
  }

  async saveRun(run: RunRecord): Promise<void> {
    await this.#stores.runs.set(run.id, await sealRecord(run));
  }

  async deleteExperiment(record: ExperimentRecord): Promise<void> {
    const { experiments, runs, rollouts, checkpoints, steps, labels } = this.#stores;
    const prefix = `${record.id}/`;
    await Promise.all([rollouts, labels, checkpoints, steps, runs].map((store) => deleteRecords(store, prefix)));
    await experiments.delete(record.id);
    this.#unwritten.delete(record.id);
    // The deletion may have made room for the records that wait to be written.
    for (const waiting of [...this.#unwritten.values()]) await this.#inTurn(() => this.#write(waiting)).catch(() => {});
  }

  /** The whole experiment as one zip; exporting its import elsewhere gives the same bytes. */
  async exportExperiment(id: string, target: BasisTarget): Promise<Blob> {
    const record = await this.experiment(id);
    const runs = await this.runs(record);
    const checkpoints = await Promise.all(runs.map((run) => this.checkpoints.load(run.id)));
    const { basisFile, teacherPool, pairSet } = record.spec.overrides;
    const ownPairs = pairSet?.startsWith(OWN_PAIRS) ? await this.pairSets.load(pairSet) : null;
    const pool = teacherPool ? ((await this.pools.bySha256(teacherPool))?.lines ?? null) : null;
    const basis = basisFile ? await this.bases.bytes(basisFile) : null;
    const parts: ExperimentParts = {
      // A run that never began has no record yet.
      record: { ...record, runIds: runs.map((run) => run.id) },
      runs,
      checkpoints: checkpoints.filter((checkpoint) => checkpoint !== null),
      basis,
      pool,
      pairs: ownPairs && (await pairsJson()).pairsToJson(ownPairs),
      steps: new Map(await this.#stepsOf(runs)),
    };
    const { packExperiment } = await import('./archive.ts');
    return packExperiment(parts, (runId) => this.labels.laidOver(runId, this.rollouts), target, record.appVersion);
  }

  /** Stores the content of an archive. The record comes last, so that half an import is never listed. */
  async importExperiment(parts: ReadParts, target: BasisTarget): Promise<StoredExperiment> {
    const { record, runs, checkpoints, rollouts, basis, pool, pairs, steps } = parts;
    if (await this.has(record.id))
      throw new SpecError('This experiment is already kept here.', 'Open it in the list, or delete it first.');
    const wanted = record.spec.overrides.basisFile;
    if (basis && (await sha256(basis)) !== wanted)
      throw new SpecError('The archive’s basis is not the one that its spec names.', 'Export the run again.');
    const neededPool = record.spec.overrides.teacherPool;
    if (pool !== null && (await sha256(new TextEncoder().encode(pool))) !== neededPool)
      throw new SpecError('The archive’s teacher pool is not the one that its spec names.', 'Export the run again.');
    const ownPairs = pairs === null ? null : (await pairsJson()).pairsFromJson(pairs);
    if (ownPairs && (await pairSetId(ownPairs)) !== record.spec.overrides.pairSet)
      throw new SpecError('The archive’s pairs are not those that its spec names.', 'Export the run again.');
    try {
      if (ownPairs) await this.pairSets.add(ownPairs);
      if (pool !== null) await this.pools.importLines(pool, `pool-${neededPool?.slice(0, 12)}.jsonl`);
      for (const run of runs) await this.saveRun(run);
      for (const entry of rollouts)
        await this.rollouts.save(entry.runId, entry.step, await this.labels.takenFrom(entry.runId, entry.rollouts));
      for (const checkpoint of checkpoints) await this.checkpoints.save(checkpoint);
      for (const [runId, kept] of steps)
        for (const [i, delta] of kept.entries()) await this.steps.append(runId, i + 1, delta);
      // A basis of another model cannot be checked here, nor can its run be resumed here.
      if (basis && runs.some((run) => run.modelSha256 === target.modelSha256))
        await this.bases.saveFile(basis, `basis-${wanted?.slice(0, 8)}.safetensors`, target);
      await this.#stores.experiments.set(record.id, record);
    } catch (error) {
      await this.deleteExperiment(record).catch(() => {});
      throw error;
    }
    return record;
  }

  async #stepsOf(runs: readonly RunRecord[]): Promise<[string, Float32Array[][]][]> {
    const kept: [string, Float32Array[][]][] = [];
    for (const { id } of runs) {
      const steps = await this.steps.load(id);
      if (steps) kept.push([id, steps]);
    }
    return kept;
  }

  // ---- checkpoints ----------------------------------------------------------------------------------------------

  get checkpoints(): CheckpointStore {
    const { checkpoints } = this.#stores;
    return {
      load: (runId) =>
        loadRecord<Checkpoint>(checkpoints, runId, `The last checkpoint of ${runId} in this browser`, {
          warn: this.#warn,
          remedy: MAKE_AGAIN,
        }).then((kept) => kept && fromRows(kept)),
      save: (checkpoint) => saveRecord(checkpoints, checkpoint.runId, checkpoint),
    };
  }

  /** Stored states from which a fork may start. A damaged state of a parent counts as missing: the parent's steps are trained again. */
  get parents(): KeptParents {
    return {
      run: async (runId) => (await this.run(runId)) ?? null,
      state: async (runId, step) => {
        const kept = await this.checkpoints.load(runId).catch((error: unknown) => {
          if (!(error instanceof DamagedError)) throw error;
          this.#warn(`${error.message} Its steps are trained again.`);
          return null;
        });
        return kept && kept.step <= step ? kept : null;
      },
    };
  }

  /** Δ of every step of vanilla and route/update runs, one entry per step. */
  get steps(): StepStore {
    return stepsIn(this.#stores.steps);
  }

  // ---- teacher pools and hack bases -----------------------------------------------------------------------------

  /** `graderVersion`: the grader that gave the labels. */
  artifacts(target: BasisTarget, graderVersion: string | null = null): ArtifactStore {
    return {
      loadPool: (key) => this.pools.loadTemplates(key),
      savePool: async (key, lines) => void (await this.pools.saveTemplates(key, lines, graderVersion)),
      loadTeacherPool: (id) => this.pools.bySha256(id),
      loadProblems: (id) => this.problems.file(id),
      loadBasis: (id) => this.bases.load(id, target),
      loadPairs: (id) => this.pairSets.load(id),
      saveBasis: async (info, basis) => void (await this.bases.saveExtracted(info, basis, target)),
    };
  }
}

/** Converts a record of an earlier layout. */
const inCurrentLayout = (record: StoredExperiment): StoredExperiment =>
  record.result ? { ...record, result: fromResult(record.result) } : record;

export function summaryOf({ result, ...summary }: StoredExperiment): ExperimentSummary {
  return result === null ? summary : { ...summary, outcomes: outcomesOf(result.table, environmentOf(summary.spec)) };
}

/** Returns the models of a table's main rows: the deployed one if an arm has it. */
function outcomesOf(table: readonly TableRow[], environment: string): ModelOutcome[] {
  const metrics = headlinesOf(environment);
  return table
    .filter(({ model }) => model === 'total' || model === 'deployed')
    .map((row) => ({
      arm: row.arm,
      model: row.model,
      values: Object.fromEntries(
        metrics.flatMap(({ id }) => {
          const cell = finalCell(row, id);
          return cell ? [[id, cell.mean] as const] : [];
        }),
      ),
    }));
}
