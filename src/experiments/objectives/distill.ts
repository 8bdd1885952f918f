// On-policy self-distillation: the student samples as in GRPO, without teacher rows. The same model, shown a demonstration of the task in
// place of the plain prompt, is the teacher: the loss is the full reverse KL to its fixed distribution at each of the student's tokens.
// Rollouts are judged only for the record.
import { distillBackward } from '../../algorithms/objectives/backward.ts';
import type { DistillPair } from '../../engine/types.ts';
import { mean } from '../../stats/index.ts';
import type { LabEvent } from '../records/events.ts';
import { drawTeacherRows } from '../step/groups.ts';
import { episodeTokens } from '../step/sequences.ts';
import { judgeForRecord } from './live.ts';
import { refuseMissing, type StepBatch, type StepPorts } from './types.ts';

export async function* distill<Task, State, Verdict>(
  ports: StepPorts<Task, State, Verdict>,
): AsyncGenerator<LabEvent, StepBatch> {
  const { spec, stage, step, policy, codec, environment, clock, signal } = ports;
  refuseMissing(stage, environment);
  const { groups, batchWith } = yield* judgeForRecord(ports);
  const pairs = groups.flatMap(({ task, prompt, rollouts }): DistillPair[] => {
    // One demonstration per group, so that its prompt is prefilled once.
    const [shown] = drawTeacherRows(environment.demonstrations?.(task) ?? [], 1, spec.seed, step, prompt);
    if (shown === undefined) return [];
    const demonstration = codec.encodeChat(shown);
    return rollouts.flatMap(({ turns }) => {
      const episode = episodeTokens(turns);
      if (!episode) return [];
      const { prompt, completion, mask } = episode;
      return [
        { student: { prompt, completion, mask, segment: 0 }, teacher: { prompt: demonstration, completion, mask } },
      ];
    });
  });
  return {
    ...batchWith({ objective: 'distill' }),
    async *gradient(adapterParams) {
      yield clock.begin('backward');
      if (pairs.length === 0) return null;
      policy.setAdapterParams(adapterParams);
      const { loss, gradients, entropy } = await distillBackward(policy, pairs, { normalise: 'token', signal });
      const [student] = gradients;
      const all = entropy.flatMap((row) => Array.from(row));
      return { student, teacher: new Float32Array(student.length), loss, kl: null, entropy: mean(all) };
    },
  };
}
