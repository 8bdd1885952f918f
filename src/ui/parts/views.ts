// The list of all views, by their name in `?view=`, each in its section of the navigation. A section with several views shows them as tabs,
// and the navigation opens the first. A view `within` another has no tab and is opened by a link in that view or on the device's chip. Also
// the view of each kind of record (`KIND_ROUTES`), and the query parameters that belong to one view (`VIEW_PARAMS`).
import type { KindId } from '../../experiments/records/kind.ts';

export const SECTIONS = [
  { id: 'lab', label: 'Lab' },
  { id: 'findings', label: 'Findings' },
  { id: 'library', label: 'Library' },
  { id: 'playground', label: 'Playground' },
] as const;
export type SectionId = (typeof SECTIONS)[number]['id'];

export const VIEWS = [
  { id: 'lab', section: 'lab', label: 'Lab' },
  { id: 'device', section: 'lab', label: 'Device', within: 'lab' },
  { id: 'questions', section: 'findings', label: 'Questions' },
  { id: 'arena', section: 'findings', label: 'Arena' },
  { id: 'compare', section: 'findings', label: 'Compare' },
  { id: 'kept', section: 'library', label: 'Runs' },
  { id: 'sweeps', section: 'library', label: 'Sweeps' },
  { id: 'pools', section: 'library', label: 'Data' },
  { id: 'problems', section: 'library', label: 'Problem files', within: 'pools' },
  { id: 'bases', section: 'library', label: 'Bases and pairs' },
  { id: 'probe', section: 'library', label: 'Probe', within: 'bases' },
  { id: 'models', section: 'library', label: 'Models' },
  { id: 'playground', section: 'playground', label: 'Playground' },
  { id: 'agents', section: 'playground', label: 'Agents' },
] as const satisfies readonly { id: string; section: SectionId; label: string; within?: string }[];
export type View = (typeof VIEWS)[number]['id'];

export interface ViewInfo {
  id: View;
  section: SectionId;
  label: string;
  within?: View;
}

export const viewInfo = (view: View): ViewInfo => VIEWS.find(({ id }) => id === view)!;

/** The view whose tab is the current one. */
export const tabOf = (view: View): View => viewInfo(view).within ?? view;

/** A section's views, in the order of their tabs. */
export const viewsOf = (section: SectionId): ViewInfo[] => VIEWS.filter((view) => view.section === section);

/** Views that have a tab. */
export const tabsOf = (section: SectionId): ViewInfo[] => viewsOf(section).filter(({ within }) => within === undefined);

export const KIND_ROUTES = { run: 'lab', probe: 'probe' } as const satisfies Record<KindId, View>;

/** Query parameters for a view's own choices. The part after # is separate: it belongs to the form or to the view. */
export const VIEW_PARAMS: Readonly<Partial<Record<View, readonly string[]>>> = {
  lab: ['run'],
  questions: ['q', 'run', 'series', 'world'],
  arena: ['sheet', 'sort'],
  compare: ['of', 'against', 'by', 'smooth'],
  probe: ['probe', 'run'],
  kept: ['find', 'kind', 'status', 'tag', 'order'],
  playground: ['ask'],
};

/** Parameters that are dropped when another view is opened. The series is preserved, so that Findings reopens at the last series. */
export const OWN_PARAMS: readonly string[] = [...new Set(Object.values(VIEW_PARAMS).flat())].filter(
  (name) => name !== 'series',
);
