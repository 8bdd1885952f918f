// Requests to external servers (a model's server that the user names, or the Hub), made only on the user's request. The page itself may
// access only its own files (docs/architecture/page.md), so the worker makes them.
import type { ChatTurn } from '@projected-grpo-lab/are/chat-model.ts';
import type { WantedRow } from '../../storage/datasets/row.ts';

export interface ServerAsk {
  /** The page's name for this question. */
  id: string;
  /** Address such as `http://localhost:8000/v1`. */
  base: string;
  model: string;
  /** Sent to that server as a bearer token, and never stored. */
  key: string | null;
  turns: readonly ChatTurn[];
  stop: readonly string[];
  seed: number;
  temperature: number;
  maxTokens: number;
}

/** Refers to the row of a data set on the Hub that has a scenario's apps. */
export interface RowAsk extends WantedRow {
  /** The page's name for this question. */
  id: string;
}
