// Kept probes in the store: what was asked and said, the rows of each step, and the state to go on from.
//
//   record/<id>                    ProbeRecord
//   state/<id>/<replay>            ReplayState
//   rows/<id>/<replay>/<step>      JSON lines, as a step_NNN.jsonl file has them
import { type ProbeStore, type ReplayState, rowsFromJsonl, rowsToJsonl } from '../experiments/probe/store.ts';
import type { SampleRow, Variant } from '../experiments/probe/types.ts';
import { SpecError } from '../lib/errors.ts';
import type { KeyValue } from '../storage/kv.ts';
import type { LoadedProbe, ProbeRecord } from './protocol-probe.ts';

export const VARIANTS: readonly Variant[] = ['vanilla', 'projected'];

const recordKey = (id: string) => `record/${id}`;
const stateKey = (id: string, replay: string) => `state/${id}/${replay}`;
const rowsKey = (id: string, replay: string, step: number) => `rows/${id}/${replay}/${String(step).padStart(7, '0')}`;

/** Not in the store yet. */
export type Unkept = Omit<ProbeRecord, 'createdAt'>;

export class KeptProbes {
  readonly #store: KeyValue;
  readonly #date: () => number;

  constructor(store: KeyValue, date: () => number) {
    this.#store = store;
    this.#date = date;
  }

  /** Newest first. */
  async list(): Promise<ProbeRecord[]> {
    const ids = (await this.#store.keys('record/')).map((key) => key.slice('record/'.length));
    const records = await Promise.all(ids.map((id) => this.find(id)));
    return records.filter((record) => record !== null).sort((a, b) => b.createdAt - a.createdAt);
  }

  async find(id: string): Promise<ProbeRecord | null> {
    const record = await this.#store.get<ProbeRecord>(recordKey(id));
    if (record?.schema !== 1) return null;
    if (record.report) return record;
    const states = await Promise.all(VARIANTS.map((replay) => this.#store.get<ReplayState>(stateKey(id, replay))));
    return { ...record, done: states.reduce((sum, state) => sum + (state?.step ?? 0), 0) };
  }

  /** Throws SpecError when there is none. */
  async load(id: string): Promise<LoadedProbe> {
    const record = await this.find(id);
    if (!record)
      throw new SpecError('There is no such probe in this browser.', 'It may have been deleted in another tab.');
    const [vanilla, projected] = await Promise.all(VARIANTS.map((replay) => this.#rows(id, replay)));
    return { record, rows: { vanilla, projected } };
  }

  /** Begins it, or gives what is kept of it. */
  async begin(record: Unkept): Promise<ProbeRecord> {
    const kept = await this.find(record.id);
    if (kept) return kept;
    const begun = { ...record, createdAt: this.#date() };
    await this.#store.set(recordKey(record.id), begun);
    return begun;
  }

  /** A finished probe has no use for its optimizer's state. */
  async finish(record: ProbeRecord): Promise<void> {
    await this.#store.set(recordKey(record.id), record);
    if (record.report) await this.#store.deletePrefix(`state/${record.id}/`);
  }

  async delete(id: string): Promise<void> {
    // The record first: what is left of a half-done deletion is listed nowhere.
    await this.#store.delete(recordKey(id));
    await this.#store.deletePrefix(`state/${id}/`);
    await this.#store.deletePrefix(`rows/${id}/`);
  }

  /** A finished probe of another lab, whole. */
  async add({ record, rows }: Omit<LoadedProbe, 'record'> & { record: Unkept }): Promise<ProbeRecord> {
    const kept = { ...record, createdAt: this.#date() };
    for (const replay of VARIANTS) {
      const steps = new Map<number, SampleRow[]>();
      for (const row of rows[replay]) steps.set(row.step, [...(steps.get(row.step) ?? []), row]);
      await this.#store.setMany([...steps].map(([step, own]) => [rowsKey(record.id, replay, step), rowsToJsonl(own)]));
    }
    await this.#store.set(recordKey(record.id), kept);
    return kept;
  }

  stepsOf(id: string): ProbeStore {
    const store = this.#store;
    return {
      loadState: async (replay) => (await store.get<ReplayState>(stateKey(id, replay))) ?? null,
      saveState: (replay, state) => store.set(stateKey(id, replay), state),
      async loadRows(replay, step) {
        const lines = await store.get<string>(rowsKey(id, replay, step));
        return lines === undefined ? null : rowsFromJsonl(lines);
      },
      saveRows: (replay, step, rows) => store.set(rowsKey(id, replay, step), rowsToJsonl(rows)),
    };
  }

  async #rows(id: string, replay: Variant): Promise<SampleRow[]> {
    const keys = await this.#store.keys(`rows/${id}/${replay}/`);
    const lines = await Promise.all(keys.map((key) => this.#store.get<string>(key)));
    return lines.flatMap((text) => rowsFromJsonl(text ?? ''));
  }
}
