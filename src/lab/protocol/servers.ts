// What the page asks of a model behind a server that its user names: the page itself reaches its own files alone (docs/architecture/page.md), so the
// worker asks. A part of the table in protocol.ts.
import type { ChatAnswer, ChatTurn } from '@projected-grpo-lab/are/agents/react/model.ts';

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

export interface ServerRequests {
  /** `tooLong`: the server's words for a conversation that its model has no room for. */
  askServer: { params: ServerAsk; result: { answer: ChatAnswer } | { tooLong: string } };
  stopServer: { params: { id: string }; result: { stopped: boolean } };
}
