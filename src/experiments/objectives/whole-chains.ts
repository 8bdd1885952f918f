// Whole chains as rollouts: each task of a group is answered and revised K times by the current policy, and every answer of a chain gets the
// chain's reward. This is the contrast to ExIt's single steps (docs/lab-book/exit.md, E5): under the sum of gains a bad first answer is rewarded later.
// Each answer is its own sequence with the prompt of a single step, so that only the reward differs.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Answer } from '../../environments/exit/types.ts';
import { gainOf } from '../../environments/exit/types.ts';
import type { Judged, Rollout } from '../../environments/types.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { sum } from '../../stats/index.ts';
import { budgetsOf } from '../config/budgets.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { LabEvent } from '../records/events.ts';
import { judgedCompletion } from '../step/answers.ts';
import type { StepGroup } from '../step/groups.ts';
import { modelHandles } from '../step/models.ts';
import { rollOut } from '../step/rollouts.ts';
import type { StepPorts } from './types.ts';

interface Chain<Task, Verdict> {
  task: Task;
  prompt: number;
  sample: number;
  history: Answer[];
  /** Quality of the last answer that can be shown, after each answer of the chain; 0 before there is one. */
  quality: number[];
  rollouts: Rollout<Task>[];
  verdicts: Verdict[];
}

/** The reward of a chain; `quality` after each of its answers. */
export function chainReturn(
  quality: readonly number[],
  { chainPay, gain }: Pick<RunSpec, 'chainPay' | 'gain'>,
): number {
  const last = quality[quality.length - 1];
  if (chainPay === 'last') return last;
  if (chainPay === 'rise') return last - quality[0];
  return sum(quality.slice(1).map((after, k) => gainOf(quality[k], after, gain)));
}

/** A step's groups: groupSize chains per task, each with its answers in order. */
export async function* chainGroups<Task, State, Verdict>(
  ports: StepPorts<Task, State, Verdict>,
): AsyncGenerator<LabEvent, { groups: StepGroup<Task, Verdict>[]; judged: Judged<Verdict>[][] }> {
  const { spec, step, adapterParams, policy, codec, environment, memory, clock, meter, signal, onRollout } = ports;
  const { improvable, dynamics } = environment;
  if (!improvable) throw new SpecError(`${dynamics.id} has no answers to revise`, 'Set chainSteps to 0.');
  const { seed, temperature, maxNew, groupSize, chainSteps, kvCache } = spec;
  const models = modelHandles({
    policy,
    codec,
    adapterParams,
    given: environment.models,
    thinking: environment.thinking,
    meter,
  });
  const tasks = memory.draw({ seed, step, count: spec.promptsPerStep });
  const chains = tasks.flatMap((task, prompt) =>
    Array.from({ length: groupSize }, (_, sample): Chain<Task, Verdict> => {
      return { task, prompt, sample, history: [], quality: [], rollouts: [], verdicts: [] };
    }),
  );
  for (let k = 0; k <= chainSteps; k++) {
    yield clock.begin('rollout');
    const episodes = chains.map(({ task, history, prompt, sample }) => ({
      task: history.length > 0 ? improvable.revise(task, history, 'improve') : task,
      key: () => keyFor(seed, STREAMS.rollout, step, prompt, sample, k),
    }));
    const { thinking } = environment;
    const settings = { ...budgetsOf(spec), maxNew, temperature, kvCache, thinking, signal, onProgress: onRollout };
    const played = await rollOut({ policy, codec, dynamics }, episodes, settings);
    yield clock.begin('grade');
    const openEpisodes = episodes.map(({ task }, i) => ({
      task,
      rollouts: [{ task, source: 'student' as const, ...played[i] }],
    }));
    const judged = await environment.reward.score(openEpisodes, models, signal);
    for (const [i, chain] of chains.entries()) {
      const answer = improvable.answerOf(judged[i][0], judgedCompletion(environment, played[i].turns));
      if (answer) chain.history.push(answer);
      chain.quality.push(chain.history.at(-1)?.quality ?? 0);
      chain.rollouts.push(openEpisodes[i].rollouts[0]);
      chain.verdicts.push(judged[i][0].verdict);
    }
  }
  const of = (prompt: number) => chains.filter((chain) => chain.prompt === prompt);
  return {
    groups: tasks.map((task, prompt) => {
      const rollouts = of(prompt).flatMap((chain) => chain.rollouts);
      return { task, prompt, live: rollouts.length, drawn: [], rollouts };
    }),
    judged: tasks.map((_, prompt) =>
      of(prompt).flatMap(({ quality, verdicts }) => {
        const reward = chainReturn(quality, spec);
        return verdicts.map((verdict) => ({ reward, verdict }));
      }),
    ),
  };
}
