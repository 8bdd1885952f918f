// An environment whose graders, checks and judges see answers alone: what a model thought before them is cut off at each of the doors by
// which a text reaches them. Rollouts themselves stay whole, so that thoughts are trained, scored and recorded as all else is.
import type { Dynamics, Group, Rollout, Turn } from '../../environments/types.ts';
import { FORCED_END, judgedText, type Thinking } from '../../text/thinking.ts';
import type { TrainingEnvironment } from './environment.ts';

/** The turns as one text each: a thought that the lab ended, and the answer behind it, are one turn of two parts. */
function joined(turns: readonly Turn[]): readonly Turn[] {
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

/** What the last turn said, as its judges saw it; empty where nothing was said. */
export function judgedCompletion(
  { thinking = 'keep' }: Pick<TrainingEnvironment, 'thinking'>,
  turns: readonly Turn[],
): string {
  const last = joined(turns).at(-1);
  return last ? judgedText(last.completion, thinking, last.prompt) : '';
}

const judgedRollout = <Task>(rollout: Rollout<Task>, thinking: Thinking): Rollout<Task> => ({
  ...rollout,
  turns: joined(rollout.turns).map((turn) => ({
    ...turn,
    completion: judgedText(turn.completion, thinking, turn.prompt),
  })),
});

const judgedGroup = <Task, G extends Group<Task>>(group: G, thinking: Thinking): G => ({
  ...group,
  rollouts: group.rollouts.map((rollout) => judgedRollout(rollout, thinking)),
});

/** What of a text the environment's own steps see: an action, not the thought before it. */
const judgedDynamics = <Task, State>(dynamics: Dynamics<Task, State>, thinking: Thinking): Dynamics<Task, State> => ({
  ...dynamics,
  act(state, completion, ended) {
    const seen = dynamics.observe(state);
    return dynamics.act(state, judgedText(completion, thinking, seen.kind === 'prompt' ? seen.text : ''), ended);
  },
});

/** The environment with `thinking`; itself where that is null. */
export function judgingAnswers<Task, State, Verdict>(
  environment: TrainingEnvironment<Task, State, Verdict>,
  thinking: Thinking | null,
): TrainingEnvironment<Task, State, Verdict> {
  if (thinking === null) return environment;
  const { dynamics, reward, sampler, behaviours } = environment;
  const judged = <G extends Group<Task>>(groups: readonly G[]) =>
    groups.map((group) => judgedGroup<Task, G>(group, thinking));
  return {
    ...environment,
    thinking,
    dynamics: judgedDynamics(dynamics, thinking),
    reward: { ...reward, score: (groups, models, signal) => reward.score(judged(groups), models, signal) },
    sampler: {
      ...sampler,
      draw: (request) => sampler.draw(request),
      ...(sampler.learn && { learn: ({ step, groups }) => sampler.learn!({ step, groups: judged(groups) }) }),
    },
    ...(behaviours && { behaviours: (groups, signal) => behaviours(judged(groups), signal) }),
  };
}
