// Errors about agent environments for a person, such as an invalid scenario or a failing oracle. A tool within an environment raises a
// PythonError instead.
import { LabError } from '@projected-grpo-lab/base/errors.ts';

/** A scenario file or trace that is not what it should be; `path` says where, as `events[3].action.args[0].value`. */
export class ScenarioError extends LabError {
  constructor(
    readonly path: string,
    what: string,
    remedy = 'Correct the file at that place; docs/reference/are.md says what a scenario has.',
  ) {
    super(`${path === '' ? '' : `${path}: `}${what}`, remedy);
  }
}

/** A scenario whose own oracle cannot be played, so that it can judge no agent. */
export class OracleError extends LabError {}
