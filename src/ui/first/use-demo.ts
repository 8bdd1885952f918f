// An environment's published demo, as hooks: as a file, and as what is on the page before anything has run in it.
import type { PublishedDemo } from '../../experiments/analysis/demo.ts';
import { SHOWN_ENVIRONMENTS } from '../../experiments/environments/registry.ts';
import type { EnvironmentHeadline } from '../../findings/headline.ts';
import { shownView } from '../../store/lab-state.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { useLoaded } from '../parts/use-loaded.ts';

/** Undefined while it is on its way, null where there is none. */
export function useDemo(environment: string): PublishedDemo | null | undefined {
  const published = useLabActions().published(document.baseURI);
  // A file of problems has none, nor has a replicate or an environment of a person's own.
  const hasOne = SHOWN_ENVIRONMENTS.includes(environment);
  useLoaded(async () => hasOne && published.load(environment), environment);
  return hasOne ? published.now(environment) : null;
}

/** What many seeds of an environment say: undefined while it is on its way, null where nothing does. */
export function useEnvironmentHeadline(environment: string): EnvironmentHeadline | null | undefined {
  const published = useLabActions().published(document.baseURI);
  useLoaded(() => published.headline(environment), environment);
  return published.headlineNow(environment);
}

/** Null where something else is on show: a run, results of a link, the settings of another preset. */
export function usePublishedOnShow(): PublishedDemo | null {
  const demo = useDemo(useLab((state) => state.draft.fields.environment.trim()));
  const isTaken = useLab((state) => shownView(state) !== null || state.busy || state.shared !== null);
  const preset = useLab((state) => state.draft.preset);
  return !isTaken && demo?.spec.preset === preset ? demo : null;
}
