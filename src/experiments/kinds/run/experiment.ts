// An experiment: arms × seeds on one model, one after another, as a stream of events that ends with the result. The same generator runs in the
// page's worker and on the command line; a host supplies the model, the grader and the stores.

import { LabError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { adapterLayout, adapterOf, describeAdapter } from '../../../engine/adapter-layout.ts';
import type { Policy } from '../../../engine/types.ts';
import type { Grader } from '../../../environments/code/types.ts';
import type { ModelHandles } from '../../../environments/types.ts';
import type { Device } from '../../../kernels/device.ts';
import { drained } from '../../../lib/drained.ts';
import type { PromptCodec } from '../../../text/codec.ts';
import { buildTable } from '../../analysis/table.ts';
import { verdicts } from '../../analysis/verdicts.ts';
import type { DeviceBases } from '../../bases/bases.ts';
import { thinkingIn } from '../../config/options/prompts.ts';
import { type RunSpec, runIdOf } from '../../config/run-spec.ts';
import { type ExperimentSpec, resolveRuns } from '../../config/spec.ts';
import { Preparation } from '../../environments/preparation.ts';
import type { Measured } from '../../loop/evaluate.ts';
import { BaseEvaluations, evaluateOffer, finalEvaluation } from '../../loop/final-evaluation.ts';
import { ALONE, type EvaluationJob, type SharedWork, sharedPools } from '../../parallel/shared-cache.ts';
import type { ArtifactStore } from '../../records/artifacts.ts';
import { type CheckpointStore, checkResumable, resumedSpec } from '../../records/checkpoint.ts';
import type { BegunFrom, ExperimentResult, LabEvent, RunRecord } from '../../records/events.ts';
import { contextOf } from '../../records/numerics.ts';
import { keepsSteps, memoryStepStore, type StepStore } from '../../records/steps.ts';
import { type KeptParents, type ReachedForks, stateBefore, trainSegments } from './fork.ts';
import { matchedControls, needsSteps } from './matched.ts';

/** Facts on model and lab for a record. `knowsThinking`: as in EnvironmentPorts. */
export interface RunAbout {
  modelId: string;
  modelSha256: string;
  appVersion: string;
  /** The PEFT adapter that the model begins from, if any. */
  begunFrom?: BegunFrom;
  knowsThinking?: boolean;
}

/** The field `knowsThinking`, or no field if it is unknown. */
export const knowsThinkingOf = ({ knowsThinking }: { knowsThinking?: boolean }): Pick<RunAbout, 'knowsThinking'> =>
  knowsThinking === undefined ? {} : { knowsThinking };

export interface ExperimentPorts {
  experimentId: string;
  policy: Policy;
  device: Device;
  codec: PromptCodec;
  grader: Grader;
  about: RunAbout;
  /** Null to store nothing; a stopped run then starts over. */
  checkpoints: CheckpointStore | null;
  artifacts: ArtifactStore | null;
  /** Other models that an environment's reward may ask, by role; the anchor needs none. */
  models?: ModelHandles;
  /** Cache shared with parallel runs; absent for a single one. */
  common?: SharedWork;
  /** Stores every optimizer step of vanilla and route/update runs; null to store none, so that none can be replayed later. */
  steps?: StepStore | null;
  /** The record of a run that was already finished (a resumed experiment), or null. */
  finishedRun?: (runId: string) => Promise<RunRecord | null>;
  /** Stored state of forks' parents; without it their steps are trained again. */
  parents?: KeptParents | null;
  /** Milliseconds since the epoch; for createdAt. */
  date: () => number;
  /** Milliseconds of a steady clock; for timings. */
  now: () => number;
  signal?: AbortSignal;
  onRollout?: (tokens: number, running: number) => void;
  /** See TrainPorts. */
  onRatios?: (runId: string, step: number, histogram: readonly number[]) => void;
}

/**
 * Throws StoppedError after a stop, or the error of a run that failed; in both cases the run's last record has been yielded before
 * (`run-end` with status stopped or failed).
 */
export async function* runExperiment(
  spec: ExperimentSpec,
  ports: ExperimentPorts,
): AsyncGenerator<LabEvent, ExperimentResult> {
  const runs: RunRecord[] = [];
  const shared = openShared(spec, ports);
  for (const { id, spec: run } of shared.runs) {
    const finished = await ports.finishedRun?.(id);
    runs.push(finished?.status === 'done' ? finished : yield* runOne(run, ports, shared));
  }
  const result = resultOf(spec, runs);
  yield { type: 'result', result };
  return result;
}

/** The result of an experiment's runs. */
export function resultOf(spec: ExperimentSpec, runs: RunRecord[]): ExperimentResult {
  const table = buildTable(runs);
  return { spec, runs, table, verdicts: verdicts(runs, table) };
}

/** Work shared by the runs of one experiment. */
export interface Shared {
  runs: { id: string; spec: RunSpec }[];
  steps: StepStore | null;
  preparation: Preparation;
  base: BaseEvaluations;
  /** Absent for a single run. */
  forks?: ReachedForks;
  /** Cache shared with parallel runs. */
  common?: SharedWork;
}

export function openShared(spec: ExperimentSpec, ports: ExperimentPorts): Shared {
  const planned = resolveRuns(spec);
  const { common = ALONE } = ports;
  const artifacts = ports.artifacts && sharedPools(ports.artifacts, common);
  return {
    runs: planned.map((run) => ({ id: runIdOf(ports.experimentId, run), spec: run })),
    // Controls that are matched to a whole run need its steps, even if they are not stored.
    steps: ports.steps ?? (needsSteps(planned) ? memoryStepStore() : null),
    preparation: new Preparation({
      ...ports,
      artifacts,
      common,
      planned,
      modelSha256: ports.about.modelSha256,
      knowsThinking: ports.about.knowsThinking,
    }),
    base: new BaseEvaluations(common),
    forks: new Map(),
    common,
  };
}

/** Trains one run, from its last checkpoint if there is one. Throws like runExperiment, and SpecError before the first event if another model
 *  or adapter is loaded. */
export async function* runOne(
  planned: RunSpec,
  ports: ExperimentPorts,
  { runs, steps: kept, preparation, base, forks = new Map(), common }: Shared,
): AsyncGenerator<LabEvent, RunRecord> {
  const { policy, device, codec, grader, about, signal } = ports;
  if (planned.model !== about.modelId)
    throw new SpecError(`model = ${JSON.stringify(planned.model)}, but ${about.modelId} is loaded`, 'Load that model.');
  if (adapterLayout(policy.config, planned).total !== policy.adapterLayout.total)
    throw new SpecError(
      `the run trains ${describeAdapter(planned)}, but the model is loaded with ${describeAdapter(adapterOf(policy.adapterLayout))}`,
      'Load it with the run’s adapter.',
    );
  const id = runIdOf(ports.experimentId, planned);
  const context = contextOf(about.modelSha256, grader.version, device, policy.form);
  const own = (await ports.checkpoints?.load(id)) ?? null;
  const spec = own ? resumedSpec(own, planned) : planned;
  if (own) checkResumable(own, spec, context);
  const steps = keepsSteps(spec) || !spec.fork ? kept : null;
  // A control that reads the run's own steps also needs the parent's, which come from training them again.
  const from = own ?? (needsSteps([spec]) ? null : await stateBefore(spec, id, context, forks, ports.parents ?? null));
  const thinking = thinkingIn(spec, about.knowsThinking ?? null);
  const record: RunRecord = {
    schema: 1,
    id,
    experimentId: ports.experimentId,
    spec,
    status: 'running',
    createdAt: ports.date(),
    device: device.name,
    appVersion: about.appVersion,
    modelSha256: about.modelSha256,
    graderVersion: grader.version,
    rows: [...(from?.rows ?? [])],
    timings: [...(from?.timings ?? [])],
    evals: [...(from?.evals ?? [])],
    error: null,
    ...(thinking && { thinking }),
    ...(about.begunFrom && { begunFrom: about.begunFrom }),
    ...(policy.form === 'unfolded' && { adapterForm: policy.form }),
  };
  const snapshot = (): RunRecord => structuredClone(record);
  yield { type: 'run-start', run: snapshot() };
  let bases: DeviceBases | null = null;
  try {
    const routing = { policy, device, codec, preparation, signal };
    const trained = yield* trainSegments(record, from, { ...ports, ...routing, context, base, forks, runs, steps });
    const { optimizer, environment, matched } = trained;
    bases = trained.bases;
    const acting = { policy, codec, environment, signal };
    const late = yield* matchedControls(id, spec, steps, routing);
    if (matched) setOwn(late.notes, spec.projection === 'route' ? 'deployed' : 'total', matched.note);
    if (spec.alsoEvaluate.length > 0) {
      const { addLateModels } = await import('./late.ts');
      yield* addLateModels(late, { ...routing, ...acting, id, spec, optimizer, runs, steps, now: ports.now });
    }
    yield* keptRows(finalEvaluation(id, spec, optimizer, bases, base, { ...acting, common }, late), record);
    record.status = 'done';
  } catch (error) {
    record.status = error instanceof StoppedError || signal?.aborted ? 'stopped' : 'failed';
    if (record.status === 'failed') record.error = reasonOf(error);
    yield { type: 'run-end', run: snapshot() };
    throw record.status === 'stopped' && !(error instanceof StoppedError) ? new StoppedError() : error;
  } finally {
    bases?.free();
  }
  yield { type: 'run-end', run: snapshot() };
  return record;
}

/** Passes on the final evaluation and records each row at once, so that a run stopped during it keeps the finished rows. */
async function* keptRows(
  final: AsyncGenerator<LabEvent>,
  { evals }: Pick<RunRecord, 'evals'>,
): AsyncGenerator<LabEvent, void> {
  for await (const event of final) {
    if (event.type === 'eval') evals.push(event.row);
    yield event;
  }
}

/** Computes a job offered by another worker, between two runs of this one. */
export async function helpWith(
  job: EvaluationJob,
  { policy, codec, signal }: ExperimentPorts,
  { preparation }: Shared,
): Promise<Measured> {
  const environment = await drained(preparation.environment(job.spec));
  return evaluateOffer(job, { policy, codec, environment, signal });
}

function reasonOf(error: unknown): { message: string; remedy: string } {
  if (error instanceof LabError) return { message: error.message, remedy: error.remedy };
  return {
    message: error instanceof Error ? error.message : String(error),
    remedy: 'This is a fault in the lab; please report it with the run’s spec.',
  };
}
