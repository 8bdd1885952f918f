// In which order an evaluation's problems are written: those whose prompts begin alike together, so that a batch computes more of
// their rows once (engine/prefixes.ts). What is written of a problem depends on its own place in the set alone, not on this.
import type { Dynamics } from '../../environments/types.ts';

/** Places in `tasks`, by what is shown first; equal ones, and those of which nothing is asked, as they stand. */
export function promptOrder<Task, State>(
  environment: Pick<Dynamics<Task, State>, 'begin' | 'observe'>,
  tasks: readonly Task[],
): number[] {
  const texts = tasks.map((task) => {
    const seen = environment.observe(environment.begin(task));
    return seen.kind === 'prompt' ? seen.text : '';
  });
  return [...texts.keys()].sort((a, b) => (texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : a - b));
}
