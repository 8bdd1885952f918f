// An opened log, the user's labels of rollouts, and computed values of their tokens: the viewer's functions other than showing a run.
// Loaded with the first rollouts.
import { logPresentation } from '../../experiments/analysis/log-presentation.ts';
import { plural } from '../../experiments/analysis/words.ts';
import type { RolloutLabel } from '../../experiments/records/events.ts';
import type { LogReport } from '../../lab/protocol/logs.ts';
import type { StoreContext } from '../context.ts';
import { attempt } from '../notices.ts';
import { type RolloutRef, refKey } from './link.ts';
import { createTokenMeasures } from './measures.ts';
import type { RolloutRun } from './runs.ts';

/** Uses a log as the viewer's source. */
export const rolloutRunOfLog = ({ id, task, model, scorers, steps, hasSteps }: LogReport): RolloutRun => ({
  id,
  name: `${task}, ${model}`,
  arm: '',
  seed: '',
  stepName: hasSteps ? 'step' : 'part',
  presentation: logPresentation(scorers),
  record: null,
  steps: () => steps,
});

/** A rollout without label and note is not labelled. */
export const isLabelled = (label: RolloutLabel | undefined): label is RolloutLabel =>
  label !== undefined && (label.label !== null || label.note !== '');

/** @param pairs reloads the list of pair sets, and shows one of them */
export function createLabelling(
  context: StoreContext,
  pairs: { refresh(): Promise<void>; show(pairSet: string): Promise<void> },
) {
  const { store, client, notices } = context;
  function put(entries: Iterable<readonly [string, RolloutLabel]>): void {
    store.setState(({ labels }) => ({ labels: new Map([...labels, ...entries]) }));
  }

  return {
    measureTokens: createTokenMeasures(context),

    async openLog(file: File): Promise<boolean> {
      const waiting = notices.tell('info', `Reading ${file.name} …`);
      const log = await attempt(notices, client.request('openLog', { file, name: file.name }));
      notices.dismiss(waiting);
      if (log) store.setState({ log });
      return log !== null;
    },

    /** Shows the run's rollouts again. */
    async closeLog(): Promise<void> {
      store.setState({ log: null });
      await attempt(notices, client.request('closeLog'));
    },

    async readLabels(runIds: readonly string[]): Promise<void> {
      for (const runId of runIds) {
        const placed = await attempt(notices, client.request('labels', { runId }));
        if (placed) put(placed.map(({ label, note, ...place }) => [refKey(place), { label, note }] as const));
      }
    },

    async setLabel(place: RolloutRef, label: RolloutLabel): Promise<void> {
      const before = store.getState().labels.get(refKey(place)) ?? { label: null, note: '' };
      put([[refKey(place), label]]);
      const done = await attempt(
        notices,
        client.request('setLabel', { place, label }).then(() => true),
      );
      if (!done) put([[refKey(place), before]]);
    },

    exportLabels: (runIds: string[]) => attempt(notices, client.request('exportLabels', { runIds })),

    /** Stores the labelled rollouts as a pair set; returns whether there is one. */
    async makePairs(runs: readonly RolloutRun[]): Promise<boolean> {
      const name = `labelled, ${runs.length === 1 ? runs[0].name : plural(runs.length, 'run')}`.slice(0, 120);
      const request = client.request('pairsOfLabels', { runIds: runs.map(({ id }) => id), name });
      const made = await attempt(notices, request);
      if (!made) return false;
      const { report, alone, unfit } = made;
      await pairs.refresh();
      await pairs.show(report.id);
      const left = [
        alone > 0 ? `${alone} without one of the other label at the same prompt` : '',
        unfit > 0 ? `${unfit} that are no single answer` : '',
      ].filter((part) => part !== '');
      notices.tell(
        'good',
        `“${report.name}” holds ${plural(report.pairs, 'pair')}, kept as a set of your own.${left.length > 0 ? ` Left out: ${left.join(', ')}.` : ''}`,
      );
      return true;
    },
  };
}
