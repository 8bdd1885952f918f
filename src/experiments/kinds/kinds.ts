// The table of kinds of this layer: what each is, apart from how it is kept (lab), shown (store, ui) and asked for (cli).
import type { RunRecord } from '../records/events.ts';
import type { Kind, KindId } from '../records/kind.ts';
import { toEvalRow, toStepRow } from '../records/layout-1.ts';
import type { ProbeReport } from './probe/types.ts';

type Logged = Pick<RunRecord, 'rows' | 'evals' | 'rerouted'>;

/** Arms × seeds, trained, evaluated and set beside each other. It is kept as one experiment with its runs. */
const run = {
  label: 'run',
  plural: 'runs',
  schema: 1,
  /**
   * Every row and evaluation of one run. What is asked without sampling and the update's directions are left out: links of before do not
   * have them, and they follow from the adapter parameters that all else is of. What was routed again afterwards is left out: no spec asks for it, so that no other run
   * of the spec would have it.
   */
  digested({ rows, evals, rerouted: replayed = [] }: Logged) {
    const later = new Set(replayed.map(({ shadow: control }) => control.id));
    const own = evals.filter(({ model }) => !later.has(model));
    // Written as every link before several environments was made, so that a run kept then is still the link's.
    return {
      rows: rows.map(({ directionsKept: _, ...row }) => toStepRow(row)),
      evals: own.map(({ probes: _, ...row }) => toEvalRow(row)),
    };
  },
} as const satisfies Kind<Logged>;

/** Does the hack basis see hacking, before any RL is run? */
const probe = {
  label: 'probe',
  plural: 'probes',
  schema: 1,
  /** Every figure of the replays; verdicts are made from them, and trainings are runs. */
  digested({ vanilla, projected, discrimination, grpoDiscrimination, contrastive }: ProbeReport) {
    return { vanilla, projected, discrimination, grpoDiscrimination, contrastive };
  },
} as const satisfies Kind<ProbeReport>;

export const KINDS = { run, probe } as const satisfies Record<KindId, Kind>;
