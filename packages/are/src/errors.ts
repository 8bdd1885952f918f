// Errors about agent environments for the user, such as an invalid scenario or a failing oracle. A tool within an environment raises a
// PythonError instead.
import { LabError } from '@projected-grpo-lab/base/errors.ts';

/** An invalid scenario file or trace; `path` is the place, such as `events[3].action.args[0].value`. */
export class ScenarioError extends LabError {
  constructor(
    readonly path: string,
    what: string,
    remedy = 'Correct the file at that place; docs/reference/are.md says what a scenario has.',
  ) {
    super(`${path === '' ? '' : `${path}: `}${what}`, remedy);
  }
}

/** A scenario whose own oracle fails, so that it cannot judge an agent. */
export class OracleError extends LabError {}
