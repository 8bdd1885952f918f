// The record types of this layer: the identity of each, apart from how it is stored (lab), shown (store, ui) and requested (cli).
import type { RunRecord } from '../records/events.ts';
import type { Kind, KindId } from '../records/kind.ts';
import { toEvalRow, toStepRow } from '../records/layout-1.ts';
import type { ProbeReport } from './probe/types.ts';

type Logged = Pick<RunRecord, 'rows' | 'evals' | 'rerouted'>;

/** Arms × seeds, trained, evaluated and compared, and stored as one experiment with its runs. */
const run = {
  label: 'run',
  plural: 'runs',
  schema: 1,
  /**
   * Every row and evaluation of one run. Measures without sampling and the update's directions are left out, because older links lack them and
   * they follow from the adapter parameters, which everything else depends on. Quarantines that were replayed later are left out, because no spec names
   * them, so other runs of the spec lack them.
   */
  digested({ rows, evals, rerouted: replayed = [] }: Logged) {
    const later = new Set(replayed.map(({ shadow: control }) => control.id));
    const own = evals.filter(({ model }) => !later.has(model));
    // The layout of links from before there were several environments, so that older links still match.
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
  /** All measures of the replays. Verdicts follow from them, and trainings are records of runs. */
  digested({ vanilla, projected, discrimination, grpoDiscrimination, contrastive }: ProbeReport) {
    return { vanilla, projected, discrimination, grpoDiscrimination, contrastive };
  },
} as const satisfies Kind<ProbeReport>;

export const KINDS = { run, probe } as const satisfies Record<KindId, Kind>;
