// A run whose models can be asked: one that is stored in this browser, or the published demo's, whose models are built from its published
// optimizer steps.
import type { PublishedDemo } from '../../experiments/analysis/demo.ts';
import { armLabel, nameOf } from '../../experiments/analysis/names.ts';
import type { PlayModel, PlayRun } from '../../lab/protocol/playground.ts';
import type { ModelReport } from '../../lab/protocol/reports.ts';
import { moment } from '../../lib/numbers.ts';
import { type PublishedRun, publishedRuns } from '../runs/published-steps.ts';

export interface PlayableRun extends Pick<PlayRun, 'runId' | 'arm' | 'hasQuarantine'> {
  words: string;
  /** Set only for a published run. */
  source?: PublishedRun['source'];
}

/** `route (update), seed 41, step 60 (demo, 3 May, 12:10)`. */
export const playRunWords = ({ arm, seed, step, preset, createdAt }: Omit<PlayRun, 'runId'>): string =>
  `${armLabel(arm)}, seed ${seed}, step ${step} (${preset}, ${moment(createdAt)})`;

export const keptRun = (run: PlayRun): PlayableRun => ({
  runId: run.runId,
  arm: run.arm,
  hasQuarantine: run.hasQuarantine,
  words: playRunWords(run),
});

/** A model by its name in charts and tables; `run` is the run's own name for it. */
export function playModelName(model: PlayModel, run: Pick<PlayableRun, 'arm'> | null): string {
  if (model === 'steered') return model;
  if (model === 'base' || !run) return nameOf('', 'base', []);
  return nameOf(run.arm, model === 'trained' ? 'total' : model, [run.arm]);
}

/** The demo's routed run; null if it was trained on another model than the loaded one. */
export function askedOfDemo(demo: PublishedDemo | null, model: ModelReport | null, base: string): PlayableRun | null {
  if (!demo || demo.modelSha256 !== model?.sha256) return null;
  const run = publishedRuns(demo, base).find(({ spec }) => spec.projection === 'route');
  if (!run) return null;
  const { arm, seed, steps } = run.spec;
  const words = `published: ${armLabel(arm)}, seed ${seed}, step ${steps}`;
  return { runId: run.path, arm, hasQuarantine: true, words, source: run.source };
}
