// The kind `run`: arms × seeds, trained, evaluated and set beside each other. It is kept as one experiment with its runs.
import type { RunRecord } from '../../records/events.ts';
import type { Kind } from '../../records/kind.ts';
import { toEvalRow, toStepRow } from '../../records/layout-1.ts';

type Logged = Pick<RunRecord, 'rows' | 'evals' | 'rerouted'>;

export const run = {
  label: 'run',
  plural: 'runs',
  schema: 1,
  /**
   * Every row and evaluation of one run. What is asked without sampling is left out: links of before do not have it, and it follows from
   * the adapter parameters that all else is of. What was routed again afterwards is left out: no spec asks for it, so that no other run
   * of the spec would have it.
   */
  digested({ rows, evals, rerouted: replayed = [] }: Logged) {
    const later = new Set(replayed.map(({ shadow: control }) => control.id));
    const own = evals.filter(({ model }) => !later.has(model));
    // Written as every link before several environments was made, so that a run kept then is still the link's.
    return { rows: rows.map(toStepRow), evals: own.map(({ probes: _, ...row }) => toEvalRow(row)) };
  },
} as const satisfies Kind<Logged>;
