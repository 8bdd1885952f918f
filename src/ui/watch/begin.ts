// Chunks that a first run needs. They are loaded when the pointer reaches Run, so that the click itself has less to do.

export const loadRunStrip = () => import('./RunStrip.tsx');
export const loadCells = () => import('./RunCells.tsx');
export const loadHeadline = () => import('./Headline.tsx');
export const loadQueue = () => import('./Queue.tsx');
export const loadCharts = () => import('./ChartGrid.tsx');
export const loadRunMethod = () => import('../method/RunMethod.tsx');
export const loadResults = () => import('../inspect/Results.tsx');
export const loadRollouts = () => import('../inspect/Rollouts.tsx');

/** A failed load is ignored here, because the component that needs the chunk tries again and reports the error. */
export function loadEarly(): void {
  const needed = [loadRunStrip, loadCells, loadHeadline, loadCharts, loadRunMethod, loadResults, loadRollouts];
  for (const load of needed) void load().catch(() => undefined);
}
