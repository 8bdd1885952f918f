// Evaluates every model on one fixed set of unseen problems with one fixed set of random numbers, so that two models differ only by their
// adapter parameters.
import type { GenerateRequest, Policy } from '../../engine/types.ts';
import { keyFor, STREAMS } from '../../rng/threefry.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { budgetsOf, type EpisodeSettings } from '../config/budgets.ts';
import type { EvalRow } from '../records/events.ts';
import type { Metrics } from '../records/metrics.ts';
import type { EvaluationTask, JudgedTask, TrainingEnvironment } from '../step/environment.ts';
import { modelHandles } from '../step/models.ts';
import { promptOrder, rollOut } from '../step/rollouts.ts';

interface EvaluationSettings extends EpisodeSettings {
  /** The environment's seed, not the run's: every model of every seed uses the same random numbers. */
  dataSeed: number;
  signal?: AbortSignal;
  /** See GenerateRequest; with it a stop takes effect during generation. */
  breathe?: GenerateRequest['breathe'];
  /** Runs each part of the evaluation; between two parts the policy may be used otherwise. */
  part?: Part;
  /** Skips `measure` and `probe` of the environment, which do not use the evaluation's random numbers. */
  isRepeated?: boolean;
}

export type Part = <T>(work: () => Promise<T>) => Promise<T>;

/** The part of a row that an evaluation measures. */
export type Measured = Pick<EvalRow, 'all' | 'splits' | 'probes' | 'draws'>;

/** Seed of an evaluation's random numbers, a safe integer of 53 bits. Draw 0 has the data seed, so that single evaluations keep their
 *  numbers. */
export function evaluationSeed(dataSeed: number, draw: number): number {
  if (draw === 0) return dataSeed;
  const [high, low] = keyFor(dataSeed, STREAMS.evaluationDraw, draw);
  return (high & 0x1fffff) * 2 ** 32 + low;
}

/** Episodes generated together; bounds the memory of a large set and how long a stop waits. */
const BATCH = 64;

export interface EvaluationPorts<Task, State, Verdict> {
  policy: Policy;
  codec: PromptCodec;
  environment: TrainingEnvironment<Task, State, Verdict>;
}

/** Rates at temperature 1 of the policy with `adapterParams`, which it keeps afterwards. */
export async function evaluateModel<Task, State, Verdict>(
  ports: EvaluationPorts<Task, State, Verdict>,
  adapterParams: Float32Array,
  set: readonly EvaluationTask<Task>[],
  settings: EvaluationSettings,
): Promise<Measured> {
  return (await beginEvaluation(ports, adapterParams, set, settings)).measured;
}

/** The final evaluation, `evaluationSeeds` times; draws after the first go to the row's `draws`. Resolves like beginEvaluation. */
export async function beginFinal<Task, State, Verdict>(
  ports: EvaluationPorts<Task, State, Verdict>,
  adapterParams: Float32Array,
  { evaluationSeeds, ...settings }: EvaluationSettings & { evaluationSeeds: number },
): Promise<{ measured: Promise<Measured> }> {
  const { final } = ports.environment.evaluation;
  const begun = await beginDraws(ports, adapterParams, final, settings, evaluationSeeds);
  const measured = begun.measured.then(([own, ...draws]) =>
    draws.length === 0 ? own : { ...own, draws: draws.map(({ all, splits }) => ({ all, splits })) },
  );
  measured.catch(() => {});
  return { measured };
}

/** Evaluates in two halves: resolves when all answers are generated. `measured` resolves when the last are graded; meanwhile the policy is
 *  free. */
async function beginEvaluation<Task, State, Verdict>(
  ports: EvaluationPorts<Task, State, Verdict>,
  adapterParams: Float32Array,
  set: readonly EvaluationTask<Task>[],
  settings: EvaluationSettings,
): Promise<{ measured: Promise<Measured> }> {
  const begun = await beginDraws(ports, adapterParams, set, settings, 1);
  const measured = begun.measured.then(([own]) => own);
  measured.catch(() => {});
  return { measured };
}

/** Several draws of an evaluation's random numbers. In single-turn runs the answers to a problem are generated together, so that their prompt
 *  is prefilled once. */
async function beginDraws<Task, State, Verdict>(
  ports: EvaluationPorts<Task, State, Verdict>,
  adapterParams: Float32Array,
  set: readonly EvaluationTask<Task>[],
  { dataSeed, signal, breathe, part: given, isRepeated = false, ...settings }: EvaluationSettings,
  draws: number,
): Promise<{ measured: Promise<Measured[]> }> {
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
  const seeds = Array.from({ length: draws }, (_, draw) => evaluationSeed(dataSeed, draw));
  const done: JudgedTask<Task, Verdict>[][] = seeds.map(() => []);
  // Multi-turn states are not built twice, and a reward that asks models asks in the set's own order.
  const isFree = settings.maxTurns === 1 && environment.reward.asksNobody;
  const tasks = set.map(({ task }) => task);
  const order = isFree && set.length > BATCH ? promptOrder(environment.dynamics, tasks) : [...set.keys()];
  const partsOf = (own: readonly number[]) => {
    const episodes = order.flatMap((place) => own.map((draw) => ({ place, draw })));
    return Array.from({ length: Math.ceil(episodes.length / BATCH) }, (_, i) =>
      episodes.slice(i * BATCH, (i + 1) * BATCH),
    );
  };
  const drawn = [...seeds.keys()];
  for (const episodes of isFree ? partsOf(drawn) : drawn.flatMap((draw) => partsOf([draw])))
    await part(async () => {
      const played = await rollOut(
        { policy, codec, dynamics: environment.dynamics },
        episodes.map(({ place, draw }) => ({
          task: tasks[place],
          key: (turn: number) => keyFor(seeds[draw], STREAMS.evaluation, place, turn),
        })),
        {
          ...budgetsOf(settings),
          thinking: environment.thinking,
          thinkingBudget: settings.thinkingBudget,
          kvCache: settings.kvCache,
          temperature: 1,
          signal,
          breathe,
        },
      );
      const groups = episodes.map(({ place }, i) => {
        const task = tasks[place];
        return { task, rollouts: [{ task, source: 'student' as const, ...played[i] }] };
      });
      const judged = environment.reward.score(groups, models, signal).then((judged) => {
        for (const [i, { place, draw }] of episodes.entries())
          done[draw][place] = { task: tasks[place], verdict: judged[i][0].verdict };
      });
      // A reward that asks models may use this policy, so it is awaited.
      if (!environment.reward.asksNobody) await judged;
      // A failure is reported where the results are awaited below, unless generation fails first.
      judged.catch(() => {});
      judging.push(judged);
    });
  const revised: Metrics[] = [];
  for (const seed of environment.isChained ? seeds : [])
    await part(async () => {
      const { revisedMetrics } = await import('../exit/evaluation.ts');
      revised.push(await revisedMetrics(ports, set, { dataSeed: seed, signal, ...settings }));
    });
  // These do not use the evaluation's random numbers.
  const [further, probes] = isRepeated
    ? [{}, undefined]
    : await part(async () => [
        await environment.measure?.({ policy, codec, adapterParams, signal }),
        await environment.probe?.({ policy, codec, signal }),
      ]);
  const measured = Promise.all(judging).then(() =>
    done.map((own, draw) => {
      const of = (split: string) => environment.figures(own.filter((_, i) => set[i].unseen === split));
      const { n, figures } = environment.figures(own);
      return {
        all: { n, figures: { ...figures, ...revised[draw], ...(draw === 0 ? further : {}) } },
        splits: Object.fromEntries(environment.splits.map(({ id }) => [id, of(id)])),
        ...(draw === 0 && probes && { probes }),
      };
    }),
  );
  measured.catch(() => {});
  return { measured };
}
