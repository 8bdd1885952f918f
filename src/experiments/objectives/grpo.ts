// GRPO: roll out, grade, advantages, backward. Several inner epochs use the same rollouts and take ratios against the first epoch's
// anchors.

import { budgetsOf } from '../config/budgets.ts';
import type { LabEvent } from '../records/events.ts';
import { countedRewards } from '../step/baselines.ts';
import {
  type Anchors,
  advantagesOf,
  backwardStep,
  ratiosMove,
  type StepGradient,
  scoreStep,
} from '../step/gradient.ts';
import { episodesOf, rolloutRecords, summarise } from '../step/step-records.ts';
import { countsFor, gateStep } from './gating.ts';
import { liveGroups } from './live.ts';
import { replayBeside } from './replay.ts';
import { combinedGradient, NO_GROUPS } from './trusted.ts';
import type { StepBatch, StepPorts } from './types.ts';

/** A row's ratios when nothing was scored. */
const NO_RATIOS = { clipFraction: null, ratioMean: null };

export async function* grpo<Task, State, Verdict>(
  ports: StepPorts<Task, State, Verdict>,
): AsyncGenerator<LabEvent, StepBatch> {
  const { spec, step, adapterParams, policy, environment, memory, concept, clock, signal } = ports;
  const { labels, isHack } = environment;
  const reference = ports.method?.reference?.(step);
  const acting = { spec, policy, isHack, concept, signal, reference };
  const { groups, judged, trusted } =
    spec.chainSteps > 0
      ? { ...(yield* (await import('./whole-chains.ts')).chainGroups(ports)), trusted: NO_GROUPS }
      : yield* liveGroups(ports, spec);
  const counted = await countedRewards(acting, groups, judged, step);
  const counts = await countsFor(ports, adapterParams, counted.rewards, { groups, judged }, trusted);
  const plain = advantagesOf(counts.rewards, spec);
  const advantages = spec.diversityBonus
    ? await (await import('../step/diversity.ts')).diversifyAdvantages({ policy, adapterParams, signal }, groups, plain)
    : plain;
  let anchors: Anchors | null = null;
  const gates = await gateStep(ports, adapterParams, groups, judged);
  const replay = replayBeside(ports);
  return {
    summary: summarise(groups, judged, advantages.skipped, environment.figures),
    rollouts: rolloutRecords(step + 1, groups, judged, advantages, labels, ports.codec),
    extra: (last) => ({
      ...counted.row,
      ...counts.row,
      ...gates?.row,
      ...last?.joined,
      ...replay?.row,
      ...(ratiosMove(spec, policy) ? (last?.ratios ?? NO_RATIOS) : {}),
      ...episodesOf(groups, budgetsOf(spec)),
    }),
    async *gradient(adapterParams): AsyncGenerator<LabEvent, StepGradient | null> {
      const paid = ofRollouts(adapterParams);
      return yield* replay ? replay.beside(adapterParams, paid) : paid;
    },
    learn: () => memory.learn(step, groups, judged, labels),
  };

  async function* ofRollouts(adapterParams: Float32Array): AsyncGenerator<LabEvent, StepGradient | null> {
    const mixture = { groups, judged, advantages };
    return yield* combinedGradient(ports, adapterParams, yield* plainGradient(adapterParams), mixture, trusted);
  }

  async function* plainGradient(adapterParams: Float32Array): AsyncGenerator<LabEvent, StepGradient | null> {
    yield clock.begin('score');
    if (gates) return gates.gradient(advantages);
    const scored = await scoreStep(acting, adapterParams, groups, advantages, anchors);
    try {
      yield clock.begin('backward');
      if (!scored) return null; // every group is skipped, in later epochs too
      anchors = scored.anchors;
      const { ratioHistogram, ...gradient } = await backwardStep(scored, spec);
      return ratiosMove(spec, policy) ? { ...gradient, ratioHistogram } : gradient;
    } finally {
      scored?.batch.free();
    }
  }
}
