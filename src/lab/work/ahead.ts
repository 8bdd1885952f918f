// Parallel runs need the gradients of their pairs on the untrained model before their first step, and these depend on no run. They are
// computed while the page waits for Run to be pressed, and have the same bytes as from a run worker.
import type { Policy } from '../../engine/types.ts';
import { promptSettingsOf } from '../../experiments/config/options/prompts.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { Preparation } from '../../experiments/environments/preparation.ts';
import type { SharedWork } from '../../experiments/parallel/shared-cache.ts';
import type { ArtifactStore } from '../../experiments/records/artifacts.ts';
import { turn } from '../../lib/turn.ts';
import { type Equipped, targetOf, writingAs } from '../equipment/equipment.ts';
import { type WorkerHost, workersFor } from './page-workers.ts';
import type { SessionPorts } from './ports.ts';

/** Results computed ahead for runs of the open model, by key. The pairs' tokens depend on the prompt settings. */
interface Made {
  policy: Policy;
  prompts: string;
  byKey: Map<string, unknown>;
}

export class Ahead {
  readonly #ports: Pick<SessionPorts, 'workers' | 'records'>;
  #made: Made | null = null;

  constructor(ports: Pick<SessionPorts, 'workers' | 'records'>) {
    this.#ports = ports;
  }

  async prepare(runs: readonly RunSpec[], opened: Equipped, signal: AbortSignal): Promise<void> {
    const { workers, records } = this.#ports;
    const equipped = await writingAs(opened, runs[0]);
    const artifacts = records.artifacts(targetOf(equipped), equipped.grader.version);
    await makeAhead(runs, this.madeFor(equipped, runs[0]), { equipped, artifacts, workers, signal });
  }

  madeFor({ policy }: Equipped, run: RunSpec): Map<string, unknown> {
    const prompts = JSON.stringify(promptSettingsOf(run));
    if (this.#made?.policy !== policy || this.#made.prompts !== prompts)
      this.#made = { policy, prompts, byKey: new Map() };
    return this.#made.byKey;
  }
}

interface AheadPorts {
  equipped: Equipped;
  artifacts: ArtifactStore;
  workers: WorkerHost | undefined;
  signal?: AbortSignal;
}

/**
 * Adds to `made` the shared data of these runs, if they would be trained in parallel, and drops what they do not need. A set in progress is
 * finished on a stop, which takes less time than repeating it.
 */
async function makeAhead(
  runs: readonly RunSpec[],
  made: Map<string, unknown>,
  { equipped: { policy, codec, grader, model, adapter: opened, chosen }, artifacts, workers, signal }: AheadPorts,
): Promise<void> {
  const isOfModel = ({ model: id, adapter, loraRank }: RunSpec) =>
    id === model.id && adapter === opened.adapter && (adapter === 'svd' || loraRank === opened.loraRank);
  if (!runs.every(isOfModel) || workersFor(workers, runs, chosen.report.kind) === 1) return;
  const wanted = new Set<string>();
  const common: SharedWork = {
    // The last key is the run's own, which every run needs for its first step.
    async next(keys) {
      signal?.throwIfAborted();
      for (const key of keys) wanted.add(key);
      const key = keys.find((one) => made.has(one)) ?? keys[keys.length - 1];
      return { key, made: made.has(key) ? { value: made.get(key) } : null };
    },
    keep: async (key, value) => void made.set(key, value),
    offer: async () => {},
  };
  const preparation = new Preparation({ policy, codec, grader, artifacts, common, modelSha256: model.sha256 });
  // The device computes in this thread, and messages are handled between two of its passes.
  for (const run of runs) for await (const _ of preparation.gradients(run)) await turn();
  for (const key of [...made.keys()]) if (!wanted.has(key)) made.delete(key);
}
