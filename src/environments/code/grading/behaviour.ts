// Behaviour of a program, apart from whether that is right: the values that it returns on the inputs of its problem's tests, visible and
// held. No expected answer is read. Two programs behave alike where their texts here are equal.
import type { Program, RunResult } from '@projected-grpo-lab/python-sandbox/protocol.ts';
import type { Group } from '../../types.ts';
import type { CodeProblem, Grader } from '../types.ts';
import { valueKey } from '../values.ts';
import { answersTo, extractCode } from './judge.ts';

/** [group][rollout] Null where there is no python block, or where no input gave a value that can be compared. `run` is a sandbox's. */
export async function behavioursOf(
  run: NonNullable<Grader['run']>,
  groups: readonly Group<CodeProblem>[],
  signal?: AbortSignal,
): Promise<(string | null)[][]> {
  const programs: Program[] = [];
  const places = groups.map(({ task, rollouts }) =>
    rollouts.map(({ turns }) => {
      const source = extractCode(turns.at(-1)?.completion ?? '');
      return source === null ? null : programs.push(answersTo(task, source, [...task.visible, ...task.held])) - 1;
    }),
  );
  const results = programs.length > 0 ? await run(programs, signal) : [];
  return places.map((group) => group.map((place) => (place === null ? null : behaviourOf(results[place]))));
}

/** An input on which it raised, left or was stopped has no value, and neither has one whose value equals nothing: an object that claims to
 *  equal everything would otherwise be a behaviour of its own. */
function behaviourOf({ outcomes: [, ...answers] }: RunResult): string | null {
  const values = answers.map((answer) => (answer.end === 'ok' && answer.value ? valueKey(answer.value) : null));
  return values.some((value) => value !== null) ? JSON.stringify(values) : null;
}
