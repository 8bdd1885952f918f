// The final evaluation of a run: every model that follows from its adapter parameters and quarantines, on one set with one set of random numbers.
import { deployed, type OptimizerState, steeredBase } from '../../algorithms/optimizer.ts';
import type { DeviceBases } from '../bases/bases.ts';
import { budgetsOf } from '../config/budgets.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { ALONE, type EvaluationJob, type SharedWork } from '../parallel/shared-cache.ts';
import type { EvalRow, LabEvent } from '../records/events.ts';
import { beginFinal, type EvaluationPorts, evaluateModel, type Measured } from './evaluate.ts';

type ActingPorts<Task, State, Verdict> = EvaluationPorts<Task, State, Verdict> & { signal?: AbortSignal };

/** Evaluations of the untrained model, which are the same for every run of an experiment and therefore made once. */
export class BaseEvaluations {
  readonly #known = new Map<string, Measured>();
  readonly #common: SharedWork;

  constructor(common: SharedWork = ALONE) {
    this.#common = common;
  }

  /** Cache key of an evaluation of the untrained model. */
  key<Task, State, Verdict>(
    { environment }: Pick<ActingPorts<Task, State, Verdict>, 'environment'>,
    spec: RunSpec,
    kind: EvalRow['kind'],
  ): string {
    const ids = environment.evaluation[kind].map(({ task }) => environment.labels.id(task));
    const draws = kind === 'final' ? spec.evaluationSeeds : 1;
    const cache = spec.kvCache === 'f16' ? [spec.kvCache] : [];
    return `base ${JSON.stringify([environment.reward.id, spec.dataSeed, budgetsOf(spec), draws, ids, ...cache])}`;
  }

  get(key: string): Measured | undefined {
    return this.#known.get(key);
  }

  set(key: string, measured: Measured): void {
    this.#known.set(key, measured);
  }

  /** The evaluation before training. */
  async during<Task, State, Verdict>(ports: ActingPorts<Task, State, Verdict>, spec: RunSpec): Promise<EvalRow> {
    const { environment, policy, signal } = ports;
    const kind = 'during';
    const key = this.key(ports, spec, kind);
    let rates = this.#known.get(key);
    if (!rates) {
      const { made } = await this.#common.next([key]);
      rates = made
        ? (made.value as Measured)
        : await evaluateModel(ports, policy.initialAdapterParams, environment.evaluation[kind], { ...spec, signal });
      if (!made) await this.#common.keep(key, rates);
      this.#known.set(key, rates);
    }
    return { step: 0, model: 'base', kind, ...rates };
  }
}

/**
 * The models of a finished run, by EvalRow.model. `initial`: the untrained adapter parameters. `matched`: models of controls that are known
 * only after the last step.
 */
export async function finalModels(
  optimizer: OptimizerState,
  spec: RunSpec,
  bases: DeviceBases,
  initial: Float32Array,
  matched: Readonly<Record<string, Float32Array>> = {},
): Promise<[string, Float32Array][]> {
  const models: [string, Float32Array][] = [['total', optimizer.total]];
  if (spec.projection !== 'route') return [...models, ...Object.entries(matched)];
  models.push(['deployed', deployed(optimizer)]);
  for (const { id } of bases.controls) models.push([id, deployed(optimizer, optimizer.shadows[id])]);
  models.push(...Object.entries(matched));
  // Without a basis (an environment without pairs) the base cannot be steered; with a kept span it would equal the deployed model.
  if (bases.own.basis.axes > 0 && !bases.keepsSpan)
    models.push(['steered_base', await steeredBase(deployed(optimizer), bases.own, initial)]);
  return models;
}

/** Models of a run that are known only after its last step. */
export interface LateModels {
  /** Adapter parameters by id: `random_matched` controls, the arena's corners. */
  matched: Record<string, Float32Array>;
  /** EvalRow.note by model. */
  notes: Record<string, string>;
}

/** One model to evaluate on the final set. */
interface EvaluatedModel {
  model: string;
  adapterParams: Float32Array;
}

/**
 * Yields progress and one row per model, the base's first; returns the rows. Parallel runs share one evaluation of the base, and idle workers
 * take some of the models; the order of rows stays the same.
 */
export async function* finalEvaluation<Task, State, Verdict>(
  runId: string,
  spec: RunSpec,
  optimizer: OptimizerState,
  bases: DeviceBases,
  base: BaseEvaluations,
  { common = ALONE, ...ports }: ActingPorts<Task, State, Verdict> & { common?: SharedWork },
  { matched, notes }: LateModels = { matched: {}, notes: {} },
): AsyncGenerator<LabEvent, EvalRow[]> {
  const { initialAdapterParams } = ports.policy;
  const models = await finalModels(optimizer, spec, bases, initialAdapterParams, matched);
  const baseKey = base.key(ports, spec, 'final');
  const toEvaluate = new Map<string, EvaluatedModel>([
    [baseKey, { model: 'base', adapterParams: initialAdapterParams }],
  ]);
  for (const [model, adapterParams] of models) toEvaluate.set(`final ${runId} ${model}`, { model, adapterParams });
  const total = toEvaluate.size;
  const progress = (done: number): LabEvent => ({
    type: 'phase',
    runId,
    step: spec.steps,
    phase: 'final evaluation',
    done,
    total,
  });
  yield progress(0);
  const measured = new Map<string, Measured>();
  const known = base.get(baseKey);
  if (known) measured.set(baseKey, known);
  const left = [...toEvaluate.keys()].filter((key) => !measured.has(key));
  const jobs = left
    .filter((key) => key !== baseKey)
    .map((key) => ({ key, job: { spec, adapterParams: toEvaluate.get(key)!.adapterParams } }));
  await common.offer(jobs);

  const rows: EvalRow[] = [];
  const rowOf = (key: string): EvalRow => {
    const { model } = toEvaluate.get(key)!;
    const row: EvalRow = { step: model === 'base' ? 0 : spec.steps, model, kind: 'final', ...measured.get(key)! };
    return Object.hasOwn(notes, model) ? { ...row, note: notes[model] } : row;
  };
  const order = [...toEvaluate.keys()];
  function* ready(): Generator<LabEvent> {
    while (rows.length < total && measured.has(order[rows.length])) {
      const row = rowOf(order[rows.length]);
      rows.push(row);
      yield { type: 'eval', runId, row };
    }
  }
  // A model's rollouts are graded while the next model generates.
  let written: { key: string; measured: Promise<Measured> } | null = null;
  const graded = async () => {
    if (!written) return;
    const { key } = written;
    const own = await written.measured;
    written = null;
    if (key === baseKey) base.set(key, own);
    measured.set(key, own);
  };
  yield* ready();
  while (left.length > 0) {
    const { key, made } = await common.next(left);
    left.splice(left.indexOf(key), 1);
    if (made) {
      measured.set(key, made.value as Measured);
      if (key === baseKey) base.set(key, made.value as Measured);
    } else {
      yield progress(total - left.length - 1);
      const { signal } = ports;
      const begun = await beginFinal(ports, toEvaluate.get(key)!.adapterParams, { ...spec, signal });
      // A failure is reported by graded() below.
      begun.measured.then((own) => common.keep(key, own)).catch(() => {});
      await graded();
      written = { key, ...begun };
    }
    yield* ready();
  }
  await graded();
  yield* ready();
  yield progress(total);
  return rows;
}

/** Evaluates a model that another worker offered. The policy keeps its adapter parameters. */
export async function evaluateOffer<Task, State, Verdict>(
  { spec, adapterParams }: EvaluationJob,
  ports: ActingPorts<Task, State, Verdict>,
): Promise<Measured> {
  return (await beginFinal(ports, adapterParams, { ...spec, signal: ports.signal })).measured;
}
