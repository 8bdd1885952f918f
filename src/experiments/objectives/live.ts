// The groups that a step samples, judged: what objectives on a model's own rollouts begin with.
import { judgeGroups, sampleGroups } from '../loop/groups.ts';
import { modelHandles } from '../loop/models.ts';
import type { LabEvent } from '../records/events.ts';
import type { RunSpec } from '../spec/spec.ts';
import type { StepPorts } from './types.ts';

/** `spec` decides the groups: how large they are, and which share of them is the teacher's. */
export async function* liveGroups<Task, State, Verdict>(ports: StepPorts<Task, State, Verdict>, spec: RunSpec) {
  const { step, knobs, policy, codec, world, memory, clock, meter, signal, onRollout } = ports;
  yield clock.begin('rollout') as LabEvent;
  const tasks = memory.draw({ seed: spec.seed, step, count: spec.promptsPerStep });
  const rolling = { policy, codec, environment: world.environment };
  const listening = { signal, onProgress: onRollout, onWork: clock.onWork };
  const groups = await sampleGroups(rolling, world, tasks, spec, step, listening);
  yield clock.begin('grade') as LabEvent;
  const models = modelHandles({ policy, codec, knobs, given: world.models, meter });
  return { groups, judged: await judgeGroups(world, groups, models, signal) };
}
