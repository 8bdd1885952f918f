// Rollouts on demand: heads of any span of steps, and texts of the steps on screen. Each is requested from the worker once and cached
// (heads by run and step, texts of only a few steps), so that the page stays small even for a long run.

import type { RolloutPresentation } from '../../environments/rollout-presentation.ts';
import { rolloutPresentationOf } from '../../experiments/environments/registry.ts';
import type { RolloutRecord } from '../../experiments/records/events.ts';
import { headsOf, type RolloutHead } from '../../lab/protocol/rollout-index.ts';
import type { TokenPiece } from '../../text/pieces.ts';
import type { StoreContext } from '../context.ts';
import { shownView } from '../lab-state.ts';
import type { RolloutRef } from './link.ts';

/** Number of steps whose texts are cached: more than a screen shows, so that the user can scroll back. */
export const STEPS_IN_PAGE = 12;
/** Number of completions whose token boundaries are cached. */
const PIECES_IN_PAGE = 400;

export interface RunSteps {
  runId: string;
  /** Trained steps, in ascending order. */
  steps: readonly number[];
}

export type RolloutSource = ReturnType<typeof createRolloutSource>;

export function createRolloutSource({ store, client }: Pick<StoreContext, 'store' | 'client'>) {
  /** Heads of rollouts that contain a given text, by run and step. Another text starts a new cache. */
  let cache = { text: '', runs: new Map<string, Map<number, RolloutHead[]>>() };
  const texts = new Map<string, Promise<RolloutRecord[]>>();
  const settled = new Map<string, RolloutRecord[]>();
  const pieces = new Map<string, Promise<TokenPiece[] | null>>();

  const inPage = (runId: string, step: number): RolloutRecord[] | undefined =>
    shownView(store.getState())
      ?.rollouts.get(runId)
      ?.find((entry) => entry.step === step)?.rollouts;

  const rolloutPresentation = (runId: string): RolloutPresentation =>
    rolloutPresentationOf(shownView(store.getState())?.runs.find(({ id }) => id === runId)?.spec.environment ?? '');

  /** Adds the unknown steps, from the page if it has them, and otherwise in one request. */
  async function fill({ runId, steps }: RunSteps, { text, runs }: typeof cache): Promise<Map<number, RolloutHead[]>> {
    const known = runs.get(runId) ?? new Map<number, RolloutHead[]>();
    runs.set(runId, known);
    for (const step of steps) {
      const rollouts = known.has(step) ? undefined : inPage(runId, step);
      if (rollouts) known.set(step, headsOf(runId, rollouts, text, rolloutPresentation(runId)));
    }
    const missing = steps.filter((step) => !known.has(step));
    if (missing.length === 0) return known;
    const range = { from: missing[0], to: missing[missing.length - 1] };
    const found = await client.request('rolloutHeads', { runId, ...range, text });
    for (const step of missing) known.set(step, []);
    const wanted = new Set(missing);
    for (const head of found) if (wanted.has(head.step)) known.get(head.step)!.push(head);
    return known;
  }

  return {
    /** Heads of rollouts that contain `text`, ordered by run, step and prompt. */
    async heads(runs: readonly RunSteps[], text: string): Promise<RolloutHead[]> {
      if (text !== cache.text) cache = { text, runs: new Map() };
      const mine = cache;
      const all: RolloutHead[] = [];
      for (const run of runs) {
        const known = await fill(run, mine);
        for (const step of run.steps) all.push(...(known.get(step) ?? []));
      }
      return all;
    },

    /** Rollouts that are available without waiting. */
    peek: (runId: string, step: number): RolloutRecord[] | undefined =>
      inPage(runId, step) ?? settled.get(`${runId}:${step}`),

    async step(runId: string, step: number): Promise<RolloutRecord[]> {
      const here = inPage(runId, step);
      if (here) return here;
      const key = `${runId}:${step}`;
      const known = texts.get(key);
      texts.delete(key);
      const loading = known ?? client.request('rollouts', { runId, step }).then(({ rollouts }) => rollouts);
      texts.set(key, loading);
      while (texts.size > STEPS_IN_PAGE) {
        const oldest = texts.keys().next().value!;
        texts.delete(oldest);
        settled.delete(oldest);
      }
      try {
        const rollouts = await loading;
        if (texts.get(key) === loading) settled.set(key, rollouts);
        return rollouts;
      } catch (error) {
        texts.delete(key);
        throw error;
      }
    },

    isKept: async (experimentId: string): Promise<boolean> =>
      (await client.request('kept.list', { kind: 'run' })).some(({ id }) => id === experimentId),

    async find({ runId, step, promptIndex, sampleIndex }: RolloutRef): Promise<RolloutRecord | null> {
      const rollouts = await this.step(runId, step);
      return rollouts.find((one) => one.promptIndex === promptIndex && one.sampleIndex === sampleIndex) ?? null;
    },

    /** The texts split at token boundaries; null if the loaded model is not the run's. */
    async pieces(completions: readonly string[], modelSha256: string): Promise<(TokenPiece[] | null)[]> {
      const keyOf = (text: string) => `${modelSha256}:${text}`;
      const missing = [...new Set(completions)].filter((text) => !pieces.has(keyOf(text)));
      if (missing.length > 0) {
        const answer = client.request('tokenPieces', { texts: missing, modelSha256 });
        missing.forEach((text, i) => {
          const one = answer.then((list) => list[i]);
          pieces.set(keyOf(text), one);
          one.catch(() => pieces.delete(keyOf(text)));
        });
      }
      const wanted = completions.map((text) => pieces.get(keyOf(text))!);
      for (const key of pieces.keys()) {
        if (pieces.size <= PIECES_IN_PAGE) break;
        pieces.delete(key);
      }
      return Promise.all(wanted);
    },
  };
}
