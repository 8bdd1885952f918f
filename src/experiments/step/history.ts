// History of a run's task sampler: every task's returns so far, and the sampler's own state. It is checkpointed, so that a resumed run
// draws the tasks that an uninterrupted one would.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { ownOf, setOwn } from '@projected-grpo-lab/base/own.ts';
import type { Judged, TaskHistory, TaskSampler } from '../../environments/types.ts';
import { mean } from '../../stats/index.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import type { TaskLabels } from './environment.ts';
import type { StepGroup } from './groups.ts';

type Kept = Pick<Checkpoint, 'history' | 'returns' | 'sampler'>;

export class SamplerMemory<Task> {
  readonly #sampler: TaskSampler<Task>;
  /** Copies, because a store may hand out its own objects. */
  readonly #rewards: Record<string, number[]>;
  readonly #returns: Record<string, number[][]>;
  readonly history: TaskHistory;

  /** The sampler starts fresh, or continues from `from`. Throws SpecError for a state that is not this sampler's. */
  constructor(sampler: TaskSampler<Task>, from: Kept | null) {
    this.#sampler = sampler;
    this.#rewards = structuredClone(from?.history ?? {});
    this.#returns = structuredClone(from?.returns ?? {});
    this.history = { rewards: (id) => ownOf(this.#rewards, id) ?? [], returns: (id) => this.#returnsOf(id) };
    const state = from?.sampler === undefined ? null : parse(from.sampler);
    if (state !== null && !sampler.restore)
      throw new SpecError(
        'the checkpoint has a state of its task sampler, and this environment’s sampler keeps none',
        'Go on with the lab that made the checkpoint, or start the run anew.',
      );
    sampler.restore?.(state);
  }

  draw(request: { seed: number; step: number; count: number }): readonly Task[] {
    return this.#sampler.draw({ ...request, history: this.history });
  }

  /** Records the rewards of a step's live rollouts, after the policy has learnt from them. `step` counts from 0. */
  learn<Verdict>(
    step: number,
    groups: readonly StepGroup<Task, Verdict>[],
    judged: readonly (readonly Judged<Verdict>[])[],
    labels: TaskLabels<Task>,
  ): void {
    const live = groups.map(({ task, rollouts, live }, g) => ({
      task,
      rollouts: rollouts.slice(0, live),
      judged: judged[g].slice(0, live),
    }));
    for (const { task, judged } of live) {
      const id = labels.id(task);
      const returns = judged.map(({ reward }) => reward);
      setOwn(this.#returns, id, [...this.#returnsOf(id), returns]);
      setOwn(this.#rewards, id, [...this.history.rewards(id), mean(returns) ?? 0]);
    }
    this.#sampler.learn?.({ step, groups: live });
  }

  /** State for a checkpoint. */
  kept(): Kept {
    const state: unknown = this.#sampler.save?.();
    return {
      history: this.#rewards,
      returns: this.#returns,
      ...(state === undefined ? {} : { sampler: JSON.stringify(state) }),
    };
  }

  /** Returns per visit; empty for visits from older checkpoints, which stored only the mean. */
  #returnsOf(id: string): readonly number[][] {
    const known = ownOf(this.#returns, id) ?? [];
    const unknown = this.history.rewards(id).length - known.length;
    return unknown > 0 ? [...Array.from({ length: unknown }, () => []), ...known] : known;
  }
}

function parse(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (cause) {
    throw new SpecError('the state of the checkpoint’s task sampler is not JSON', 'Start the run anew.', { cause });
  }
}
