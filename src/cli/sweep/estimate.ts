// Estimate of a sweep before it starts: runs, time in one process, memory of one worker.

import { duration } from '@projected-grpo-lab/base/commands/progress.ts';
import type { ModelConfig } from '../../engine/types.ts';
import { OWN_PAIRS } from '../../experiments/config/environments.ts';
import { experimentOf } from '../../experiments/config/experiment-of.ts';
import { EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { type DeviceChoice, type ExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import { ENVIRONMENT_NAMES, findEnvironment } from '../../experiments/environments/registry.ts';
import { runCost } from '../../experiments/runs/cost.ts';
import { idleOptions, type SweepPlan, sizeOf } from '../../experiments/sweep/plan.ts';
import { SweepError } from '../../experiments/sweep/spec.ts';
import { savedSteps } from '../../experiments/sweep/stop.ts';
import { INTEGERS_SUFFIX, SIMD_NAMES } from '../../kernels/device.ts';
import { needOf } from '../../lab/estimate/memory.ts';
import { bytesText } from '../../lib/numbers.ts';
import { loadCodec } from '../../text/codec.ts';
import { chooseNodeDevice, loadEmbeddedModel } from '../ports.node.ts';
import { checkPositions } from '../run/positions.ts';

export interface SweepEstimate {
  runs: number;
  /** Seconds of all runs, one after another, on a small CPU. */
  seconds: number;
  /** Seconds of the longest run. */
  longestSeconds: number;
  /** Bytes of a worker: the engine's, and the process's own. */
  memory: number;
  /** Device of a worker on this machine, in words. */
  device: string;
}

/** Seconds of a training rollout on the CPU device of a small machine. */
const SECONDS_PER_ROLLOUT = 0.03;

/** Node, its threads and the grader's interpreters, beside the engine's memory; measured at 400 MB on two cores. */
const PROCESS_BYTES = 600e6;

/** Throws SweepError for runs that no worker could open, SpecError for prompts that do not fit. */
export async function estimateSweep(plan: SweepPlan, root: string): Promise<SweepEstimate> {
  const { runs, rollouts } = sizeOf(plan);
  const device = await deviceOf(plan.spec.device);
  let memory = 0;
  let longest = 0;
  const lengths = new Map<string, { config: ModelConfig; tokens: number }>();
  for (const { rungs, label } of plan.configurations) {
    const [run] = rungs[rungs.length - 1];
    longest = Math.max(longest, runCost(run.spec));
    refuseForeign(run.spec, label);
    const experiment: ExperimentSpec = { ...experimentOf(run.spec), device: plan.spec.device };
    const planned = resolveRuns(experiment);
    const { model, environment } = run.spec;
    const key = JSON.stringify([model, environment, run.spec.modes, run.spec.dataSeed]);
    let known = lengths.get(key);
    if (!known) {
      const files = await loadEmbeddedModel(root, model);
      const codec = await loadCodec(files.tokenizerJson as object, files.tokenizerConfig as object);
      const reader = { id: model, codec, maxPositions: files.config.maxPositions };
      const tokens = await checkPositions(planned, reader);
      known = { config: files.config, tokens };
      lengths.set(key, known);
    }
    memory = Math.max(memory, needOf(planned, known.config, known.tokens, device.kind).total);
  }
  return {
    runs,
    seconds: rollouts * SECONDS_PER_ROLLOUT,
    longestSeconds: longest * SECONDS_PER_ROLLOUT,
    memory: memory + PROCESS_BYTES,
    device: device.text,
  };
}

/** The device as `lab devices` shows it. A GPU need not be on the machine that plans. */
async function deviceOf(choice: DeviceChoice): Promise<{ kind: 'cpu' | 'webgpu'; text: string }> {
  if (choice === 'webgpu') return { kind: choice, text: 'WebGPU' };
  if (choice === 'webgpu-int8') return { kind: 'webgpu', text: `WebGPU${INTEGERS_SUFFIX}` };
  if (choice !== 'auto') return { kind: 'cpu', text: SIMD_NAMES[choice] };
  const { device } = await chooseNodeDevice({ device: choice });
  device.destroy();
  return {
    kind: device.kind,
    text: `auto, which on this machine is ${device.name}; a worker elsewhere chooses its own`,
  };
}

/** A file that a run needs, and that a sweep's folder does not have. */
function missingOf({ teacherPool, basisFile, pairSet }: RunSpec): string | null {
  if (teacherPool) return `the teacher pool ${teacherPool.slice(0, 12)}`;
  if (basisFile) return `the basis ${basisFile.slice(0, 12)}`;
  return pairSet.startsWith(OWN_PAIRS) ? `the pair set ${pairSet.slice(0, 18)}` : null;
}

function refuseForeign(spec: RunSpec, label: string): void {
  const { model, environment } = spec;
  const missing = missingOf(spec);
  if (missing !== null)
    throw new SweepError(
      `${label}: it needs ${missing}, which is not in a sweep’s folder.`,
      'Leave it out, or train it by `run`.',
    );
  if (!EMBEDDED_MODELS.includes(model))
    throw new SweepError(
      `${label}: the model ${model} is not one of the lab’s own.`,
      `A sweep trains ${EMBEDDED_MODELS.join(', ')}; a model of your own is trained by \`run --model\`.`,
    );
  const found = findEnvironment(environment);
  if (!found || !ENVIRONMENT_NAMES.includes(found.id) || found.python === 'cpython')
    throw new SweepError(
      `${label}: the environment ${environment} needs a file, which a sweep does not carry.`,
      `It may be ${ENVIRONMENT_NAMES.join(', ')}.`,
    );
}

function stopLines(plan: SweepPlan): string[] {
  const { stop } = plan.spec;
  if (!stop) return [];
  const { most, all } = savedSteps(plan);
  return [
    `Stop rule: configurations worse than the median after step ${stop.after} go no further. It saves 0 of ${all} steps at least (all alike), ${most} at most (half of the configurations); time is said without it.`,
  ];
}

export function planLines(
  plan: SweepPlan,
  { runs, seconds, longestSeconds, memory, device }: SweepEstimate,
  jobs: number,
): string[] {
  const { configurations, quota, rungSteps, spec, metric } = plan;
  const { shared } = sizeOf(plan);
  const rungs = quota.map((count, i) => `${count} of ${rungSteps[i]} steps`).join(', then ');
  return [
    `${configurations.length} configurations × ${spec.seeds.length} ${spec.seeds.length === 1 ? 'seed' : 'seeds'}${quota.length > 1 ? ` in ${quota.length} rungs (${rungs})` : ''}: ${runs} runs, ranked by ${metric.id} (${metric.goal} is better).`,
    ...stopLines(plan),
    ...idleOptions(plan),
    ...(shared > 0 ? [`${shared} runs are those of another configuration too, and are made once.`] : []),
    `Time: about ${duration(seconds / jobs)} with ${jobs === 1 ? 'one worker' : `${jobs} workers`} on a small CPU, ${duration(longestSeconds)} for the longest run. What runs then take corrects this.`,
    `Memory: about ${bytesText(memory)} a worker.`,
    `Device: ${device}.`,
  ];
}
