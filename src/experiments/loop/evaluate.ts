// Evaluation: one fixed set of unseen problems and one fixed set of random numbers for every model, so that two models
// differ only by their adapter parameters.
import type { GenerateRequest, Policy } from '../../engine/types.ts';
import { keyFor, STREAMS } from '../../rng/threefry.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { budgetsOf, type EpisodeSettings } from '../config/budgets.ts';
import type { EvalRow } from '../records/events.ts';
import type { EvaluationTask, JudgedTask, TrainingEnvironment } from '../step/environment.ts';
import { modelHandles } from '../step/models.ts';
import { promptOrder, rollOut } from '../step/rollouts.ts';

interface EvaluationSettings extends EpisodeSettings {
  /** The environment's, not the run's: every model of every seed draws the same numbers. */
  dataSeed: number;
  signal?: AbortSignal;
  /** As GenerateRequest's: with it a stop is heard while the model writes. */
  breathe?: GenerateRequest['breathe'];
  /** Runs each part of the evaluation: between two of them the policy may be used for something else. */
  part?: Part;
  /** Leaves out what has no random numbers of the evaluation's: `measure` and `probe` of the environment. */
  isRepeated?: boolean;
}

export type Part = <T>(work: () => Promise<T>) => Promise<T>;

/** What an evaluation adds to the row that it is of. */
export type Measured = Pick<EvalRow, 'all' | 'splits' | 'probes' | 'draws'>;

/** Seed of an evaluation's random numbers, a safe integer of 53 bits. Draw 0 has the data seed itself, as every evaluation had before
 *  there were several. */
export function evaluationSeed(dataSeed: number, draw: number): number {
  if (draw === 0) return dataSeed;
  const [high, low] = keyFor(dataSeed, STREAMS.evaluationDraw, draw);
  return (high & 0x1fffff) * 2 ** 32 + low;
}

/** Episodes generated together: bounds the memory of a large set and how long a stop has to wait. */
const BATCH = 64;

export interface EvaluationPorts<Task, State, Verdict> {
  policy: Policy;
  codec: PromptCodec;
  environment: TrainingEnvironment<Task, State, Verdict>;
}

/** Rates of the policy with `adapterParams` folded in (it keeps them afterwards), at temperature 1. */
export async function evaluateModel<Task, State, Verdict>(
  ports: EvaluationPorts<Task, State, Verdict>,
  adapterParams: Float32Array,
  set: readonly EvaluationTask<Task>[],
  settings: EvaluationSettings,
): Promise<Measured> {
  return (await beginEvaluation(ports, adapterParams, set, settings)).measured;
}

/** The final evaluation: `evaluationSeeds` times, the further ones in the row's `draws`. Resolves as beginEvaluation does. */
export async function beginFinal<Task, State, Verdict>(
  ports: EvaluationPorts<Task, State, Verdict>,
  adapterParams: Float32Array,
  { evaluationSeeds, ...settings }: EvaluationSettings & { evaluationSeeds: number },
): Promise<{ measured: Promise<Measured> }> {
  const { dataSeed } = settings;
  const set = ports.environment.evaluation.final;
  const first = await beginEvaluation(ports, adapterParams, set, settings);
  const further: Promise<Measured>[] = [];
  for (let draw = 1; draw < evaluationSeeds; draw++) {
    const own = { ...settings, dataSeed: evaluationSeed(dataSeed, draw), isRepeated: true };
    further.push((await beginEvaluation(ports, adapterParams, set, own)).measured);
  }
  if (further.length === 0) return first;
  const measured = Promise.all([first.measured, ...further]).then(([own, ...draws]) => ({
    ...own,
    draws: draws.map(({ all, splits }) => ({ all, splits })),
  }));
  measured.catch(() => {});
  return { measured };
}

/** The same in two halves: resolves when all is written; the last of it may then still be with the grader, and the policy can be
 *  used for something else. */
export async function beginEvaluation<Task, State, Verdict>(
  ports: EvaluationPorts<Task, State, Verdict>,
  adapterParams: Float32Array,
  set: readonly EvaluationTask<Task>[],
  { dataSeed, signal, breathe, part: given, isRepeated = false, ...settings }: EvaluationSettings,
): Promise<{ measured: Promise<Measured> }> {
  const { policy, codec, environment } = ports;
  if (!given) policy.setAdapterParams(adapterParams);
  const part: Part = given
    ? (work) =>
        given(() => {
          policy.setAdapterParams(adapterParams);
          return work();
        })
    : (work) => work();
  const models = modelHandles({
    policy,
    codec,
    adapterParams,
    given: environment.models,
    thinking: environment.thinking,
  });
  const judging: Promise<void>[] = [];
  const done: JudgedTask<Task, Verdict>[] = [];
  // A state of many turns is not made twice, and what is asked of models is asked in the set's own order.
  const isFree = settings.maxTurns === 1 && environment.reward.asksNobody;
  const tasks = set.map(({ task }) => task);
  const order = isFree && set.length > BATCH ? promptOrder(environment.dynamics, tasks) : [...set.keys()];
  for (let from = 0; from < set.length; from += BATCH) {
    const places = order.slice(from, from + BATCH);
    await part(async () => {
      const played = await rollOut(
        { policy, codec, dynamics: environment.dynamics },
        places.map((place) => ({
          task: tasks[place],
          key: (turn: number) => keyFor(dataSeed, STREAMS.evaluation, place, turn),
        })),
        {
          ...budgetsOf(settings),
          thinking: environment.thinking,
          thinkingBudget: settings.thinkingBudget,
          temperature: 1,
          signal,
          breathe,
        },
      );
      const groups = places.map((place, i) => {
        const task = tasks[place];
        return { task, rollouts: [{ task, source: 'student' as const, ...played[i] }] };
      });
      const judged = environment.reward.score(groups, models, signal).then((judged) => {
        for (const [i, place] of places.entries()) done[place] = { task: tasks[place], verdict: judged[i][0].verdict };
      });
      // Whoever asks models asks this one.
      if (!environment.reward.asksNobody) await judged;
      // Its failure is told by whoever waits for it below, unless writing fails first.
      judged.catch(() => {});
      judging.push(judged);
    });
  }
  const revised = environment.isChained
    ? await part(async () =>
        (await import('../exit/evaluation.ts')).revisedMetrics(ports, set, { dataSeed, signal, ...settings }),
      )
    : {};
  const [further, probes] = isRepeated
    ? [{}, undefined]
    : await part(async () => [
        await environment.measure?.({ policy, codec, adapterParams, signal }),
        await environment.probe?.({ policy, codec, signal }),
      ]);
  const measured = Promise.all(judging).then(() => {
    const of = (split: string) => environment.figures(done.filter((_, i) => set[i].unseen === split));
    const { n, figures } = environment.figures(done);
    return {
      all: { n, figures: { ...figures, ...revised, ...further } },
      splits: Object.fromEntries(environment.splits.map(({ id }) => [id, of(id)])),
      ...(probes && { probes }),
    };
  });
  measured.catch(() => {});
  return { measured };
}
