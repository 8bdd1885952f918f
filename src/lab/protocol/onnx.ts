// What the page and the worker say to each other about a language model of an ONNX file that plays as an agent: the reader chooses its
// files, the worker opens and asks it, and nothing of it is kept.
import type { ChatTurn } from '@projected-grpo-lab/are/chat-model.ts';

export interface OnnxFile {
  /** Without folders, as a picker gives them. */
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
