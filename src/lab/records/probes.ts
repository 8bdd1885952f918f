// Probes in the store: the request and the report, the rows of each step, and the state to resume from.
//
//   record/<id>                         ProbeRecord
//   state/<id>/<replay>                 ReplayState; <replay> of the second adapter begins with lora/
//   rows/<id>/<replay>/<step>           JSON lines, as a step_NNN.jsonl file has them
//   training/<key>/…                    of T5 and T6 (checkpoints, runs, ratios), by the key of their settings: probes with equal trainings share them

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { sealRecord, unsealRecord } from '@projected-grpo-lab/base/files/sealed.ts';
import { KINDS } from '../../experiments/kinds/kinds.ts';
import { type ProbeStore, type ReplayState, rowsFromJsonl, rowsToJsonl } from '../../experiments/kinds/probe/store.ts';
import type { RatioSteps, TrainingStore } from '../../experiments/kinds/probe/training.ts';
import type { SampleRow, Variant } from '../../experiments/kinds/probe/types.ts';
import type { Checkpoint } from '../../experiments/records/checkpoint.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { fromRows } from '../../experiments/records/layout-1.ts';
import { groupedBy } from '../../lib/grouped.ts';
import { deleteRecords, loadRecord, saveRecord, type Warn } from '../../storage/kept-record.ts';
import type { KeyValue } from '../../storage/kv.ts';
import type { LoadedProbe, ProbeRecord, ProbeRows } from '../protocol/probe.ts';

export const VARIANTS: readonly Variant[] = ['vanilla', 'projected'];

/** Key prefix of the second adapter's replays. */
export const LORA = 'lora/';

const REMEDY = 'Delete the probe, and measure it again.';

const recordKey = (id: string) => `record/${id}`;
const stateKey = (id: string, replay: string) => `state/${id}/${replay}`;
const rowsKey = (id: string, replay: string, step: number) => `rows/${id}/${replay}/${String(step).padStart(7, '0')}`;

/** A record that is not in the store yet. */
export type Unkept = Omit<ProbeRecord, 'createdAt'>;

export class KeptProbes {
  readonly #store: KeyValue;
  readonly #date: () => number;
  #writing: Promise<unknown> = Promise.resolve();

  readonly #warn: Warn;

  constructor(store: KeyValue, date: () => number, warn: Warn) {
    this.#store = store;
    this.#date = date;
    this.#warn = warn;
  }

  /** Lists the newest first. */
  async list(): Promise<ProbeRecord[]> {
    const ids = (await this.#store.keys('record/')).map((key) => key.slice('record/'.length));
    const records = await Promise.all(ids.map((id) => this.find(id)));
    return records.filter((record) => record !== null).sort((a, b) => b.createdAt - a.createdAt);
  }

  async find(id: string): Promise<ProbeRecord | null> {
    const record = await this.#store.get<ProbeRecord>(recordKey(id));
    if (record?.schema !== KINDS.probe.schema) return null;
    if (record.report) return record;
    const states = await Promise.all(VARIANTS.map((replay) => this.#store.get<ReplayState>(stateKey(id, replay))));
    return { ...record, done: states.reduce((sum, state) => sum + (state?.step ?? 0), 0) };
  }

  /** Throws SpecError if there is none. */
  async load(id: string): Promise<LoadedProbe> {
    const record = await this.need(id);
    const rowsBelow = async (at: string): Promise<ProbeRows> => {
      const [vanilla, projected] = await Promise.all(VARIANTS.map((replay) => this.#rows(id, at + replay)));
      return { vanilla, projected };
    };
    return { record, rows: await rowsBelow(''), lora: record.report?.lora ? await rowsBelow(LORA) : null };
  }

  /** Throws SpecError if there is none. */
  async need(id: string): Promise<ProbeRecord> {
    const record = await this.find(id);
    if (record) return record;
    throw new SpecError('There is no such probe in this browser.', 'Run it again, or choose another.');
  }

  /** Begins a probe, or returns the stored one. */
  async begin(record: Unkept): Promise<ProbeRecord> {
    const kept = await this.find(record.id);
    if (kept) return kept;
    const begun = { ...record, createdAt: this.#date() };
    await this.#store.set(recordKey(record.id), begun);
    return begun;
  }

  /** Returns the changed record. Changes are serialized, since each reads the record first. */
  change(id: string, changes: Partial<Omit<ProbeRecord, 'schema' | 'id'>>): Promise<ProbeRecord> {
    const changed = this.#writing.then(async () => {
      const record = { ...(await this.need(id)), ...changes };
      await this.#store.set(recordKey(id), record);
      return record;
    });
    this.#writing = changed.catch(() => {});
    return changed;
  }

  /** Deletes the state, since a finished probe does not need its optimizer. */
  async finish(id: string, changes: Parameters<KeptProbes['change']>[1]): Promise<ProbeRecord> {
    const record = await this.change(id, changes);
    await deleteRecords(this.#store, `state/${id}/`);
    return record;
  }

  async delete(id: string): Promise<void> {
    const { trainings = [] } = (await this.find(id)) ?? {};
    // The record goes first, so that an interrupted deletion leaves nothing in the list.
    await this.#store.delete(recordKey(id));
    await deleteRecords(this.#store, `state/${id}/`);
    await this.#store.deletePrefix(`rows/${id}/`);
    const others = new Set((await this.list()).flatMap((record) => record.trainings ?? []));
    for (const key of trainings) if (!others.has(key)) await deleteRecords(this.#store, `training/${key}/`);
  }

  /** Imports a finished probe of another lab. */
  async add({ record, rows, lora }: Omit<LoadedProbe, 'record'> & { record: Unkept }): Promise<ProbeRecord> {
    const kept = { ...record, createdAt: this.#date() };
    for (const replay of VARIANTS) {
      await this.#setRows(record.id, replay, rows[replay]);
      if (lora) await this.#setRows(record.id, LORA + replay, lora[replay]);
    }
    await this.#store.set(recordKey(record.id), kept);
    return kept;
  }

  /** `below`: LORA for the second adapter's. */
  stepsOf(id: string, below = ''): ProbeStore {
    const store = this.#store;
    const reading = { warn: this.#warn, remedy: REMEDY };
    return {
      loadState: (replay) =>
        loadRecord(store, stateKey(id, below + replay), `The kept replay ${below + replay}`, reading),
      saveState: (replay, state) => saveRecord(store, stateKey(id, below + replay), state),
      async loadRows(replay, step) {
        const lines = await store.get<string>(rowsKey(id, below + replay, step));
        return lines === undefined ? null : rowsFromJsonl(lines);
      },
      saveRows: (replay, step, rows) => store.set(rowsKey(id, below + replay, step), rowsToJsonl(rows)),
    };
  }

  /** Stores one adapter's two runs, under the key of their settings (trainingKey). */
  trainingOf(key: string): TrainingStore {
    const store = this.#store;
    const reading = { warn: this.#warn, remedy: REMEDY };
    const at = (kind: string, id = '') => `training/${key}/${kind}${id && `/${id}`}`;
    const checkpointKey = (runId: string) => at('checkpoint', runId);
    return {
      runs: {
        checkpoints: {
          load: (runId) =>
            loadRecord<Checkpoint>(store, checkpointKey(runId), `The checkpoint of ${runId}`, reading).then(
              (kept) => kept && fromRows(kept),
            ),
          save: (checkpoint) => saveRecord(store, checkpointKey(checkpoint.runId), checkpoint),
        },
        async finishedRun(runId) {
          const run = await store.get<RunRecord>(at('run', runId));
          return run ? fromRows(await unsealRecord(run, `The kept run ${runId}`, REMEDY)) : null;
        },
        async saveRun(run) {
          await store.set(at('run', run.id), await sealRecord(run));
          // A finished run does not resume from its checkpoint.
          await deleteRecords(store, checkpointKey(run.id));
        },
      },
      loadRatios: async () => (await store.get<RatioSteps>(at('ratios'))) ?? [],
      saveRatios: (ratios) => store.set(at('ratios'), ratios),
    };
  }

  async #setRows(id: string, replay: string, rows: readonly SampleRow[]): Promise<void> {
    const steps = groupedBy(rows, ({ step }) => step);
    await this.#store.setMany([...steps].map(([step, own]) => [rowsKey(id, replay, step), rowsToJsonl(own)]));
  }

  async #rows(id: string, replay: string): Promise<SampleRow[]> {
    const keys = await this.#store.keys(`rows/${id}/${replay}/`);
    const lines = await Promise.all(keys.map((key) => this.#store.get<string>(key)));
    return lines.flatMap((text) => rowsFromJsonl(text ?? ''));
  }
}
