// The final evaluation of a run: every model that its knobs and quarantines make, on one set with one set of random numbers.
import { deployed, type OptimizerState, steeredBase } from '../../algorithms/optimizer.ts';
import type { Policy } from '../../engine/types.ts';
import type { PromptCodec } from '../../text/types.ts';
import type { DeviceBases } from '../bases/bases.ts';
import type { EvalRow, LabEvent } from '../records/events.ts';
import { budgetsOf } from '../spec/budgets.ts';
import type { RunSpec } from '../spec/spec.ts';
import type { World } from '../worlds/world.ts';
import { beginEvaluation, evaluateModel, type Measured } from './evaluate.ts';

/** The untrained model's evaluations: the same for every run of an experiment, so they are made once. */
export class BaseEvaluations {
  readonly #known = new Map<string, Measured>();

  async of<Task, State, Verdict>(
    ports: { policy: Policy; codec: PromptCodec; world: World<Task, State, Verdict>; signal?: AbortSignal },
    spec: RunSpec,
    kind: EvalRow['kind'],
  ): Promise<EvalRow> {
    const { world, policy, signal } = ports;
    const set = world.evaluation[kind];
    const key = JSON.stringify([
      world.reward.id,
      spec.dataSeed,
      budgetsOf(spec),
      set.map(({ task }) => world.labels.id(task)),
    ]);
    let rates = this.#known.get(key);
    if (!rates) {
      rates = await evaluateModel(ports, policy.initialKnobs, set, { ...spec, signal });
      this.#known.set(key, rates);
    }
    return { step: 0, model: 'base', kind, ...rates };
  }
}

/**
 * The models of a finished run, by the names of EvalRow.model. `initial`: the untrained knobs. `matched`: what the shadows
 * deploy that are only known after the last step.
 */
export async function finalModels(
  optimizer: OptimizerState,
  spec: RunSpec,
  bases: DeviceBases,
  initial: Float32Array,
  matched: Readonly<Record<string, Float32Array>> = {},
): Promise<[string, Float32Array][]> {
  const models: [string, Float32Array][] = [['total', optimizer.total]];
  if (spec.projection !== 'route') return models;
  models.push(['deployed', deployed(optimizer)]);
  for (const { id } of bases.shadows) models.push([id, deployed(optimizer, optimizer.shadows[id])]);
  models.push(...Object.entries(matched));
  // Without a basis (a world without pairs) the base cannot be steered.
  if (bases.own.basis.axes > 0)
    models.push(['steered_base', await steeredBase(deployed(optimizer), bases.own, initial)]);
  return models;
}

/** Of a run's last models, beside the knobs that training left. */
export interface LateModels {
  /** Deployed knobs of the `random_matched` shadows, by id. */
  matched: Record<string, Float32Array>;
  /** EvalRow.note by model. */
  notes: Record<string, string>;
}

/** A model whose answers are with the grader. */
interface Written {
  model: string;
  measured: Promise<Measured>;
}

/** Yields progress and one row per model; returns the rows. The base's row comes first. */
export async function* finalEvaluation<Task, State, Verdict>(
  runId: string,
  spec: RunSpec,
  optimizer: OptimizerState,
  bases: DeviceBases,
  base: BaseEvaluations,
  ports: { policy: Policy; codec: PromptCodec; world: World<Task, State, Verdict>; signal?: AbortSignal },
  { matched, notes }: LateModels = { matched: {}, notes: {} },
): AsyncGenerator<LabEvent, EvalRow[]> {
  const models = await finalModels(optimizer, spec, bases, ports.policy.initialKnobs, matched);
  const total = models.length + 1;
  const progress = (done: number): LabEvent => ({
    type: 'phase',
    runId,
    step: spec.steps,
    phase: 'final evaluation',
    done,
    total,
  });
  yield progress(0);
  const rows = [await base.of(ports, spec, 'final')];
  yield { type: 'eval', runId, row: rows[0] };
  const set = ports.world.evaluation.final;
  // What a model wrote is graded while the next one writes.
  let written: Written | null = null;
  for (const [i, one] of [...models, null].entries()) {
    let next: Written | null = null;
    if (one) {
      yield progress(i + 1);
      const [model, knobs] = one;
      next = { model, ...(await beginEvaluation(ports, knobs, set, { ...spec, signal: ports.signal })) };
    }
    if (written) {
      const { model, measured } = written;
      const note = notes[model] ? { note: notes[model] } : {};
      rows.push({ step: spec.steps, model, kind: 'final', ...(await measured), ...note });
      yield { type: 'eval', runId, row: rows[i] };
    }
    written = next;
  }
  yield progress(total);
  return rows;
}
