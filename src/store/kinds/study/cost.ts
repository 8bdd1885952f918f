// What the missing part of a question would take: counted in rollouts, turned into seconds by the lab's own estimate for this
// device, or, while it has none, by the pace of the runs that are there.

import { resolveRuns } from '../../../experiments/config/spec.ts';
import { runCost } from '../../../experiments/runs/cost.ts';
import type { FinishedRun } from '../../../experiments/runs/finished.ts';
import type { PublishedRun } from '../../../experiments/runs/pack.ts';
import { secondsOf } from '../../../experiments/runs/runner.ts';
import type { StoreContext } from '../../context.ts';
import type { Missing } from './missing.ts';

export interface Cost {
  /** Null where nothing has been measured yet. */
  seconds: number | null;
  /** Device that the pace is of, and whether it is this one. */
  device: string;
  isHere: boolean;
  /** Why it cannot be run on this device; null where it can. */
  misfit: { message: string; remedy: string } | null;
}

interface Known {
  published: ReadonlyMap<string, PublishedRun>;
  own: ReadonlyMap<string, FinishedRun>;
}

export async function costOf(missing: Missing, { store, client }: StoreContext, known: Known): Promise<Cost> {
  const { connection, device, busy } = store.getState();
  const [first] = missing.experiments;
  if (first && device && connection.status === 'ready' && !busy) {
    const spec = { ...first.spec, device: device.choice };
    // A refusal says nothing that the start would not say again.
    const estimate = await client.request('estimate', { spec }).catch(() => null);
    const misfit = estimate?.misfit ?? null;
    const total = estimate?.seconds?.total;
    if (misfit || total !== undefined) {
      const units = resolveRuns(spec).reduce((sum, run) => sum + runCost(run), 0);
      const seconds = total === undefined ? null : (total / units) * missing.cost;
      return { seconds, device: device.name, isHere: true, misfit };
    }
  }
  const name = device?.name ?? '';
  const runs = [
    ...[...known.own.values()].map(({ record }) => ({ record, seconds: secondsOf(record) })),
    ...[...known.published.values()].map(({ record, seconds }) => ({ record, seconds })),
  ].filter(({ seconds }) => seconds > 0);
  const here = runs.filter(({ record }) => record.device === name);
  const of = here.length > 0 ? here : runs;
  if (of.length === 0) return { seconds: null, device: name, isHere: true, misfit: null };
  // A run's seconds leave its final evaluation out.
  const units = of.reduce((sum, { record: { spec } }) => sum + runCost({ ...spec, finalEvalProblems: 0 }), 0);
  const pace = of.reduce((sum, { seconds }) => sum + seconds, 0) / units;
  return { seconds: pace * missing.cost, device: of[0].record.device, isHere: here.length > 0, misfit: null };
}
