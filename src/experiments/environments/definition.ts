// An environment before a run acts in it: what the registry knows of it at once (its name, what it needs), and what is loaded when a
// run first asks for it: how its tasks, its reward and its teacher are made from the run's spec.
import type { Grader } from '../../environments/code/types.ts';
import type { ModelHandles } from '../../environments/types.ts';
import type { PromptCodec } from '../../text/types.ts';
import type { RunSpec } from '../config/spec.ts';
import type { ArtifactStore } from '../records/artifacts.ts';
import type { LabEvent } from '../records/events.ts';
import type { WorldCard } from './card.ts';
import type { MetricInfo, SplitInfo } from './metric.ts';
import type { Pretraining } from './pretraining.ts';
import type { Profile } from './profile.ts';
import type { Showing } from './showing.ts';
import type { WorldTerms } from './terms.ts';
import type { World } from './world.ts';

/** What a host gives an environment that is being made. */
export interface WorldPorts {
  codec: PromptCodec;
  /** The interpreter that the environment asked for; programs alone are run by it. */
  grader: Grader;
  artifacts: ArtifactStore | null;
  /** A judge, a synthesiser: what the host has; absent where it has none. */
  models?: ModelHandles;
  signal?: AbortSignal;
}

/** How an environment is made; loaded with everything that it needs. */
export interface WorldMaker<Task = unknown, State = unknown, Verdict = unknown> {
  /** What of the spec decides the world: runs with an equal part share one. */
  part(spec: RunSpec): unknown;
  /** Throws SpecError for what this environment cannot be. */
  make(spec: RunSpec, ports: WorldPorts): AsyncGenerator<LabEvent, World<Task, State, Verdict>>;
  /** Every prompt of a run, or (without one) prompts as long as any: what memory and positions are planned for. Absent in environments of
   *  programs, whose hosts ask them by name. */
  prompts?(spec?: RunSpec): readonly { id: string; prompt: string }[];
}

/** A mean probability that evaluations measure. */
export interface AskedInfo {
  /** In `EvalRow.probes`. */
  id: string;
  label: string;
  about: string;
}

/** A line of the registry: small, since the page's first load has all of them. */
export interface WorldEntry extends WorldTerms {
  /** By which it is chosen on the page. */
  card: WorldCard;
  /** Which Python judges what is written here. */
  python: 'micropython' | 'cpython';
  /** Heading of the charts by kind of task, where there are any. */
  kinds?: string;
  /** What its reward is, in one line, and the ticks of its axis. */
  reward: { about: string; ticks: readonly number[] };
  showing: Showing;
  /** What its figures are, the headline first. */
  metrics: readonly MetricInfo[];
  /** What its evaluations ask without sampling (EvalRow.probes) that answers its question better than samples do; none where absent. */
  asked?: readonly AskedInfo[];
  /** Charts of evaluations over something else than steps; none where absent. */
  profiles?: readonly Profile[];
  /** The parts of its evaluation set. */
  splits: readonly SplitInfo[];
  load(): Promise<WorldMaker>;
  /** The small model that is made for this environment, or for one of its replicates; absent where there is none. */
  pretraining?(environment: string): Promise<Pretraining>;
}
