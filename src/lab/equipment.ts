// What an experiment runs on, opened once and kept between experiments: a device, the model factored on it, its tokenizer,
// the grader. A change of device keeps the files that were fetched.
import { Engine } from '../engine/engine.ts';
import type { AdapterSettings } from '../engine/types.ts';
import { selfCheck } from '../environments/code/grader/self-check.ts';
import type { Grader } from '../environments/code/types.ts';
import { FormatError } from '../lib/errors.ts';
import { loadModelFiles, type ModelFiles } from '../storage/model-files.ts';
import type { FileSource } from '../storage/sources.ts';
import { loadCodec } from '../text/codec.ts';
import type { TextCodec } from '../text/types.ts';
import { type ChosenDevice, chooseDevice, type GpuProvider } from './devices.ts';
import type { DeviceChoice, ModelReport } from './protocol.ts';

export interface EquipmentPorts {
  modelId: string;
  files: FileSource;
  gpu: GpuProvider;
  grader: Grader;
  onProgress(what: string, done: number, total: number): void;
  /** One turn of the event loop; without it nothing else is answered while the model is factored. */
  breathe?(): Promise<void>;
}

export interface Equipped {
  chosen: ChosenDevice;
  policy: Engine;
  /** What the policy was made with. */
  adapter: AdapterSettings;
  codec: TextCodec;
  grader: Grader;
  model: ModelReport;
}

const SVD: AdapterSettings = { adapter: 'svd', loraRank: 0 };

const isSame = (a: AdapterSettings, b: AdapterSettings) =>
  a.adapter === b.adapter && (a.adapter === 'svd' || a.loraRank === b.loraRank);

export class Equipment {
  readonly #ports: EquipmentPorts;
  #files: ModelFiles | null = null;
  #codec: TextCodec | null = null;
  #graderChecked = false;
  #equipped: Equipped | null = null;

  constructor(ports: EquipmentPorts) {
    this.#ports = ports;
  }

  get grader(): Grader {
    return this.#ports.grader;
  }

  get gpu(): GpuProvider {
    return this.#ports.gpu;
  }

  /** Opens what is missing; what is open stays where choice and adapter are the same. Without an adapter: the one that is
   *  open, at first svd. */
  async open(choice: DeviceChoice, signal?: AbortSignal, wanted?: AdapterSettings): Promise<Equipped> {
    const open = this.#equipped;
    const { adapter, loraRank } = wanted ?? open?.adapter ?? SVD;
    const settings: AdapterSettings = { adapter, loraRank };
    if (open?.chosen.report.choice === choice && isSame(open.adapter, settings)) return open;
    const { files: source, grader, gpu, onProgress, breathe, modelId } = this.#ports;
    // Beside everything else: it waits for interpreters that start up elsewhere.
    const checked = this.#graderChecked ? null : selfCheck(grader, signal);
    // Its failure is met below, unless something else fails first.
    checked?.catch(() => {});
    this.#files ??= await loadModelFiles(source);
    const { config, weights, tokenizerJson, tokenizerConfig, sha256, parameters } = this.#files;
    if (!tokenizerJson || !tokenizerConfig) {
      throw new FormatError(
        `${source.label} has no tokenizer.json or no tokenizer_config.json.`,
        'Take the model again.',
      );
    }
    this.#codec ??= loadCodec(tokenizerJson, tokenizerConfig);
    onProgress('device', 0, 1);
    const chosen = await chooseDevice(choice, gpu);
    // `auto` and a name can mean the same device, but the old one may be lost: open anew, then drop the old.
    this.close();
    try {
      const policy = await Engine.create({
        device: chosen.device,
        config,
        weights,
        adapter: settings,
        signal,
        onProgress: (done, total) => {
          onProgress('factoring the model', done, total);
          return breathe?.();
        },
      });
      if (checked) {
        onProgress('grader self-check', 0, 1);
        await checked;
        this.#graderChecked = true;
      }
      const { modules, total } = policy.knobs;
      const model: ModelReport = { id: modelId, config, sha256, parameters, modules: modules.length, knobs: total };
      this.#equipped = { chosen, policy, adapter: settings, codec: this.#codec, grader, model };
      return this.#equipped;
    } catch (error) {
      chosen.device.destroy();
      throw error;
    }
  }

  /** Null before the first `open` and after a lost device. */
  get current(): Equipped | null {
    return this.#equipped;
  }

  /** Frees the device and what lies on it; files and grader stay. */
  close(): void {
    const old = this.#equipped;
    this.#equipped = null;
    old?.chosen.device.destroy();
  }
}
