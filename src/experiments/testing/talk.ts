// A simple multi-turn environment for tests of the training loop. It accepts any text, replies with a hash of the model's text, and ends after
// each turn with a probability of about 1/3. Its observations depend only on the model's text, and any model can earn its reward.

import { layRows } from '../../algorithms/basis.ts';
import type { OptimizerState } from '../../algorithms/optimizer.ts';
import { codeMetrics } from '../../environments/code/reward.ts';
import type { Grade } from '../../environments/code/types.ts';
import type { Dynamics, Rollout } from '../../environments/types.ts';
import { promptOf } from '../../text/chatml.ts';
import { DeviceBases } from '../bases/bases.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { COMMON } from '../config/settings.ts';
import { type TrainPorts, train } from '../loop/train.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import type { LabEvent, RunRecord } from '../records/events.ts';
import type { TrainingEnvironment } from '../step/environment.ts';
import { memoryCheckpoints, type TinyLab } from './tiny.node.ts';

export interface Talk {
  task: number;
  heard: string[];
  /** Whether the last turn was cut off. */
  isCut: boolean;
}
export type TalkEnvironment = TrainingEnvironment<number, Talk, Grade>;

const hash = (text: string): number =>
  Array.from(text).reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 65521, 7);

export const talk: Dynamics<number, Talk> = {
  id: 'talk',
  begin: (task) => ({ task, heard: [], isCut: false }),
  observe: ({ task, heard, isCut }) => {
    const last = heard.at(-1);
    if (last === undefined) return { kind: 'prompt', text: promptOf(`say ${task}`) };
    if (hash(last) % 3 === 0) return { kind: 'end' };
    return { kind: 'prompt', text: `${isCut ? '<|im_end|>' : ''}\n${promptOf(`x = ${hash(last) % 97}`)}` };
  },
  act: async ({ task, heard }, completion, ended) => ({ task, heard: [...heard, completion], isCut: ended === false }),
};

/** Share of letters with an even code point; the rewards of a model that writes noise then differ. */
function talkReward({ turns }: Pick<Rollout<number>, 'turns'>): number {
  const letters = Array.from(turns.map(({ completion }) => completion).join(''));
  return letters.filter((letter) => letter.codePointAt(0)! % 2 === 0).length / Math.max(1, letters.length);
}

export const gradeOf = (reward: number): Grade => ({
  formatOk: true,
  passed: reward > 0.5,
  gt_correct: reward > 0.5,
  exploited: false,
  structural: false,
  mechanism: null,
  reward,
  note: null,
});

/** The environment with parts overridden by `changes`: one that replies late, another sampler, models, … */
export function talkEnvironment(changes: Partial<TalkEnvironment> = {}): TalkEnvironment {
  return {
    dynamics: talk,
    reward: {
      id: 'even letters',
      score: async (groups) =>
        groups.map(({ rollouts }) =>
          rollouts.map((rollout) => {
            const reward = talkReward(rollout);
            return { reward, verdict: gradeOf(reward) };
          }),
        ),
    },
    sampler: { draw: ({ step, count }) => Array.from({ length: count }, (_, i) => (step * count + i) % 5) },
    labels: { id: String, kind: () => 'honest' },
    figures: (judged) => codeMetrics(judged.map(({ verdict }) => ({ task: { mode: 'honest' as const }, verdict }))),
    splits: [],
    models: { get: () => undefined },
    teacherRows: () => [],
    evaluation: { during: [], final: [] },
    ...changes,
  };
}

/** Four steps of two groups of four, up to three turns of eight tokens. */
export function talkSpec(changes: Partial<RunSpec> = {}): RunSpec {
  return {
    ...COMMON,
    schema: 1,
    preset: 'smoke',
    arm: 'none',
    seed: 41,
    projection: 'none',
    projectTarget: 'update',
    shadows: [],
    steps: 4,
    groupSize: 4,
    promptsPerStep: 2,
    maxNew: 8,
    maxTurns: 3,
    maxTokens: 96,
    mix: 0,
    k: 1,
    warmupFrac: 0,
    evalEvery: 0,
    checkpointEvery: 2,
    ...changes,
  };
}

export interface TalkResult {
  record: RunRecord;
  events: LabEvent[];
  optimizer: OptimizerState;
  kept: Map<string, Checkpoint[]>;
}

/** Runs only the training loop, from the last checkpoint in `kept` if there is one. */
export async function trainTalk(
  { engine, device, codec }: TinyLab,
  spec: RunSpec,
  ports: Partial<TrainPorts<number, Talk, Grade>> = {},
  kept: TalkResult['kept'] = new Map(),
): Promise<TalkResult> {
  const store = memoryCheckpoints(kept);
  const id = 'test/none/41';
  const from = await store.load(id);
  const record = {
    schema: 1,
    id,
    experimentId: 'test',
    spec,
    status: 'running',
    createdAt: 0,
    device: '',
    appVersion: '',
    modelSha256: '',
    graderVersion: '',
    rows: [...(from?.rows ?? [])],
    timings: [...(from?.timings ?? [])],
    evals: [...(from?.evals ?? [])],
    error: null,
  } as RunRecord;
  const first = ({ r }: { r: number }) => [Float32Array.from({ length: r }, (_, i) => (i === 0 ? 1 : 0))];
  const own = layRows(engine.adapterLayout, engine.adapterLayout.modules.map(first));
  const bases = new DeviceBases(device, engine.adapterLayout, { own, shadows: [] });
  const events: LabEvent[] = [];
  let clock = 0;
  try {
    const stream = train(record, from, {
      policy: engine,
      codec,
      environment: talkEnvironment(),
      bases,
      concept: null,
      store,
      steps: null,
      context: '',
      now: () => clock++,
      ...ports,
    });
    for (;;) {
      const next = await stream.next();
      if (next.done) return { record, events, optimizer: next.value, kept };
      events.push(next.value);
    }
  } finally {
    bases.free();
  }
}
