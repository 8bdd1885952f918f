// A run's position among its stages: the stage of a step, its environment, and its task sampler's memory. A sampler's memory belongs to its
// environment: a stage in another environment starts without memory, whether or not the run was stopped in between.

import type { RunSpec } from '../config/run-spec.ts';
import { type Stage, stageAt, stagesOf } from '../config/stages.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import type { TrainingEnvironment } from '../step/environment.ts';
import { SamplerMemory } from '../step/history.ts';

interface StageState<Task, State, Verdict> {
  stage: Stage;
  environment: TrainingEnvironment<Task, State, Verdict>;
  memory: SamplerMemory<Task>;
}

export class StageWalk<Task, State, Verdict> {
  readonly #stages: readonly Stage[];
  readonly #environmentNamed: (environment: string) => TrainingEnvironment<Task, State, Verdict>;
  #from: Checkpoint | null;
  #last: StageState<Task, State, Verdict> | null = null;

  /** `environmentNamed` returns each environment that the stages name. */
  constructor(
    spec: RunSpec,
    from: Checkpoint | null,
    environmentNamed: (environment: string) => TrainingEnvironment<Task, State, Verdict>,
  ) {
    this.#stages = stagesOf(spec);
    this.#environmentNamed = environmentNamed;
    this.#from = from;
  }

  /** Returns the stage of a step, counted from 0. Steps must come in order. */
  enter(step: number): StageState<Task, State, Verdict> {
    const stage = stageAt(this.#stages, step);
    const before = this.#last;
    if (before?.stage.environment === stage.environment) this.#last = { ...before, stage };
    else {
      const environment = this.#environmentNamed(stage.environment);
      const from = this.#from;
      // A checkpoint holds the sampler memory of its last step's environment.
      const isSame = from && stageAt(this.#stages, from.step - 1).environment === stage.environment;
      this.#last = { stage, environment, memory: new SamplerMemory(environment.sampler, isSame ? from : null) };
      this.#from = null;
    }
    return this.#last;
  }

  /** Whether a stage ends after `steps` steps. */
  endsAt(steps: number): boolean {
    return this.#stages.some((stage) => stage.from + stage.steps === steps);
  }
}
