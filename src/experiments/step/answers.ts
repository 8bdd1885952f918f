// Strips thoughts from every text that a grader, check or judge sees. Rollouts keep their thoughts, which are trained, scored and recorded
// like all other tokens. What an environment's own steps see is stripped in rollouts.ts.
import type { Group, Reward, Rollout, Turn } from '../../environments/types.ts';
import { FORCED_END, judgedText, type Thinking } from '../../text/thinking.ts';
import type { TrainingEnvironment } from './environment.ts';

/** Joins a thought that the lab ended (one turn) and the answer after it (the next) into one text. */
function joinParts(turns: readonly Turn[]): readonly Turn[] {
  const whole: Turn[] = [];
  for (const turn of turns) {
    const before = whole.at(-1);
    if (before && turn.prompt === FORCED_END)
      whole[whole.length - 1] = {
        ...before,
        completion: before.completion + turn.prompt + turn.completion,
        completionIds: [...before.completionIds, ...turn.promptIds, ...turn.completionIds],
        ended: turn.ended,
      };
    else whole.push(turn);
  }
  return whole;
}

const judgedTurns = (turns: readonly Turn[], thinking: Thinking): Turn[] =>
  joinParts(turns).map((turn) => ({
    ...turn,
    completion: judgedText(turn.completion, thinking, turn.thought?.isOpened),
  }));

/** The last turn as judges see it; undefined if the model wrote nothing. */
export const judgedTurn = (turns: readonly Turn[], thinking: Thinking): Turn | undefined =>
  judgedTurns(turns, thinking).at(-1);

/** Text of the last turn as judges see it; empty if the model wrote nothing. */
export const judgedCompletion = (
  { thinking = 'keep' }: Pick<TrainingEnvironment, 'thinking'>,
  turns: readonly Turn[],
): string => judgedTurn(turns, thinking)?.completion ?? '';

const judgedRollout = <Task>(rollout: Rollout<Task>, thinking: Thinking): Rollout<Task> => ({
  ...rollout,
  turns: judgedTurns(rollout.turns, thinking),
});

const judgedGroups = <G extends Group<Task>, Task>(groups: readonly G[], thinking: Thinking): G[] =>
  groups.map((group) => ({ ...group, rollouts: group.rollouts.map((rollout) => judgedRollout(rollout, thinking)) }));

/** Wraps a reward so that it sees only answers. */
export const judgingReward = <Task, Verdict>(
  reward: Reward<Task, Verdict>,
  thinking: Thinking,
): Reward<Task, Verdict> => ({
  ...reward,
  score: (groups, models, signal) => reward.score(judgedGroups(groups, thinking), models, signal),
});

/** Wraps an environment so that judges see answers without thoughts; unchanged if `thinking` is null. */
export function judgingAnswers<Task, State, Verdict>(
  environment: TrainingEnvironment<Task, State, Verdict>,
  thinking: Thinking | null,
): TrainingEnvironment<Task, State, Verdict> {
  if (thinking === null) return environment;
  const { reward, sampler, behaviours } = environment;
  return {
    ...environment,
    thinking,
    reward: judgingReward(reward, thinking),
    sampler: {
      ...sampler,
      ...(sampler.learn && {
        learn: ({ step, groups }) => sampler.learn!({ step, groups: judgedGroups(groups, thinking) }),
      }),
    },
    ...(behaviours && { behaviours: (groups, signal) => behaviours(judgedGroups(groups, thinking), signal) }),
  };
}
