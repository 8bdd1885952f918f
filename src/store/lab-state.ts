// The page's whole state, as one plain record. The store (page/lab-store.ts) contains it, and actions and events replace its parts.

import { LabError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { RolloutLabel, RolloutRecord } from '../experiments/records/events.ts';
import type { KindId } from '../experiments/records/kind.ts';
import type { BasisReport, PairSetReport } from '../lab/protocol/bases.ts';
import type { SummaryOf } from '../lab/protocol/kept.ts';
import type { LogReport } from '../lab/protocol/logs.ts';
import type { PoolReport, ProgressEvent, RunEstimate } from '../lab/protocol/protocol.ts';
import type {
  DeviceComparison,
  DeviceReport,
  ModelReport,
  ReadyReport,
  StorageReport,
} from '../lab/protocol/reports.ts';
import type { Reproduction } from '../share/reproduction.ts';
import type { Share } from '../share/url.ts';
import type { Draft, DraftCheck } from './draft.ts';
import type { ExperimentView } from './experiment-view.ts';

/** A pool that is being built. */
interface PoolWork {
  task: string;
  /** Numbers of rows; both are 0 until the first rows are requested. */
  done: number;
  total: number;
  etaSeconds: number | null;
}

/** Results that came in the page's address. */
interface SharedOnPage {
  share: Share;
  /** Null until a run of the same experiment has finished in this browser. */
  reproduction: Reproduction | null;
}

/** A fault, and what to do about it. */
export interface Problem {
  message: string;
  remedy: string;
}

export function problemOf(error: unknown): Problem {
  if (error instanceof LabError) return { message: error.message, remedy: error.remedy };
  const message = error instanceof Error ? error.message : String(error);
  return {
    message,
    remedy: 'This is a fault in the lab itself: reload the page, and report the message if it recurs.',
  };
}

/** Null if the user cancelled. If a run interrupted it, that is a problem. */
export const unlessCancelled = (error: unknown): Problem | null =>
  error instanceof StoppedError && error.message === 'stopped' ? null : problemOf(error);

export type Connection =
  | { status: 'loading'; what: string; fraction: number | null }
  | { status: 'ready'; report: ReadyReport }
  | { status: 'failed'; problem: Problem };

export interface Notice {
  id: number;
  tone: 'info' | 'good' | 'bad';
  message: string;
  remedy: string | null;
  /** Runs an action and closes the notice. */
  action: { label: string; run: () => void } | null;
}

/** The last dropped file, and the outcome of reading it. */
export type BasisDrop =
  | { status: 'checking'; name: string }
  | { status: 'kept'; report: BasisReport }
  | { status: 'refused'; name: string; problem: Problem };

/** The rollouts on show, from one run at one step. */
interface RolloutChoice {
  runId: string;
  step: number;
  /** Steps that can be chosen, in ascending order. */
  steps: number[];
  rollouts: RolloutRecord[];
  /** Number of the step that the user chose; absent while the page follows the newest step. */
  asked?: number;
  /** Whether a step was requested by its number. Such a step stays on show when newer ones arrive. */
  isPinned?: boolean;
  /** Outcome or filter by which the student's rollouts were requested; absent for all. */
  outcome?: string;
}

/** Lists by kind, newest first. */
export type KeptLists = { readonly [K in KindId]: readonly SummaryOf<K>[] };

export interface LabState {
  connection: Connection;
  device: DeviceReport | null;
  /** The comparison of a software adapter with the CPU, once measured. */
  comparison: DeviceComparison | null;
  storage: StorageReport | null;
  draft: Draft;
  check: DraftCheck;
  /** Why the page's address did not fill the form, or null. */
  addressProblem: Problem | null;
  shared: SharedOnPage | null;
  /** Whether an experiment is running, or its start has been sent to the worker. */
  busy: boolean;
  /** An embedded model that a view uses instead of the form's model. */
  heldModel: string | null;
  /** Estimate of the experiment in the form; null while unknown. */
  estimate: RunEstimate | null;
  /** The experiment that is running, or ran last, in this tab. */
  live: ExperimentView | null;
  /** Experiments that were queued in this tab while another trained, in the order in which they will start. */
  queue: readonly ExperimentView[];
  progress: ProgressEvent | null;
  preparing: { what: string; done: number; total: number; etaSeconds: number | null } | null;
  /** Whether the user pressed Run before the model was loaded. */
  startsWhenReady: boolean;
  /** Progress of factoring a third-party model, which comes before any answer. */
  opening: { what: string; fraction: number; etaSeconds: number | null } | null;
  /** A stored experiment that was opened. It is shown instead of the live one. */
  opened: ExperimentView | null;
  /** Id of the run that the address names, if it is not stored in this browser. */
  missingRun: string | null;
  kept: KeptLists;
  /** Whether a probe, or one of its trainings, is running. */
  probing: boolean;
  /** Id of that probe; null until its record is stored. */
  probingId: string | null;
  bases: BasisReport[];
  /** The user's own pair sets. */
  pairSets: PairSetReport[];
  pools: PoolReport[];
  poolWork: PoolWork | null;
  basisDrop: BasisDrop | null;
  rollouts: RolloutChoice | null;
  /** A log that is shown instead of the run's rollouts. */
  log: LogReport | null;
  /** Labels by `refKey`. */
  labels: ReadonlyMap<string, RolloutLabel>;
  notices: Notice[];
  /** Hidden entries that are deleted permanently when the page is closed. */
  deleted: readonly { key: string; name: string }[];
}

/** The worker's report; null until the lab is open. */
export const readyReport = ({ connection }: Pick<LabState, 'connection'>): ReadyReport | null =>
  connection.status === 'ready' ? connection.report : null;

/** The model that the next experiment will train; null until the lab is open. */
export const loadedModel = (state: Pick<LabState, 'connection'>): ModelReport | null =>
  readyReport(state)?.model ?? null;

/** The state with another model loaded, which invalidates the form's estimate. */
export function withModel({ connection }: LabState, model: ModelReport): Partial<LabState> {
  if (connection.status !== 'ready') return {};
  return { connection: { ...connection, report: { ...connection.report, model } }, estimate: null };
}

export function shownView(state: LabState): ExperimentView | null {
  return state.opened ?? state.live;
}
