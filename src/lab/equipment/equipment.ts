// The equipment that experiments share: a device, the model on it, its tokenizer, the grader. A change of device keeps the fetched files.
// A model that is opened for writing is factored when it is first trained.

import { DeviceError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { formsOf } from '../../engine/adapter-layout.ts';
import type { Factors } from '../../engine/adapters/svd.ts';
import { Engine, type EngineOptions } from '../../engine/decoder/engine.ts';
import type { Placement } from '../../engine/memory/plan.ts';
import type { AdapterSettings, ModelConfig } from '../../engine/types.ts';
import { selfCheck } from '../../environments/code/grading/self-check.ts';
import type { Grader } from '../../environments/code/types.ts';
import { promptSettingsOf } from '../../experiments/config/options/prompts.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import type { ThreadHost } from '../../kernels/cpu/threads/team.ts';
import type { BlobStore } from '../../storage/factor-cache.ts';
import { type ModelFiles, storedSha256 } from '../../storage/model-files.ts';
import type { ModelText } from '../../storage/model-text.ts';
import type { AdaptedFiles } from '../../storage/peft/fold.ts';
import type { FileSource } from '../../storage/sources.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { DeviceChoice } from '../protocol/protocol.ts';
import type { ModelReport } from '../protocol/reports.ts';
import type { BasisTarget } from '../records/bases.ts';
import { type ChosenDevice, chooseDevice, type DeviceMakers, type GpuProvider, makersOf } from './devices.ts';
import { factorInStore, usableStore } from './factors.ts';
import type { OnProgress } from './loaded.ts';
import { explainReadError, type Loaded, type ModelBase, readLoaded } from './loaded.ts';

interface EquipmentPorts {
  /** Id of the lab's own model. */
  modelId: string;
  files: FileSource;
  gpu: GpuProvider;
  /** Threads of the CPU device; without them it has one thread. */
  threads?: ThreadHost;
  /** `auto` takes no CPU with fused multiply-adds. */
  isPlain?: boolean;
  grader: Grader;
  /** Singular vectors of the lab's own model by module, if it is already factored. */
  factored?: ReadonlyMap<string, Factors>;
  onProgress: OnProgress;
  /** Yields to the event loop once; without it no message is handled while the model is factored. */
  breathe?(): Promise<void>;
  /** Store of other models' singular vectors. */
  factors?: BlobStore;
}

/** An open model that can write. Without an adapter its policy refuses adapter parameters and gradients. */
export interface Opened {
  chosen: ChosenDevice;
  policy: Engine;
  /** Adapter of the policy. */
  adapter: AdapterSettings | null;
  codec: PromptCodec;
  text: ModelText;
  grader: Grader;
  model: ModelReport;
}

/** An open model that can be trained. */
export interface Equipped extends Opened {
  adapter: AdapterSettings;
}

/** `placed`: how its weights are stored and its adapter is computed; f32 and folded by default. */
export interface ModelToUse {
  id: string;
  source: FileSource;
  /** A LoRA adapter to fold into it, and the model that it is folded into. */
  adapter?: Loaded['adapter'];
  placed?(config: ModelConfig): Placement;
}

/** Name of the phase whose progress is in bytes. */
export const HASHING = 'hashing the weights';

const SVD: AdapterSettings = { adapter: 'svd', loraRank: 0 };

const PLAIN: Placement = { storage: 'f32', form: 'folded' };

/** The model's placement, folded if the adapter has no other form. */
const placedFor = (adapter: AdapterSettings, { storage, form }: Placement): Placement => ({
  storage,
  form: formsOf(adapter).includes(form) ? form : 'folded',
});

const isSame = (a: AdapterSettings, b: AdapterSettings) =>
  a.adapter === b.adapter && (a.adapter === 'svd' || a.loraRank === b.loraRank);

export const isEquipped = (opened: Opened): opened is Equipped => opened.adapter !== null;

/** The same model with prompts formatted by the run's settings, or unchanged if the run has none. */
export async function writingAs<Model extends Opened>(opened: Model, run: RunSpec): Promise<Model> {
  const settings = promptSettingsOf(run);
  if (Object.keys(settings).length === 0) return opened;
  const text = await opened.text.withSettings(settings);
  return { ...opened, codec: text.codec, text };
}

/** Layout and model that a basis must fit. */
export const targetOf = ({ policy, model }: Pick<Opened, 'policy' | 'model'>): BasisTarget => ({
  layout: policy.adapterLayout,
  modelSha256: model.sha256,
});

export class Equipment {
  readonly #ports: EquipmentPorts;
  readonly #own: Loaded;
  #loaded: Loaded;
  #graderChecked = false;
  #opened: Opened | null = null;
  #exchanging: Promise<void> = Promise.resolve();

  constructor(ports: EquipmentPorts) {
    this.#ports = ports;
    this.#own = {
      id: ports.modelId,
      source: ports.files,
      adapter: null,
      placed: PLAIN,
      sha256: null,
      files: null,
      text: null,
    };
    this.#loaded = this.#own;
  }

  get grader(): Grader {
    return this.#ports.grader;
  }

  get gpu(): GpuProvider {
    return this.#ports.gpu;
  }

  get makers(): DeviceMakers {
    return makersOf(this.#ports.threads, this.#ports.isPlain);
  }

  /** Id of the current model, open or not. */
  get modelId(): string {
    return this.#loaded.id;
  }

  /** The lab's own model, whether or not it is in use. */
  get own(): { readonly id: string; readonly source: FileSource } {
    return this.#own;
  }

  /** The current model, without the adapter that was folded into it. */
  get base(): ModelBase {
    const { id, source, placed, adapter } = this.#loaded;
    return adapter?.base ?? { id, source, placed };
  }

  /** Null before the first `open` and after a lost device. */
  get current(): Opened | null {
    return this.#opened;
  }

  /**
   * Opens what training needs; an open model is reused if device choice and adapter are the same. The adapter defaults to the open one,
   * else svd. While a third-party model is factored, the open one stays open.
   */
  async open(
    choice: DeviceChoice,
    signal?: AbortSignal,
    wanted?: AdapterSettings,
    onProgress: OnProgress = this.#ports.onProgress,
  ): Promise<Equipped> {
    const open = this.#opened;
    const { adapter, loraRank } = wanted ?? open?.adapter ?? SVD;
    const settings: AdapterSettings = { adapter, loraRank };
    if (open && isEquipped(open) && open.chosen.report.choice === choice && isSame(open.adapter, settings)) return open;
    const { breathe, factors, factored } = this.#ports;
    // The check runs in parallel, since it waits for interpreters to start.
    const checked = this.#checkGrader(signal);
    const loaded = this.#loaded;
    const { files, text } = await readLoaded(loaded);
    const { config, weights } = files;
    onProgress('device', 0, 1);
    // The model that `begin` opened stays on its device.
    const begun = open && !isEquipped(open) && open.model.isOwn && open.chosen.report.choice === choice ? open : null;
    const chosen = begun?.chosen ?? (await this.#choose(choice));
    try {
      await chosen.device.prepare?.((done, total) => onProgress('the GPU’s kernels', done, total), [config.headDim]);
      const isOwn = loaded === this.#own;
      let made: EngineOptions['adapter'] = adapter === 'svd' && isOwn && factored ? factored : settings;
      const store = adapter === 'svd' && !isOwn ? await usableStore(factors) : null;
      if (store) made = await factorInStore({ device: chosen.device, files, store, signal, onProgress, breathe });
      const wrapping = {
        weights,
        adapter: made,
        signal,
        onProgress: (done: number, total: number) => {
          onProgress('factoring the model', done, total);
          return breathe?.();
        },
      };
      // `auto` and a name can mean the same device, but the old device may be lost: the new one is opened before the old one is dropped.
      if (!begun) this.close();
      const policy = begun
        ? await begun.policy.adapted(wrapping)
        : await Engine.create({ device: chosen.device, config, ...placedFor(settings, loaded.placed), ...wrapping });
      await checked(onProgress);
      const equipped: Equipped = { ...this.#report(chosen, policy, loaded, files, text), adapter: settings };
      this.#opened = equipped;
      return equipped;
    } catch (error) {
      if (!begun) chosen.device.destroy();
      throw explainReadError(error, loaded);
    }
  }

  /**
   * Opens what a visit needs first: the lab's own model for writing, and a checked grader. Factoring takes half of `open`'s time and is
   * left to the first training.
   */
  async begin(choice: DeviceChoice, onProgress: OnProgress = this.#ports.onProgress): Promise<Opened> {
    const checked = this.#checkGrader();
    onProgress('device', 0, 1);
    const opened = await this.#write(this.#own, choice);
    try {
      await checked(onProgress);
    } catch (error) {
      opened.chosen.device.destroy();
      throw error;
    }
    return this.#replace(opened);
  }

  /** Opens what writing needs: the lab's own model as `open` does or as `begin` has left it, another one without an adapter. */
  async ready(choice: DeviceChoice, signal?: AbortSignal, wanted?: AdapterSettings): Promise<Opened> {
    const loaded = this.#loaded;
    const open = this.#opened;
    if (open?.chosen.report.choice === choice && (loaded !== this.#own || !isEquipped(open))) return open;
    if (loaded === this.#own) return this.open(choice, signal, wanted);
    return this.#replace(await this.#write(loaded, choice, signal));
  }

  #replace(opened: Opened): Opened {
    this.close();
    this.#opened = opened;
    return opened;
  }

  /**
   * Switches to another model, its weights stored as `placed` says (f32 by default); null is the lab's own. The previous model stays if
   * this one cannot be opened. Throws FormatError for files that are no model, DeviceError if it fits neither beside the previous one nor
   * alone.
   */
  use(model: ModelToUse | null, signal?: AbortSignal, onProgress?: OnProgress): Promise<Opened> {
    const done = this.#exchange(model, signal, onProgress);
    this.#exchanging = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  /** Resolves when no model is being switched; work with the model must wait for it. */
  settled(): Promise<void> {
    return this.#exchanging;
  }

  async #exchange(
    model: ModelToUse | null,
    signal?: AbortSignal,
    onProgress: OnProgress = this.#ports.onProgress,
  ): Promise<Opened> {
    const choice = this.#opened?.chosen.report.choice ?? 'auto';
    if (!model || (model.source === this.#own.source && !model.adapter)) {
      this.close();
      this.#loaded = this.#own;
      return this.open(choice, signal, SVD, onProgress);
    }
    const { id, source } = model;
    const { adapter = null } = model;
    const loaded: Loaded = { id, source, adapter, placed: PLAIN, sha256: null, files: null, text: null };
    onProgress('reading the model', 0, 1);
    const { files } = await readLoaded(loaded, (done, total) => {
      if (signal?.aborted) throw new StoppedError('Stopped.', 'Load it again when you like.');
      onProgress(HASHING, done, total);
    });
    if (signal?.aborted) throw new StoppedError('Stopped.', 'Load it again when you like.');
    loaded.placed = model.placed?.(files.config) ?? PLAIN;
    loaded.sha256 = await storedSha256(files.sha256, loaded.placed.storage);
    let opened: Opened;
    try {
      opened = await this.#write(loaded, choice, signal);
      this.close();
    } catch (error) {
      if (!(error instanceof DeviceError) || !this.#opened) throw error;
      // It did not fit beside the previous model; it may fit without it.
      this.close();
      try {
        opened = await this.#write(loaded, choice, signal);
      } catch (again) {
        await this.ready(choice);
        throw again;
      }
    }
    this.#loaded = loaded;
    this.#opened = opened;
    return opened;
  }

  /** Frees the device and everything on it; files and grader stay. */
  close(): void {
    const old = this.#opened;
    this.#opened = null;
    old?.chosen.device.destroy();
  }

  #choose(choice: DeviceChoice): Promise<ChosenDevice> {
    return chooseDevice(choice, this.#ports.gpu, this.makers);
  }

  /** Opens a model without an adapter, on its own device. */
  async #write(loaded: Loaded, choice: DeviceChoice, signal?: AbortSignal): Promise<Opened> {
    const { files, text } = await readLoaded(loaded);
    const chosen = await this.#choose(choice);
    try {
      const { config, weights } = files;
      const { device } = chosen;
      const policy = await Engine.create({ device, config, weights, adapter: 'none', ...loaded.placed, signal });
      return this.#report(chosen, policy, loaded, files, text);
    } catch (error) {
      chosen.device.destroy();
      throw explainReadError(error, loaded);
    }
  }

  #report(chosen: ChosenDevice, policy: Engine, loaded: Loaded, files: ModelFiles, text: ModelText): Opened {
    const { modules, total } = policy.adapterLayout;
    const model: ModelReport = {
      id: loaded.id,
      config: files.config,
      sha256: loaded.sha256 ?? files.sha256,
      parameters: files.parameters,
      modules: modules.length,
      adapterParams: total,
      isOwn: loaded === this.#own,
      storage: loaded.placed.storage,
      hasChatTemplate: text.hasChatTemplate,
      defaults: text.defaults,
      notes: files.notes,
      ...('adapter' in files && { adapter: (files as AdaptedFiles).adapter }),
    };
    return { chosen, policy, adapter: null, codec: text.codec, text, grader: this.#ports.grader, model };
  }

  /** Starts the grader's check if it has not passed yet; the returned function waits for it and throws its error. */
  #checkGrader(signal?: AbortSignal): (onProgress: OnProgress) => Promise<void> {
    if (this.#graderChecked) return async () => {};
    const checked = selfCheck(this.#ports.grader, signal);
    // The returned function reports the failure, unless something else fails first.
    checked.catch(() => {});
    return async (onProgress) => {
      onProgress('grader self-check', 0, 1);
      await checked;
      this.#graderChecked = true;
    };
  }
}
