// Records of a step: its row, and its judged rollouts.

import { deployed, type OptimizerState } from '../../algorithms/optimizer.ts';
import { minus, norm } from '../../algorithms/vectors.ts';
import type { EpisodeBudgets } from '../../engine/types.ts';
import type { Recorded } from '../../environments/rollout-presentation.ts';
import type { Judged, Rollout, Source } from '../../environments/types.ts';
import { mean, sd, sum } from '../../stats/index.ts';
import type { TextCodec } from '../../text/codec.ts';
import type { RolloutRecord, StepRow } from '../records/events.ts';
import type { TrainingEnvironment } from './environment.ts';
import type { Advantages } from './gradient.ts';
import type { StepGroup } from './groups.ts';

/** The part of a row that depends only on the rollouts. */
export type RolloutSummary = ReturnType<typeof summarise>;

export function summarise<Task, Verdict>(
  groups: readonly StepGroup<Task, Verdict>[],
  judged: readonly (readonly Judged<Verdict>[])[],
  skipped: readonly boolean[],
  figures: TrainingEnvironment<Task, unknown, Verdict>['figures'],
) {
  const flat = groups.flatMap(({ rollouts }, g) => rollouts.map((rollout, i) => ({ rollout, judged: judged[g][i] })));
  const of = (source: Source) => flat.filter(({ rollout }) => rollout.source === source);
  const figuresOf = (source: Source) =>
    figures(of(source).map(({ rollout, judged }) => ({ task: rollout.task, verdict: judged.verdict })));
  const students = of('student');
  const rewards = students.map(({ judged }) => judged.reward);
  const lengths = students.map(({ rollout }) => lengthOf(rollout));
  const cut = students.filter(({ rollout }) => isCut(rollout));
  return {
    student: figuresOf('student'),
    teacher: figuresOf('teacher'),
    reward: mean(rewards),
    rewardStd: sd(rewards),
    fracRewardZeroStd: skipped.filter(Boolean).length / groups.length,
    completionMeanLength: mean(lengths),
    completionClippedRatio: students.length === 0 ? null : cut.length / students.length,
    rolloutTokens: sum(lengths),
    ...thoughtsOf(students.map(({ rollout }) => rollout)),
  } satisfies Partial<StepRow>;
}

/** Counts of a step's live episodes, in multi-turn runs. */
export function episodesOf<Task, Verdict>(
  groups: readonly StepGroup<Task, Verdict>[],
  { maxTurns }: EpisodeBudgets,
): Pick<StepRow, 'episodes'> {
  if (maxTurns === 1) return {};
  const live = groups.flatMap(({ rollouts, live }) => rollouts.slice(0, live));
  const ended: NonNullable<StepRow['episodes']>['ended'] = {};
  for (const { end } of live) if (end) ended[end] = (ended[end] ?? 0) + 1;
  return { episodes: { turns: mean(live.map(({ turns }) => turns.length)), ended } };
}

/** Empty where no thoughts are counted. */
function thoughtsOf<Task>(
  rollouts: readonly Rollout<Task>[],
): Partial<Pick<StepRow, 'thinkingMeanLength' | 'thinkingUnclosedRatio'>> {
  const counted = rollouts.filter(({ turns }) => turns.some(({ thought }) => thought));
  if (counted.length === 0) return {};
  const isUnclosed = ({ turns }: Rollout<Task>) => turns.some(({ thought }) => thought?.isUnclosed);
  return {
    thinkingMeanLength: mean(counted.map(({ turns }) => sum(turns.map(({ thought }) => thought?.tokens ?? 0)))),
    thinkingUnclosedRatio: counted.filter(isUnclosed).length / counted.length,
  };
}

/** Whether a turn or the episode reached its token limit. A thought that the lab ended (two turns of an episode without `end`) does not
 *  count; its answer may. */
const isCut = <Task>({ turns, end }: Rollout<Task>): boolean =>
  end === undefined ? turns.at(-1)?.ended === false : end === 'maxTokens' || turns.some(({ ended }) => !ended);

/** Tokens written by the model; observations do not count. */
const lengthOf = <Task>({ turns }: Rollout<Task>): number =>
  sum(turns.map(({ completionIds }) => completionIds.length));

/** ‖δS − initial‖ (how far the deployed adapter has moved), ‖δS_hack‖ and the controls' norms. */
export function norms(
  state: OptimizerState,
  initial: Float32Array,
): Pick<StepRow, 'normDeltaS' | 'normDeltaSHack' | 'shadowNorms'> {
  return {
    normDeltaS: norm(minus(deployed(state), initial)),
    normDeltaSHack: norm(state.hack),
    shadowNorms: Object.fromEntries(Object.entries(state.shadows).map(([id, control]) => [id, norm(control)])),
  };
}

export function rolloutRecords<Task, Verdict>(
  step: number,
  groups: readonly StepGroup<Task, Verdict>[],
  judged: readonly (readonly Judged<Verdict>[])[],
  advantages: Advantages,
  labels: TrainingEnvironment<Task>['labels'],
  codec: Pick<TextCodec, 'decode' | 'rewritesChat'>,
): RolloutRecord[] {
  // The prompt that the model read, which differs from the environment's where the chat template rewrites it. Rollouts of a group share their
  // prompt's ids.
  const known = new Map<readonly number[], string>();
  const shown = (prompt: string, ids: readonly number[]): string => {
    if (!codec.rewritesChat) return prompt;
    const text = known.get(ids) ?? codec.decode(ids);
    known.set(ids, text);
    return text;
  };
  return groups.flatMap(({ task, prompt, rollouts }, g) =>
    rollouts.map(
      ({ source, turns, end }, i): RolloutRecord => ({
        step,
        promptIndex: prompt,
        sampleIndex: i,
        taskId: labels.id(task),
        kind: labels.kind(task),
        source,
        turns: turns.map(({ prompt, promptIds, completion, logprobs, ended }) => ({
          prompt: shown(prompt, promptIds),
          completion,
          logprobs: logprobs ? Array.from(logprobs) : null,
          ended,
        })),
        ...(end ? { end } : {}),
        advantage: advantages.values[g][i],
        reward: judged[g][i].reward,
        verdict: { ...(judged[g][i].verdict as Recorded) },
      }),
    ),
  );
}
