// Hooks for an environment's published demo and headline, and for whether the demo is what the page shows.
import type { PublishedDemo } from '../../experiments/analysis/demo.ts';
import { SHOWN_ENVIRONMENTS } from '../../experiments/environments/registry.ts';
import type { EnvironmentHeadline } from '../../findings/headline.ts';
import { shownView } from '../../store/lab-state.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { useLoaded } from '../parts/use-loaded.ts';

/** The demo; undefined while it loads, null if there is none. */
export function useDemo(environment: string): PublishedDemo | null | undefined {
  const published = useLabActions().published(document.baseURI);
  // Problem files, replicates and user-defined environments have no demo.
  const hasOne = SHOWN_ENVIRONMENTS.includes(environment);
  useLoaded(async () => hasOne && published.load(environment), environment);
  return hasOne ? published.now(environment) : null;
}

/** An environment's finding over many seeds; undefined while it is being loaded, null if there is none. */
export function useEnvironmentHeadline(environment: string): EnvironmentHeadline | null | undefined {
  const published = useLabActions().published(document.baseURI);
  useLoaded(() => published.headline(environment), environment);
  return published.headlineNow(environment);
}

/** The demo if the page shows it; null if the page shows a run, a link's results, or another preset. */
export function usePublishedOnShow(): PublishedDemo | null {
  const demo = useDemo(useLab((state) => state.draft.fields.environment.trim()));
  const isTaken = useLab((state) => shownView(state) !== null || state.busy || state.shared !== null);
  const preset = useLab((state) => state.draft.preset);
  return !isTaken && demo?.spec.preset === preset ? demo : null;
}
