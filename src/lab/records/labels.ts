// The user's labels of rollouts, each under its rollout's place, separate from the rollouts: a repeated step is written again, and an
// opened log is not stored. In files (an archive, a log) a label is stored with its rollout.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { RolloutLabel, RolloutRecord } from '../../experiments/records/events.ts';
import { stepKey } from '../../experiments/records/steps.ts';
import type { KeyValue } from '../../storage/kv.ts';
import type { PlacedLabel, RolloutPlace } from '../protocol/labels.ts';

/** Yields a run's rollouts step by step. */
interface Steps {
  each(runId: string): AsyncIterable<{ step: number; rollouts: RolloutRecord[] }>;
}

type Place = Pick<RolloutRecord, 'step' | 'promptIndex' | 'sampleIndex'>;
const keyOf = (runId: string, { step, promptIndex, sampleIndex }: Place): string =>
  `${stepKey(runId, step)}:${promptIndex}:${sampleIndex}`;

export class RolloutLabels {
  readonly #store: KeyValue;

  constructor(store: KeyValue) {
    this.#store = store;
  }

  async of(runId: string): Promise<PlacedLabel[]> {
    const keys = await this.#store.keys(`${runId}/`);
    return Promise.all(
      keys.map(async (key) => {
        const [step, promptIndex, sampleIndex] = key
          .slice(runId.length + 1)
          .split(':')
          .map(Number);
        return { runId, step, promptIndex, sampleIndex, ...(await this.#store.get<RolloutLabel>(key))! };
      }),
    );
  }

  /**
   * Stores a label even without label and note, since it overrides the one in an opened log's file. Throws SpecError for a note that is too
   * long.
   */
  async set(place: RolloutPlace, label: RolloutLabel): Promise<void> {
    const { rolloutLabel } = await import('../../experiments/records/rows-schema.ts');
    const parsed = rolloutLabel.safeParse({ ...label, note: label.note.trim() });
    if (!parsed.success)
      throw new SpecError(`The note has ${label.note.trim().length} characters; 2000 are allowed.`, 'Make it shorter.');
    await this.#store.set(keyOf(place.runId, place), parsed.data);
  }

  /** The rollouts with their labels, as in files. */
  async *laidOver(runId: string, source: Steps): AsyncGenerator<{ step: number; rollouts: RolloutRecord[] }> {
    const labels = new Map(
      (await this.of(runId)).map(({ label, note, ...place }) => [keyOf(runId, place), { label, note }]),
    );
    for await (const { step, rollouts } of source.each(runId)) {
      const labelled = rollouts.map((rollout) => {
        const label = labels.get(keyOf(runId, rollout));
        if (!label) return rollout;
        const { label: _, ...plain } = rollout;
        return label.label === null && label.note === '' ? plain : { ...plain, label };
      });
      yield { step, rollouts: labels.size > 0 ? labelled : rollouts };
    }
  }

  /** Stores the labels that came with rollouts, and returns the rollouts without them. */
  async takenFrom(runId: string, rollouts: readonly RolloutRecord[]): Promise<RolloutRecord[]> {
    const plain: RolloutRecord[] = [];
    for (const { label, ...rollout } of rollouts) {
      if (label) await this.#store.set(keyOf(runId, rollout), label);
      plain.push(rollout);
    }
    return plain;
  }
}
