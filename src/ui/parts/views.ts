// The list of all views, by their name in `?view=`, each under its section of the navigation. A section with several views shows them as
// tabs, and the navigation opens the first. Also the view of each type of record (`KIND_ROUTES`), and the query parameters that belong to
// one view (`VIEW_PARAMS`).
import type { KindId } from '../../experiments/records/kind.ts';

export const SECTIONS = [
  { id: 'lab', label: 'Lab' },
  { id: 'findings', label: 'Findings' },
  { id: 'library', label: 'Library' },
  { id: 'playground', label: 'Playground' },
  { id: 'device', label: 'Device' },
] as const;
export type SectionId = (typeof SECTIONS)[number]['id'];

export const VIEWS = [
  { id: 'lab', section: 'lab', label: 'Lab' },
  { id: 'questions', section: 'findings', label: 'Questions' },
  { id: 'arena', section: 'findings', label: 'Arena' },
  { id: 'compare', section: 'findings', label: 'Compare' },
  { id: 'probe', section: 'findings', label: 'Probe' },
  { id: 'kept', section: 'library', label: 'Runs' },
  { id: 'sweeps', section: 'library', label: 'Sweeps' },
  { id: 'pools', section: 'library', label: 'Pools' },
  { id: 'bases', section: 'library', label: 'Bases and pairs' },
  { id: 'models', section: 'library', label: 'Models' },
  { id: 'problems', section: 'library', label: 'Problem files' },
  { id: 'playground', section: 'playground', label: 'Playground' },
  { id: 'agents', section: 'playground', label: 'Agents' },
  { id: 'device', section: 'device', label: 'Device' },
] as const satisfies readonly { id: string; section: SectionId; label: string }[];
export type View = (typeof VIEWS)[number]['id'];

export const viewInfo = (view: View) => VIEWS.find(({ id }) => id === view)!;

/** A section's views in the order of their tabs. */
export const viewsOf = (section: SectionId) => VIEWS.filter((view) => view.section === section);

export const KIND_ROUTES = { run: 'lab', probe: 'probe' } as const satisfies Record<KindId, View>;

/** Query parameters that are a view's own choices. The part after # is another matter: it is the form's, or the view's. */
export const VIEW_PARAMS: Readonly<Partial<Record<View, readonly string[]>>> = {
  lab: ['run'],
  questions: ['q', 'run', 'series', 'world'],
  arena: ['sheet', 'sort'],
  compare: ['of', 'against', 'by', 'smooth'],
  probe: ['probe', 'run'],
  kept: ['find', 'kind', 'status', 'tag', 'order'],
  playground: ['ask'],
};

/** Those that are dropped when another view is opened. The series stays, so that Findings opens where they were left. */
export const OWN_PARAMS: readonly string[] = [...new Set(Object.values(VIEW_PARAMS).flat())].filter(
  (name) => name !== 'series',
);
