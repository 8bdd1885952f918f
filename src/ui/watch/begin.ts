// What a first run brings with it. It is asked for when the hand comes to Run, so that the click itself has less to do.

export const loadCharts = () => import('./ChartGrid.tsx');
export const loadRunMethod = () => import('../method/RunMethod.tsx');
export const loadResults = () => import('../inspect/Results.tsx');
export const loadRollouts = () => import('../inspect/Rollouts.tsx');

/** One that fails is tried again by whoever needs it, and said there. */
export function loadEarly(): void {
  for (const load of [loadCharts, loadRunMethod, loadResults, loadRollouts]) void load().catch(() => undefined);
}
