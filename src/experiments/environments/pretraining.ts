// What an environment says of the small model that is pretrained for it from nothing: its texts, its samples, its shape, and how it is
// measured when it is done. `lab pretrain --world` trains and writes it; a run of the environment uses it where no other model is named.
import type { ModelConfig, Policy } from '../../engine/types.ts';
import type { Grader } from '../../environments/code/types.ts';
import type { TextCodec } from '../../text/types.ts';
import type { PretrainSpec } from '../loop/pretrain.ts';
import type { Transcript } from '../loop/sequences.ts';
import type { WorldDocument } from './world.ts';

export interface MeasureInput {
  policy: Policy;
  codec: TextCodec;
  dataSeed: number;
  rounds: number;
  /** For an environment whose answers are programs. The caller closes it. */
  openGrader(): Promise<Grader>;
  signal?: AbortSignal;
  onRound?: (done: number) => void;
}

export interface Measured {
  /** As the manifest records them. */
  rates: object;
  /** One line for a person. */
  summary: string;
}

/** Turns of which the model's alone are trained on, or a text in parts. */
export type PretrainText = Transcript | Pick<WorldDocument, 'parts'>;

export interface Pretraining {
  /** Folder below public/models. */
  model: string;
  defaults: PretrainSpec;
  dataSeed: number;
  /** Without the vocabulary, which is the tokenizer's. */
  config: Omit<ModelConfig, 'vocab'>;
  /** Of the manifest's rates; a round's size is the environment's. */
  rounds: number;
  tokenizer(dataSeed: number): Record<'tokenizer.json' | 'tokenizer_config.json', string>;
  /** A pure function of its arguments; stage 2 is the last part of the training. Of several turns the model's alone are
   *  trained on; of a text in parts, those that say so. */
  sample(index: number, dataSeed: number, stage: 1 | 2): PretrainText | Promise<PretrainText>;
  /** At temperature 1, on what was never trained on. */
  measure(input: MeasureInput): Promise<Measured>;
}
