// What the page asks of others' servers, a model's that its user names or the Hub, where its user says so: the page itself reaches its own
// files alone (docs/architecture/page.md), so the worker asks.
import type { ChatTurn } from '@projected-grpo-lab/are/chat-model.ts';
import type { WantedRow } from '../../storage/datasets/row.ts';

export interface ServerAsk {
  /** The page's name for this question. */
  id: string;
  /** `http://localhost:8000/v1` */
  base: string;
  model: string;
  /** Sent to that server as a bearer token, and kept nowhere. */
  key: string | null;
  turns: readonly ChatTurn[];
  stop: readonly string[];
  seed: number;
  temperature: number;
  maxTokens: number;
}

/** Which row of a data set on the Hub: where a scenario's apps are. */
export interface RowAsk extends WantedRow {
  /** The page's name for this question. */
  id: string;
}
