// The worker's handlers for rollouts, a run's own or those of an opened log: a part of the table in handlers.ts.
import type { LogFile } from '../../experiments/analysis/inspect-file.ts';
import { tokenPieces } from '../../text/pieces.ts';
import type { HandlerParts } from '../work/parts.ts';

export function createRolloutHandlers({ lab, opened }: HandlerParts) {
  return {
    /** Rollouts of one step of a run, or of its last stored step if `step` is null. */
    rollouts: async ({ runId, step }: { runId: string; step: number | null }) =>
      (await lab()).records.rollouts.at(runId, step),
    /** Heads of a run's stored rollouts that contain `text` (empty: all), of steps `from` … `to`, in order of step and prompt. */
    async rolloutHeads({ runId, from, to, text }: { runId: string; from: number; to: number; text: string }) {
      return (await lab()).records.rollouts.heads(runId, from, to, text);
    },
    /** Each text split at the loaded model's token boundaries; null if they are unknown or the run has another model. */
    async tokenPieces({ texts, modelSha256 }: { texts: string[]; modelSha256: string }) {
      const { codec, model } = await opened();
      return texts.map((text) => (model.sha256 === modelSha256 ? tokenPieces(codec, text) : null));
    },
    /** A stored run as a log of Inspect. */
    async exportLog({ runId, file }: { runId: string; file: LogFile }) {
      const { records, embedded } = await lab();
      const { logOfRun } = await import('../records/run-log.ts');
      return logOfRun(runId, file, {
        records,
        embedded,
        async loadedCodec(modelSha256) {
          const { codec, model } = await opened();
          return model.sha256 === modelSha256 ? codec : null;
        },
      });
    },
  };
}
