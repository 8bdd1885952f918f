// Messages between page and worker about an ONNX language model that plays as an agent: the reader chooses its files, the worker opens and
// asks it, and nothing is stored.
import type { ChatTurn } from '@projected-grpo-lab/are/chat-model.ts';

export interface OnnxFile {
  /** File name without folders, as a file picker gives it. */
  readonly name: string;
  readonly file: Blob;
}

export interface OnnxQuestion {
  /** The page's name for this question. */
  id: string;
  turns: readonly ChatTurn[];
  stop: readonly string[];
  seed: number;
  temperature: number;
  maxNew: number;
}
