// The judged groups that a step samples, with which every on-policy objective begins.

import { withoutQuarantine } from '../../algorithms/gates.ts';
import { quarantineMask } from '../../engine/adapter-layout.ts';
import { budgetsOf } from '../config/budgets.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { LabEvent } from '../records/events.ts';
import { judgeGroups, sampleGroups } from '../step/groups.ts';
import { modelHandles } from '../step/models.ts';
import { episodesOf, rolloutRecords, summarise } from '../step/step-records.ts';
import { trustedTasks } from './trusted.ts';
import type { StepBatch, StepPorts } from './types.ts';

/** `spec` decides the groups' size and the teacher's share. */
export async function* liveGroups<Task, State, Verdict>(ports: StepPorts<Task, State, Verdict>, spec: RunSpec) {
  const { step, adapterParams, policy, method, codec, environment, memory, clock, meter, signal, onRollout } = ports;
  yield clock.begin('rollout') as LabEvent;
  const own = memory.draw({ seed: spec.seed, step, count: spec.promptsPerStep });
  const tasks = [...own, ...trustedTasks(environment, spec, step, method)];
  const rolling = { policy, codec, dynamics: environment.dynamics };
  const listening = { signal, onProgress: onRollout, onWork: clock.onWork };
  // The quarantine block is not deployed, so it must not explore the hack further.
  if (spec.adapter === 'blocks' && spec.online)
    policy.setAdapterParams(withoutQuarantine(adapterParams, quarantineMask(policy.adapterLayout)));
  const groups = await sampleGroups(rolling, environment, tasks, spec, step, listening);
  yield clock.begin('grade') as LabEvent;
  const models = modelHandles({
    policy,
    codec,
    adapterParams,
    given: environment.models,
    thinking: environment.thinking,
    meter,
  });
  const judged = await judgeGroups(environment, groups, models, signal);
  const n = own.length;
  return {
    groups: groups.slice(0, n),
    judged: judged.slice(0, n),
    trusted: { groups: groups.slice(n), judged: judged.slice(n) },
  };
}

/** Student rollouts that are judged only for the record, and a function that makes the batch with the objective's `extra`. */
export async function* judgeForRecord<Task, State, Verdict>(ports: StepPorts<Task, State, Verdict>) {
  const { spec, step, environment, memory } = ports;
  const { labels } = environment;
  const { groups, judged } = yield* liveGroups(ports, { ...spec, mix: 0 });
  const zeros = {
    values: groups.map(({ rollouts }) => rollouts.map(() => 0)),
    skipped: groups.map(() => false),
    counted: groups.map(({ rollouts }) => rollouts.map(() => true)),
  };
  const batchWith = (extra: ReturnType<StepBatch['extra']>): Omit<StepBatch, 'gradient'> => ({
    summary: summarise(groups, judged, zeros.skipped, environment.figures),
    rollouts: rolloutRecords(step + 1, groups, judged, zeros, labels, ports.codec),
    extra: () => ({ ...extra, ...episodesOf(groups, budgetsOf(spec)) }),
    learn: () => memory.learn(step, groups, judged, labels),
  });
  return { groups, judged, batchWith };
}
