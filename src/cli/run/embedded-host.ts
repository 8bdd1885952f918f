// Host of a sweep's worker and of `predict` in Node: an embedded model on the chosen device, with the adapter of the next run.

import { join } from 'node:path';
import type { Progress } from '@projected-grpo-lab/base/commands/progress.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import type { Grader } from '../../environments/code/types.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import type { DeviceChoice } from '../../experiments/config/spec.ts';
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

export interface EmbeddedHost extends RunHost {
  close(): Promise<void>;
}

/** Opens its grader with the first run, and keeps one model open, that of the last run. */
export function embeddedHost({
  root,
  device,
  threads,
  isPlain = true,
  models = join(root, 'public', 'models'),
  store,
  progress,
  signal,
}: {
  root: string;
  device: DeviceChoice;
  threads?: number | null;
  /** `auto` takes no CPU that fuses, since most published studies were made without. */
  isPlain?: boolean;
  /** Folder in which the models lie, by their names; the embedded ones where absent. */
  models?: string;
  store: Pick<RunStore, 'artifacts'>;
  progress?: Pick<Progress, 'update'>;
  signal: AbortSignal;
}): EmbeddedHost {
  allowFused();
  const made = codeCommit(root);
  let grader: Grader | null = null;
  let open: { modelId: string; equipment: Equipment } | null = null;
  let known: RunEquipment | null = null;
  /** The equipment of a model, whose grader is every model's. */
  function equipmentOf(modelId: string, grader: Grader): Equipment {
    if (open?.modelId === modelId) return open.equipment;
    open?.equipment.close();
    const equipment = new Equipment({
      modelId,
      files: diskSource(join(models, modelId)),
      gpu: openNodeGpu,
      threads: nodeThreads(threads ?? undefined),
      isPlain,
      grader,
      onProgress: (what, done, total) => progress?.update(what, done, total),
    });
    open = { modelId, equipment };
    return equipment;
  }
  return {
    async equip(spec: RunSpec) {
      grader ??= await createNodeGrader();
      const equipment = equipmentOf(spec.model, grader);
      const { policy, chosen, codec, model } = await equipment.open(device, signal, spec);
      if (known?.ports.policy === policy) return known;
      const ports: RunEquipment['ports'] = {
        policy,
        device: chosen.device,
        codec,
        grader,
        about: { modelId: spec.model, modelSha256: model.sha256, appVersion: APP_VERSION },
        date: () => Date.now(),
        now: () => performance.now(),
        signal,
      };
      const preparation = new Preparation({ ...ports, artifacts: store.artifacts, modelSha256: model.sha256 });
      const shared = { preparation, base: new BaseEvaluations() };
      const commit = await made;
      known = { ports, shared, ...(commit === null ? {} : { commit }) };
      return known;
    },
    async close() {
      open?.equipment.close();
      await grader?.close();
    },
  };
}
