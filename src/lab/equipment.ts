// What an experiment runs on, opened once and kept between experiments: a device, the model factored on it, its tokenizer,
// the grader. A change of device keeps the files that were fetched.
import { Engine } from '../engine/engine.ts';
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
}

export interface Equipped {
  chosen: ChosenDevice;
  policy: Engine;
  codec: TextCodec;
  grader: Grader;
  model: ModelReport;
}

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

  /** Opens what is missing. The device that is open stays when the choice is the same. */
  async open(choice: DeviceChoice, signal?: AbortSignal): Promise<Equipped> {
    if (this.#equipped?.chosen.report.choice === choice) return this.#equipped;
    const { files: source, grader, gpu, onProgress, modelId } = this.#ports;
    this.#files ??= await loadModelFiles(source);
    const { config, weights, tokenizerJson, tokenizerConfig, sha256, parameters } = this.#files;
    if (!tokenizerJson || !tokenizerConfig) {
      throw new FormatError(
        `${source.label} has no tokenizer.json or no tokenizer_config.json.`,
        'Take the model again.',
      );
    }
    this.#codec ??= loadCodec(tokenizerJson, tokenizerConfig);
    if (!this.#graderChecked) {
      onProgress('grader self-check', 0, 1);
      await selfCheck(grader, signal);
      this.#graderChecked = true;
    }
    onProgress('device', 0, 1);
    const chosen = await chooseDevice(choice, gpu);
    // `auto` and a name can mean the same device, but the old one may be lost: open anew, then drop the old.
    this.close();
    try {
      const policy = await Engine.create({
        device: chosen.device,
        config,
        weights,
        signal,
        onProgress: (done, total) => onProgress('factoring the model', done, total),
      });
      const { modules, total } = policy.knobs;
      const model: ModelReport = { id: modelId, config, sha256, parameters, modules: modules.length, knobs: total };
      this.#equipped = { chosen, policy, codec: this.#codec, grader, model };
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
