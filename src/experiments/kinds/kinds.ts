// What a record type is called, and which values identify its results. Other layers store (lab), show (store, ui) and request (cli) it.
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
   * Every row and evaluation of one run. `probes` and `directionsKept` are left out, because older links lack them and they follow from the
   * adapter parameters, on which everything else depends. Quarantines that were replayed later are left out, because no spec names them, so
   * other runs of the spec lack them.
   */
  digested({ rows, evals, rerouted: replayed = [] }: Logged) {
    const later = new Set(replayed.map(({ shadow: control }) => control.id));
    const own = evals.filter(({ model }) => !later.has(model));
    // Older links were made when there was one environment; this is their layout, so that they still match.
    return {
      rows: rows.map(({ directionsKept: _, ...row }) => toStepRow(row)),
      evals: own.map(({ probes: _, ...row }) => toEvalRow(row)),
    };
  },
} as const satisfies Kind<Logged>;

/** Measures whether the hack basis detects hacking, before any RL is run. */
const probe = {
  label: 'probe',
  plural: 'probes',
  schema: 1,
  /** All measures of the replays. Verdicts follow from them, and a probe's training runs are records of their own. */
  digested({ vanilla, projected, discrimination, grpoDiscrimination, contrastive }: ProbeReport) {
    return { vanilla, projected, discrimination, grpoDiscrimination, contrastive };
  },
} as const satisfies Kind<ProbeReport>;

export const KINDS = { run, probe } as const satisfies Record<KindId, Kind>;
