// Tries another basis on the stored steps of a run. The run is opened once, and again when its model has been reopened.

import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { adapterOf, describeAdapter } from '../../engine/adapter-layout.ts';
import type { Policy } from '../../engine/types.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { Preparation } from '../../experiments/environments/preparation.ts';
import { BasisTrial, type TrialPoint } from '../../experiments/kinds/run/basis-trial.ts';
import { ownChoice } from '../../experiments/kinds/run/own-choice.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import type { KeptSteps } from '../../experiments/records/steps.ts';
import { turn } from '../../lib/turn.ts';
import { type Equipped, targetOf, writingAs } from '../equipment/equipment.ts';
import { checkModel } from '../equipment/kept-model.ts';
import type { TrialRequest, TrialSource } from '../protocol/trials.ts';
import { readSteps } from '../records/archive-steps.ts';
import type { Records } from '../records/records.ts';
import { drainUntilStopped } from './drain.ts';
import type { Part } from './model-gate.ts';
import type { HandlerParts } from './parts.ts';

type ReportTrial = (what: string, point: TrialPoint | null) => void;
type Request = Omit<TrialRequest, 'task'>;

export class BasisTrials {
  readonly #parts: Pick<HandlerParts, 'lab' | 'equipped'>;
  #open: { id: string; policy: Policy; trial: BasisTrial } | null = null;

  constructor(parts: Pick<HandlerParts, 'lab' | 'equipped'>) {
    this.#parts = parts;
  }

  /** Splits the steps by the basis. Throws StoppedError, and SpecError for unusable steps or choices. */
  async try({ source, choice }: Request, signal: AbortSignal, tell: ReportTrial) {
    return this.#use(source, signal, async (trial) => {
      const { report } = await drainUntilStopped(trial.try(choice), signal, reportPreparation(tell));
      return report;
    });
  }

  /** Evaluates the models deployed with the basis; each is reported when it is done. `reserve` holds the model for a part of the work. */
  async evaluate({ source, choice }: Request, reserve: Part, signal: AbortSignal, tell: ReportTrial): Promise<null> {
    const { trial, tried, environment } = await reserve((partSignal) =>
      this.#use(source, partSignal, async (trial) => {
        const tried = await drainUntilStopped(trial.try(choice), partSignal, reportPreparation(tell));
        return {
          trial,
          tried,
          environment: await drainUntilStopped(trial.environment(), partSignal, reportPreparation(tell)),
        };
      }),
    );
    const part = <T>(work: () => Promise<T>) =>
      reserve((partSignal) =>
        this.#use(source, partSignal, (current) => {
          if (current === trial) return work();
          throw new StoppedError('The model was reopened in the meantime.', 'Evaluate again.');
        }),
      );
    const settings = { signal, breathe: turn, part };
    await drainUntilStopped(trial.evaluate(tried, environment, settings), signal, (point) => tell('evaluating', point));
    return null;
  }

  /** The models that the run trained and deploys, computed from its steps. */
  async models(source: TrialSource, signal: AbortSignal) {
    const { spec } = await runOf(source, (await this.#parts.lab()).records);
    return this.#use(source, signal, async (trial, equipped) => {
      const { trained, deployed } = await drainUntilStopped(trial.try(ownChoice(spec)), signal, () => {});
      const models = { trained, deployed: deployed.get(spec.steps)! };
      return { equipped, spec, paramsOf: (model: keyof typeof models) => models[model] };
    });
  }

  pairs(source: TrialSource, pairSet: string, signal: AbortSignal) {
    return this.#use(source, signal, (trial) => trial.pairsOf(pairSet));
  }

  /** Restores the model's adapter parameters afterwards. */
  async #use<T>(
    source: TrialSource,
    signal: AbortSignal,
    work: (trial: BasisTrial, equipped: Equipped) => Promise<T>,
  ): Promise<T> {
    const { records } = await this.#parts.lab();
    const run = await runOf(source, records);
    const equipped = await writingAs(await this.#parts.equipped(run.spec, signal), run.spec);
    const { policy } = equipped;
    const id = source.kind === 'kept' ? source.runId : source.path;
    if (this.#open?.id !== id || this.#open.policy !== policy) {
      this.#open = null;
      this.#open = { id, policy, trial: await openTrial({ ...run, id }, source, equipped, records) };
    }
    const { trial } = this.#open;
    return policy.apart(() => work(trial, equipped));
  }
}

async function runOf(
  source: TrialSource,
  records: Pick<Records, 'run'>,
): Promise<{ spec: RunSpec; modelSha256: string; thinking?: 'strip' | 'keep' }> {
  if (source.kind === 'published') return source;
  const run = await records.run(source.runId);
  if (run) return run;
  throw new SpecError(
    `There is no run ${JSON.stringify(source.runId.slice(0, 80))} in this browser.`,
    'It may have been deleted in another tab; reload the list.',
  );
}

async function openTrial(
  run: Awaited<ReturnType<typeof runOf>> & { id: string },
  source: TrialSource,
  equipped: Equipped,
  records: Records,
): Promise<BasisTrial> {
  const { policy, chosen, codec, grader, model } = equipped;
  const { id, spec, thinking } = run;
  checkModel(run, equipped, 'Load the model that it was trained on.');
  const adapter = describeAdapter(adapterOf(policy.adapterLayout));
  if (adapter !== describeAdapter(spec))
    throw new SpecError(`${id} trains another adapter than ${adapter}.`, 'Load the model with that adapter.');
  const artifacts = records.artifacts(targetOf({ policy, model }), grader.version);
  // Answers are judged as in training.
  const knowsThinking = thinking === undefined ? {} : { knowsThinking: thinking === 'strip' };
  const ports = { policy, codec, artifacts, modelSha256: model.sha256 };
  const preparation = new Preparation({ ...ports, grader, ...knowsThinking });
  const steps = await stepsOf(source, spec, policy.adapterLayout.total, records);
  return new BasisTrial({ id, spec, steps }, { ...ports, device: chosen.device, preparation });
}

async function stepsOf(source: TrialSource, spec: RunSpec, total: number, records: Records): Promise<KeptSteps> {
  if (source.kind === 'published')
    return readSteps(new Uint8Array(await source.steps.arrayBuffer()), source.path, spec.steps, total);
  const steps = await records.steps.load(source.runId);
  if (steps) return steps;
  throw new SpecError(
    `The optimizer steps of ${source.runId} are not kept.`,
    'Runs of earlier versions have none; train it again.',
  );
}

const reportPreparation = (tell: ReportTrial) => (event: LabEvent) => {
  if (event.type === 'prepare') tell(event.what, null);
};
