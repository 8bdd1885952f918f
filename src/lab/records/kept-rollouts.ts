// Rollouts in the store: each step of a run is one record, under `<run>/<step>`.

import { rolloutPresentationOf } from '../../experiments/environments/registry.ts';
import type { RolloutRecord } from '../../experiments/records/events.ts';
import { fromRollout } from '../../experiments/records/layout-1.ts';
import { stepKey, stepOf } from '../../experiments/records/steps.ts';
import type { KeyValue } from '../../storage/kv.ts';
import { headsOf, type RolloutHead } from '../protocol/rollout-index.ts';

export class KeptRollouts {
  readonly #store: KeyValue;
  readonly #environmentOf: (runId: string) => Promise<string>;

  constructor(store: KeyValue, environmentOf: (runId: string) => Promise<string>) {
    this.#store = store;
    this.#environmentOf = environmentOf;
  }

  /** Returns their approximate size in bytes. */
  async save(runId: string, step: number, rollouts: readonly RolloutRecord[]): Promise<number> {
    await this.#store.set(stepKey(runId, step), rollouts);
    let bytes = 0;
    // The prompt of a group is one string, stored once; a number in an array takes about nine bytes.
    for (const { turns, sampleIndex } of rollouts)
      for (const [turn, { completion, prompt, logprobs }] of turns.entries())
        bytes +=
          400 + completion.length + (turn > 0 || sampleIndex === 0 ? prompt.length : 0) + 9 * (logprobs?.length ?? 0);
    return bytes;
  }

  /** Rollouts of one step, or of the last stored one if `step` is null; and the list of stored steps. */
  async at(runId: string, step: number | null): Promise<{ steps: number[]; rollouts: RolloutRecord[] }> {
    const keys = await this.#store.keys(`${runId}/`);
    const key = step === null ? keys.at(-1) : stepKey(runId, step);
    return { steps: keys.map((name) => stepOf(runId, name)), rollouts: key ? await this.#read(key) : [] };
  }

  /** Yields step by step, so that a long run's texts are never in memory together. */
  async *each(runId: string): AsyncGenerator<{ step: number; rollouts: RolloutRecord[] }> {
    for (const key of await this.#store.keys(`${runId}/`))
      yield { step: stepOf(runId, key), rollouts: await this.#read(key) };
  }

  async heads(runId: string, from: number, to: number, text: string): Promise<RolloutHead[]> {
    const heads: RolloutHead[] = [];
    const rolloutPresentation = rolloutPresentationOf(await this.#environmentOf(runId));
    for (const key of await this.#store.keys(`${runId}/`)) {
      const step = stepOf(runId, key);
      if (step < from || step > to) continue;
      heads.push(...headsOf(runId, await this.#read(key), text, rolloutPresentation));
    }
    return heads;
  }

  async #read(key: string): Promise<RolloutRecord[]> {
    return ((await this.#store.get<unknown[]>(key)) ?? []).map(fromRollout);
  }
}
