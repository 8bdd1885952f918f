// Behaviour of a program, right or wrong: the values that it returns on the inputs of its problem's tests, visible and held-out. It uses no expected
// answer. Two programs behave alike if their texts here are equal.
import type { Program, RunResult } from '@projected-grpo-lab/python-sandbox/protocol.ts';
import type { Group } from '../../types.ts';
import type { CodeProblem, Grader } from '../types.ts';
import { valueKey } from '../values.ts';
import { answersTo, extractCode } from './judge.ts';

/** [group][rollout] Null without a Python block, or if no input gave a comparable value. `run` is a sandbox's. */
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

/** Null means an input on which the program raised, exited or was stopped, and for a value that equals nothing: an object that claims to
 *  equal everything must not count as a behaviour. */
function behaviourOf({ outcomes: [, ...answers] }: RunResult): string | null {
  const values = answers.map((answer) => (answer.end === 'ok' && answer.value ? valueKey(answer.value) : null));
  return values.some((value) => value !== null) ? JSON.stringify(values) : null;
}
