// Errors that the lab itself raises about agent environments, for a person: a scenario that is none, an oracle that fails. A tool inside
// the world raises a PythonError.
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

/** A scenario whose own oracle cannot be played: nobody can be judged by it. */
export class OracleError extends LabError {}
