// An environment before a run acts in it: what the registry knows of it at once (its name, what it needs), and what is loaded when a
// run first asks for it: how its tasks, its reward and its teacher are made from the run's spec.
import type { Grader } from '../../environments/code/types.ts';
import type { EnvironmentDescription, Naming, Offered } from '../../environments/entry.ts';
import type { ModelHandles } from '../../environments/types.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { ArmName } from '../config/arms.ts';
import type { PresetName } from '../config/run-spec.ts';
import type { Settings } from '../config/settings.ts';
import type { RunSpec } from '../config/spec.ts';
import type { ArtifactStore } from '../records/artifacts.ts';
import type { LabEvent } from '../records/events.ts';
import type { TrainingEnvironment } from '../step/environment.ts';
import type { MeasuredPretraining } from './pretraining.ts';

/** What a host gives an environment that is being made. */
export interface EnvironmentPorts {
  codec: PromptCodec;
  /** The interpreter that the environment asked for; programs alone are run by it. */
  grader: Grader;
  artifacts: ArtifactStore | null;
  /** A judge, a synthesiser: what the host has; absent where it has none. */
  models?: ModelHandles;
  /** Whether the model's chat template knows thoughts; absent where nobody asked, as of embedded models. */
  knowsThinking?: boolean;
  signal?: AbortSignal;
}

/** How an environment is made; loaded with everything that it needs. */
export interface EnvironmentMaker<Task = unknown, State = unknown, Verdict = unknown> {
  /** What of the spec decides the environment: runs with an equal part share one. */
  part(spec: RunSpec): unknown;
  /** Throws SpecError for what this environment cannot be. */
  make(spec: RunSpec, ports: EnvironmentPorts): AsyncGenerator<LabEvent, TrainingEnvironment<Task, State, Verdict>>;
  /** Every prompt of a run, or (without one) prompts as long as any: what memory and positions are planned for. Absent in environments of
   *  programs, whose hosts ask them by name. */
  prompts?(spec?: RunSpec): readonly { id: string; prompt: string }[];
}

/** What makes it. */
interface Loadable {
  load(): Promise<EnvironmentMaker>;
  /** The small model that is made for this environment, or for one of its replicates; absent where there is none. */
  pretraining?(environment: string): Promise<MeasuredPretraining>;
}

/** A line of the registry, with what makes it. */
export type LoadableEnvironment = EnvironmentDescription<PresetName, ArmName, Settings> & Naming & Offered & Loadable;
