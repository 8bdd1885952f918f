// The page's views, by the name that `?view=` has.
export const VIEWS = [
  { id: 'lab', label: 'Lab' },
  { id: 'compare', label: 'Compare' },
  { id: 'questions', label: 'Questions' },
  { id: 'bases', label: 'Bases' },
  { id: 'probe', label: 'Probe' },
  { id: 'models', label: 'Models' },
  { id: 'playground', label: 'Playground' },
  { id: 'device', label: 'Device' },
] as const;
export type View = (typeof VIEWS)[number]['id'];
