// The report on a model's folder (lab/models/examination.ts): the same for `lab doctor` and the Models view.
import type { FieldReading } from '../../engine/config-fields.ts';
import type { ModelConfig, WeightStorage } from '../../engine/types.ts';

/** Default prompt. */
export const EXAMINED_PROMPT = 'Write f(x) that doubles x.';

export interface ExaminedFile {
  path: string;
  bytes: number;
  isRead: boolean;
  why: string;
}

export interface ExaminedToken {
  id: number;
  text: string;
}

/** How the model reads and writes text. */
export interface ExaminedText {
  vocabSize: number;
  /** Tokens before a plain text; `beginsInChat`: how often the first of them occurs before a chat. */
  begin: ExaminedToken[];
  beginsInChat: number | null;
  ends: ExaminedToken[];
  pad: ExaminedToken;
  /** Source of the chat template: a file's name, or ChatML. Null if there is none. */
  template: string | null;
  knowsThinking: boolean;
  temperature: number;
  maxNew: number | null;
  /** Settings of generation_config.json that the lab does not use. */
  undone: readonly string[];
  prompt: ExaminedPrompt;
}

export interface ExaminedPrompt {
  isChat: boolean;
  text: string;
  /** Number of tokens, and the first ones. */
  count: number;
  tokens: ExaminedToken[];
}

export interface ExaminedWeights {
  parameters: number;
  bytes: number;
  /** Elements by the dtype in which they are stored. */
  dtypes: Readonly<Record<string, number>>;
  /** `embedding` if head and embedding share one table. */
  head: 'embedding' | 'own';
  ignored: readonly string[];
}

/** Bytes on a CPU device. */
export interface ExaminedMemory {
  storage: WeightStorage;
  answer: number;
  /** Null without an experiment, or if the tokenizer could not be opened, since prompt lengths are unknown then. */
  train: number | null;
}

export interface ExaminedRefusal {
  of: 'weights and config' | 'text' | 'prompt' | 'adapter';
  message: string;
  remedy: string;
}

export interface Examination {
  label: string;
  files: ExaminedFile[];
  config: ModelConfig | null;
  /** Fields of config.json; empty if it cannot be read. */
  fields: FieldReading[];
  weights: ExaminedWeights | null;
  text: ExaminedText | null;
  memory: ExaminedMemory[];
  notes: readonly string[];
  /** Empty if the model can be used. */
  refusals: ExaminedRefusal[];
}
