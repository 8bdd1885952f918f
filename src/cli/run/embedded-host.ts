// Host of a sweep's worker and of `predict` in Node: an embedded model on the chosen device, with the adapter of the next run.

import { join } from 'node:path';
import type { Progress } from '@projected-grpo-lab/base/commands/progress.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import type { DeviceChoice, RunSpec } from '../../experiments/config/spec.ts';
import { Preparation } from '../../experiments/environments/preparation.ts';
import { BaseEvaluations } from '../../experiments/loop/final-evaluation.ts';
import type { RunEquipment, RunHost, RunStore } from '../../experiments/runs/runner.ts';
import { allowFused } from '../../kernels/cpu/fused.node.ts';
import { nodeThreads } from '../../kernels/cpu/threads/threads.node.ts';
import { Equipment } from '../../lab/equipment/equipment.ts';
import { APP_VERSION } from '../../lab/protocol/version.ts';
import { openNodeGpu } from '../../lib/gpu.node.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { codeCommit } from '../code-commit.ts';

const MODEL = 'tiny-coder';

export interface EmbeddedHost extends RunHost {
  close(): Promise<void>;
}

/** `model`: an embedded one, tiny-coder where absent. */
export async function openEmbeddedHost(options: {
  root: string;
  model?: string;
  device: DeviceChoice;
  threads?: number | null;
  /** `auto` takes no CPU that fuses, since most published studies were made without. */
  isPlain?: boolean;
  store: Pick<RunStore, 'artifacts'>;
  progress: Pick<Progress, 'update'>;
  signal: AbortSignal;
}): Promise<EmbeddedHost> {
  const { root, model: modelId = MODEL, device, threads, isPlain = true, store, progress, signal } = options;
  const commit = await codeCommit(root);
  allowFused();
  const grader = await createNodeGrader();
  const equipment = new Equipment({
    modelId,
    files: diskSource(join(root, 'public', 'models', modelId)),
    gpu: openNodeGpu,
    threads: nodeThreads(threads ?? undefined),
    isPlain,
    grader,
    onProgress: (what, done, total) => progress.update(what, done, total),
  });
  let known: RunEquipment | null = null;
  return {
    ...(commit === null ? {} : { commit }),
    async equip(spec: RunSpec) {
      const { policy, chosen, codec, model } = await equipment.open(device, signal, spec);
      if (known?.ports.policy === policy) return known;
      const ports: RunEquipment['ports'] = {
        policy,
        device: chosen.device,
        codec,
        grader,
        about: { modelId, modelSha256: model.sha256, appVersion: APP_VERSION },
        date: () => Date.now(),
        now: () => performance.now(),
        signal,
      };
      const preparation = new Preparation({ ...ports, artifacts: store.artifacts, modelSha256: model.sha256 });
      known = { ports, shared: { preparation, base: new BaseEvaluations() } };
      return known;
    },
    async close() {
      equipment.close();
      await grader.close();
    },
  };
}
