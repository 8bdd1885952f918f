// A run's place among its stages: the stage of a step, its environment, and what that environment's task sampler remembers. A sampler's
// memory belongs to its environment: a stage in another one begins with none, whether the run was stopped in between or not.

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

  /** `environmentNamed`: of every environment that the stages name. */
  constructor(
    spec: RunSpec,
    from: Checkpoint | null,
    environmentNamed: (environment: string) => TrainingEnvironment<Task, State, Verdict>,
  ) {
    this.#stages = stagesOf(spec);
    this.#environmentNamed = environmentNamed;
    this.#from = from;
  }

  /** In order of the steps; `step` counts from 0. */
  enter(step: number): StageState<Task, State, Verdict> {
    const stage = stageAt(this.#stages, step);
    const before = this.#last;
    if (before?.stage.environment === stage.environment) this.#last = { ...before, stage };
    else {
      const environment = this.#environmentNamed(stage.environment);
      const from = this.#from;
      // A checkpoint holds the memory of the environment that its last step was in.
      const isSame = from && stageAt(this.#stages, from.step - 1).environment === stage.environment;
      this.#last = { stage, environment, memory: new SamplerMemory(environment.sampler, isSame ? from : null) };
      this.#from = null;
    }
    return this.#last;
  }

  /** Whether a stage ends after so many steps. */
  endsAt(steps: number): boolean {
    return this.#stages.some((stage) => stage.from + stage.steps === steps);
  }
}
