// The worker's handlers for rollouts, of a run or of an opened log, and for the user's labels of them: a part of the table in handlers.ts.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { LogFile } from '../../experiments/analysis/inspect-file.ts';
import type { RolloutLabel, RolloutRecord } from '../../experiments/records/events.ts';
import { tokenPieces } from '../../text/pieces.ts';
import type { LabelPairs, PlacedLabel, RolloutPlace } from '../protocol/labels.ts';
import type { GroupMeasures, TokenRequest } from '../protocol/token-measures.ts';
import type { OpenedLog } from '../records/opened-log.ts';
import type { HandlerParts } from '../work/parts.ts';

export function createRolloutHandlers({ lab, opened, equipped, gate }: HandlerParts) {
  /** Not stored: the page shows one log at a time, and its file is the user's own. */
  let log: OpenedLog | null = null;
  const isLog = (runId: string): boolean => log?.report.id === runId;
  const sourceOf = async (runId: string) => (log && isLog(runId) ? log : (await lab()).records.rollouts);

  async function* labelled(runIds: readonly string[]): AsyncGenerator<{ runId: string; rollout: RolloutRecord }> {
    const { labels } = (await lab()).records;
    for (const runId of runIds)
      for await (const { rollouts } of labels.laidOver(runId, await sourceOf(runId)))
        for (const rollout of rollouts) if (rollout.label) yield { runId, rollout };
  }

  return {
    /** Rollouts of one step of a run, or of its last stored step if `step` is null. */
    rollouts: async ({ runId, step }: { runId: string; step: number | null }) =>
      (await sourceOf(runId)).at(runId, step),
    /** Heads of a run's stored rollouts that contain `text` (empty: all), of steps `from` … `to`, in order of step and prompt. */
    rolloutHeads: async ({ runId, from, to, text }: { runId: string; from: number; to: number; text: string }) =>
      (await sourceOf(runId)).heads(runId, from, to, text),
    /** Each text split at the loaded model's token boundaries; null if they are unknown or the run has another model. */
    async tokenPieces({ texts, modelSha256 }: { texts: string[]; modelSha256: string }) {
      const { codec, model } = await opened();
      return texts.map((text) => (model.sha256 === modelSha256 ? tokenPieces(codec, text) : null));
    },
    /**
     * Entropy and KL at each token of a group's rollouts, computed now; during training, between two steps. `task` is the page's name for
     * this answer.
     */
    measureTokens: ({ task, runId, step, promptIndex }: TokenRequest) =>
      gate.answer(task, async (signal): Promise<GroupMeasures> => {
        const { groupMeasures } = await import('../work/token-measures.ts');
        const { rollouts } = await (await lab()).records.rollouts.at(runId, step);
        const group = rollouts.filter((one) => one.promptIndex === promptIndex);
        const { of, rollouts: measures } = await groupMeasures(runId, step, group, { lab, equipped }, signal);
        return { of, rollouts: measures.map((own, i) => ({ sampleIndex: group[i].sampleIndex, ...own })) };
      }),
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
    /** Opens a log of Inspect in place of the previous one; its samples are then requested by its id like rollouts. */
    async openLog({ file, name }: { file: Blob; name: string }) {
      const { openLog } = await import('../records/opened-log.ts');
      log = await openLog(file, name);
      return log.report;
    },
    async closeLog() {
      log = null;
      return null;
    },
    /** Labels of a run's rollouts, or of a log's: those in its file, overridden by those given here. */
    async labels({ runId }: { runId: string }): Promise<PlacedLabel[]> {
      const stored = await (await lab()).records.labels.of(runId);
      return log && isLog(runId) ? [...log.labels(), ...stored] : stored;
    },
    /** Without label and note it counts as not labelled. */
    async setLabel({ place, label }: { place: RolloutPlace; label: RolloutLabel }) {
      await (await lab()).records.labels.set(place, label);
      return null;
    },
    /** Labelled rollouts as JSON lines, each with its run's id. */
    async exportLabels({ runIds }: { runIds: string[] }) {
      const lines: string[] = [];
      for await (const { runId, rollout } of labelled(runIds)) lines.push(`${JSON.stringify({ runId, ...rollout })}\n`);
      return new Blob(lines, { type: 'application/jsonl' });
    },
    /** Keeps a pair set of the labelled rollouts: a hack beside a clean answer to the same prompt. */
    async pairsOfLabels({ runIds, name }: { runIds: string[]; name: string }): Promise<LabelPairs> {
      const { labelPairs } = await import('../../experiments/analysis/label-pairs.ts');
      const rollouts: RolloutRecord[] = [];
      for await (const { rollout } of labelled(runIds)) rollouts.push(rollout);
      const { pairs, alone, unfit } = labelPairs(rollouts);
      if (pairs.length < 2)
        throw new SpecError(
          `The labels give ${pairs.length} pairs; a pair set has at least 2. (${alone} labelled rollouts have none of the other label at their prompt, ${unfit} are no single answer.)`,
          'Label a hack and a clean answer of the same prompt, for two prompts or more.',
        );
      return { report: await (await lab()).records.pairSets.save(name, pairs), alone, unfit };
    },
  };
}
