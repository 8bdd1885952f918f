// An environment before a run uses it: its description, which the registry always has, and its maker, which is loaded when a run first needs
// it and makes tasks, reward and teacher from the run's spec.
import type { Grader } from '../../environments/code/types.ts';
import type { EnvironmentDescription, Naming, Offered } from '../../environments/entry.ts';
import type { ModelHandles } from '../../environments/types.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { ArmName } from '../config/arms.ts';
import type { PresetName, RunSpec } from '../config/run-spec.ts';
import type { Settings } from '../config/settings.ts';
import type { ArtifactStore } from '../records/artifacts.ts';
import type { LabEvent } from '../records/events.ts';
import type { TrainingEnvironment } from '../step/environment.ts';
import type { MeasuredPretraining } from './pretraining.ts';

/** Input from the host for making an environment. */
export interface EnvironmentPorts {
  codec: PromptCodec;
  /** The interpreter that the environment needs; it only runs programs. */
  grader: Grader;
  artifacts: ArtifactStore | null;
  /** A judge, a synthesiser; absent if the host has none. */
  models?: ModelHandles;
  /** Whether the model's chat template has thoughts; absent if unknown, as for embedded models. */
  knowsThinking?: boolean;
  signal?: AbortSignal;
}

/** Makes an environment; loaded with all its dependencies. */
export interface EnvironmentMaker<Task = unknown, State = unknown, Verdict = unknown> {
  /** The part of the spec that decides the environment; runs with equal parts share one. */
  part(spec: RunSpec): unknown;
  /** Throws SpecError for a spec that this environment does not support. */
  make(spec: RunSpec, ports: EnvironmentPorts): AsyncGenerator<LabEvent, TrainingEnvironment<Task, State, Verdict>>;
  /** Every prompt of a run or, without a spec, prompts as long as the longest, to plan memory and positions. Absent in environments of programs
   *  and of a user's own problems, whose prompts hosts get elsewhere. */
  prompts?(spec?: RunSpec): readonly { id: string; prompt: string }[];
}

/** Loaders of an environment. */
interface Loadable {
  load(): Promise<EnvironmentMaker>;
  /** The small model for this environment or for one of its replicates; absent if there is none. */
  pretraining?(environment: string): Promise<MeasuredPretraining>;
}

/** An environment's line of the registry with its loaders. */
export type LoadableEnvironment = EnvironmentDescription<PresetName, ArmName, Settings> & Naming & Offered & Loadable;
