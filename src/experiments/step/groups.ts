// The groups of one step: the teacher rows that each prompt draws, and its live rollouts.
import type { Group, Judged, ModelHandles, Rollout } from '../../environments/types.ts';
import { CounterRng } from '../../rng/counter-rng.ts';
import { keyFor, STREAMS } from '../../rng/threefry.ts';
import { budgetsOf, teacherRows } from '../config/budgets.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { TeacherRow } from '../records/pool.ts';
import type { TrainingEnvironment } from './environment.ts';
import { type RolloutPorts, type RolloutSettings, rollOut } from './rollouts.ts';

/** A group, with the teacher row behind each of its teacher rollouts (which follow the student's). */
export interface StepGroup<Task, Verdict> extends Group<Task> {
  /** Prompt number within the step. */
  prompt: number;
  live: number;
  drawn: readonly TeacherRow<Verdict>[];
}

/** Draws without replacement, keyed by (seed, step, prompt). A task with too few rows gets fewer, and more live rollouts. */
export function drawTeacherRows<Row>(
  rows: readonly Row[],
  count: number,
  seed: number,
  step: number,
  prompt: number,
): Row[] {
  const order = CounterRng.of(seed, STREAMS.mix, step, prompt).shuffle(Array.from(rows.keys()));
  return order.slice(0, count).map((i) => rows[i]);
}

/** `step` counts from 0 here, as in every random key. */
export async function sampleGroups<Task, State, Verdict>(
  ports: RolloutPorts<Task, State>,
  environment: TrainingEnvironment<Task, State, Verdict>,
  tasks: readonly Task[],
  spec: RunSpec,
  step: number,
  settings: Pick<RolloutSettings, 'signal' | 'onProgress' | 'onWork'>,
): Promise<StepGroup<Task, Verdict>[]> {
  const drawn = tasks.map((task, prompt) =>
    drawTeacherRows(environment.teacherRows(task), teacherRows(spec), spec.seed, step, prompt),
  );
  const episodes = tasks.flatMap((task, prompt) =>
    Array.from({ length: spec.groupSize - drawn[prompt].length }, (_, sample) => ({
      task,
      key: (turn: number) => keyFor(spec.seed, STREAMS.rollout, step, prompt, sample, turn),
    })),
  );
  const { maxNew, temperature, thinkingBudget, kvCache } = spec;
  const { thinking } = environment;
  const played = await rollOut(ports, episodes, {
    ...budgetsOf(spec),
    temperature,
    thinking,
    thinkingBudget,
    willScore: true,
    kvCache,
    ...settings,
  });
  let next = 0;
  return tasks.map((task, prompt) => {
    const live = spec.groupSize - drawn[prompt].length;
    const students = Array.from(
      { length: live },
      (): Rollout<Task> => ({ task, source: 'student', ...played[next++] }),
    );
    const first = students[0].turns[0];
    const update = environment.updatePrompt?.(task) ?? null;
    const updateIds = update === null || update === first.prompt ? null : ports.codec.encodeChat(update);
    const teachers = drawn[prompt].map(
      (row): Rollout<Task> => ({
        task,
        source: 'teacher',
        turns: [
          {
            // A teacher's rollout was not sampled here, so it has only the update's prompt.
            prompt: update ?? first.prompt,
            promptIds: updateIds ?? first.promptIds,
            completion: row.completion,
            // The loss counts at most max_new tokens, from either source.
            completionIds: row.completionIds.slice(0, maxNew),
            ...(row.logprobs && { logprobs: Float32Array.from(row.logprobs.slice(0, maxNew)) }),
            ended: row.completionIds.length <= maxNew,
          },
        ],
      }),
    );
    const sampled = updateIds ? students.map((rollout) => scoredUnder(updateIds, rollout)) : students;
    return { task, prompt, live, drawn: drawn[prompt], rollouts: [...sampled, ...teachers] };
  });
}

/** A rollout whose answer the update scores after the prompt tokens `updateIds`. */
function scoredUnder<Task>(updateIds: readonly number[], rollout: Rollout<Task>): Rollout<Task> {
  const [first, ...rest] = rollout.turns;
  return { ...rollout, turns: [{ ...first, updateIds }, ...rest] };
}

/** Judges the live rollouts of every group; teacher rows keep their stored verdicts. */
export async function judgeGroups<Task, State, Verdict>(
  environment: TrainingEnvironment<Task, State, Verdict>,
  groups: readonly StepGroup<Task, Verdict>[],
  models: ModelHandles,
  signal?: AbortSignal,
): Promise<Judged<Verdict>[][]> {
  const written = groups.map(({ task, rollouts, live }) => ({ task, rollouts: rollouts.slice(0, live) }));
  const judged = await environment.reward.score(written, models, signal);
  return groups.map(({ drawn }, g) => [...judged[g], ...drawn.map(({ reward, verdict }) => ({ reward, verdict }))]);
}
