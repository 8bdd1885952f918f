// The worker's handlers for models: a part of the table in handlers.ts. A download needs no device and runs beside everything else; a
// change of the model waits for nothing and ends the current answer.

import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { AdapterSettings, ModelConfig } from '../../engine/types.ts';
import { type ExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import { StorageError } from '../../storage/kv.ts';
import { folderSafe } from '../../storage/models/keep.ts';
import { HASHING, type ModelToUse, type Opened } from '../equipment/equipment.ts';
import type { OnProgress } from '../equipment/loaded.ts';
import { ModelPlaces, type ModelSources } from '../models/places.ts';
import type { AdapterPlace, MemoryPlan, ModelPlace, ModelPlan, StorageChoice } from '../protocol/models.ts';
import type { HandlerParts } from '../work/parts.ts';

/** Label of a progress in bytes. */
const FETCHING = 'fetching the adapter';

interface ModelAsk {
  place: ModelPlace;
  storage: StorageChoice;
  spec: ExperimentSpec | null;
}

export function createModelHandlers(
  { lab, opened, gate, tasks, emit }: HandlerParts,
  models: ModelSources | undefined,
) {
  let made: ModelPlaces | null = null;
  const places = async (): Promise<ModelPlaces> => {
    const { equipment, embedded } = await lab();
    made ??= new ModelPlaces(models, equipment.own, embedded);
    return made;
  };
  const running = <T>(task: string, work: (signal: AbortSignal) => Promise<T>) =>
    tasks.run(task, work, new StoppedError('Stopped.', 'Continue when you like: fetched bytes are kept.'));
  /** Changes the model in use; refused while an experiment runs. */
  const exchanging = (
    task: string,
    choose: (open: Opened, signal: AbortSignal, tell: OnProgress) => Promise<ModelToUse | null>,
  ) =>
    running(task, async (signal) => {
      const { equipment, session } = await lab();
      const refuse = () => {
        if (!session.isBusy) return;
        throw new SpecError('The model cannot be changed while an experiment runs.', 'Stop it, or wait for its end.');
      };
      refuse();
      const report: OnProgress = (what, done, total, etaSeconds = null) => {
        const inBytes = what === HASHING || what === FETCHING;
        emit({ type: 'model', task, what, done, total, inBytes, bytesPerSecond: null, etaSeconds });
      };
      const model = await choose(await opened(), signal, report);
      await session.quiet();
      return gate.first(async () => {
        // An experiment may have started meanwhile.
        refuse();
        return (await equipment.use(model, signal, report)).model;
      });
    });
  /** Ids of models that are being stored. */
  const writing = new Set<string>();

  return {
    listModels: async () => (await places()).list(),
    nameModel: async ({ sha256 }: { sha256: string }) => (await places()).named(sha256),
    /** Fetches no weights. `spec` is the form's experiment. Refusals name what was found and what is supported. */
    async inspectModel({ place, storage, spec }: ModelAsk) {
      const open = await opened();
      const { textBytes, ignored: _, holes: __, ...facts } = await (await places()).inspect(place);
      const { report, device } = open.chosen;
      const { maxTotalBytes } = device.limits;
      const planned = { config: facts.config, textBytes };
      const { planTraining, planWriting } = await import('../models/plan.ts');
      const { callsPerToken } = await import('../estimate/calls.ts');
      const withCalls = async (plan: MemoryPlan, adapter?: AdapterSettings['adapter']): Promise<ModelPlan> => ({
        ...plan,
        callsPerToken: await callsPerToken(facts.config, adapter, plan.form, plan.storage),
      });
      return {
        ...facts,
        device: report.name,
        limitBytes: Number.isFinite(maxTotalBytes) ? maxTotalBytes : null,
        generate: await withCalls(planWriting(planned, open, storage)),
        train: spec && (await withCalls(planTraining(planned, spec, open, storage), resolveRuns(spec)[0].adapter)),
      };
    },
    /** Reports the folder's files, which of them are used, and the tokens of a prompt; refusals are part of the report. Memory is planned
     *  for `spec`. */
    examineModel: async ({ place, prompt, spec }: { place: ModelPlace; prompt: string; spec: ExperimentSpec | null }) =>
      (await places()).examine(place, { prompt, spec }),
    /** Copies dropped files into the store, or downloads what is missing; `model` events report progress. Fetched data survives a stop for
     *  the next attempt. */
    keepModel: ({ task, place }: { task: string; place: ModelPlace }) =>
      running(task, async (signal) => {
        const shelf = await places();
        const id = await shelf.idOf(place);
        if (writing.has(id))
          throw new SpecError(`${id} is already being fetched.`, 'Wait until it ends, or cancel it.');
        writing.add(id);
        try {
          return await shelf.keep(place, signal, (at) => emit({ type: 'model', task, inBytes: true, ...at }));
        } finally {
          writing.delete(id);
        }
      }),
    /**
     * Makes it the lab's model; with storage `auto`, one is chosen with which `spec` can be trained, if possible. Refused while an
     * experiment runs; the previous model stays if this one cannot be opened.
     */
    useModel: ({ task, place, storage, spec }: ModelAsk & { task: string }) =>
      exchanging(task, async (open) => {
        const model = await (await places()).open(place);
        const { placementFor } = await import('../models/plan.ts');
        const placed = (config: ModelConfig) => placementFor(config, storage, spec, open);
        return model && { ...model, placed };
      }),
    /**
     * Folds a LoRA adapter into the current model, in place of an earlier one; null removes it. The model stays unchanged if the adapter
     * cannot be applied.
     */
    adaptModel: ({ task, adapter }: { task: string; adapter: AdapterPlace | null }) =>
      exchanging(task, async (_, signal, tell) => {
        const { base, own } = (await lab()).equipment;
        if (!adapter) return base.source === own.source ? null : { ...base, placed: () => base.placed };
        const { name, source } = await (await places()).adapter(adapter, signal, (...bytes) =>
          tell(FETCHING, ...bytes),
        );
        const id = `${base.id}+${folderSafe(name)}`;
        return { id, source: base.source, adapter: { base, source }, placed: () => base.placed };
      }),
    /** Refused for the current model, and for one that is being stored. */
    async deleteModel({ id }: { id: string }) {
      const { equipment } = await lab();
      if (id === equipment.modelId) throw new SpecError(`${id} is in use.`, 'Use another model first.');
      if (writing.has(id)) throw new SpecError(`${id} is being fetched.`, 'Cancel that first.');
      await (await places()).delete(id);
      return null;
    },
    /** Stored singular vectors of all models; null without a store for them. */
    async factorUsage() {
      try {
        return (await models?.factors?.usage()) ?? null;
      } catch (error) {
        // A private window has no such store, and so no singular vectors.
        if (error instanceof StorageError) return null;
        throw error;
      }
    },
    /** Deletes the singular vectors; refused while an experiment runs. They are computed again when needed. */
    async clearFactors() {
      if ((await lab()).session.isBusy)
        throw new SpecError('An experiment runs.', 'Clear the factors when it has ended, or stop it.');
      await models?.factors?.clear();
      return null;
    },
  };
}
