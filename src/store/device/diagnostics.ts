// Requests of the device view to the worker, and the text for the clipboard.
import type { DeviceReport, Diagnostics, MatmulSpeed } from '../../lab/protocol/reports.ts';
import type { StoreContext } from '../context.ts';
import { type LabState, readyReport } from '../lab-state.ts';

export function createDiagnosticsActions({ client, store }: StoreContext) {
  /** The device that was compared last. A failed comparison does not need a notice. */
  let reported: DeviceReport | null = null;
  async function compare(): Promise<void> {
    const { device, busy } = store.getState();
    if (!device || busy || reported === device) return;
    reported = device;
    const comparison = await client.request('compareDevices').catch(() => null);
    if (store.getState().device === device) store.setState({ comparison });
  }

  // A software adapter is compared at once, and other devices when the user opens the view.
  store.subscribe(({ device, connection }) => {
    if (device?.isSoftware && connection.status === 'ready') void compare();
  });

  return {
    compare,
    diagnose: (): Promise<Diagnostics> => client.request('diagnose'),
    measureMatmul: (): Promise<MatmulSpeed[]> => client.request('measureMatmul'),
    async refreshStorage(): Promise<void> {
      store.setState({ storage: await client.request('storage') });
    },
  };
}

/** What this browser offers, as one value for the whole view. An API without an adapter differs from "no WebGPU". */
export const webgpuHere = ({
  tried,
  adapter,
}: Pick<Diagnostics, 'tried' | 'adapter'>): 'adapter' | 'no adapter' | 'no API' =>
  adapter ? 'adapter' : tried.some(({ ok }) => ok) ? 'no adapter' : 'no API';

/** The text identifies nobody: it contains no address, no runs, and nothing that the user typed. */
export function diagnosticsText(
  state: Pick<LabState, 'connection' | 'device' | 'storage'>,
  diagnostics: Diagnostics | null,
  speeds: readonly MatmulSpeed[] | null,
  /** `isolated`: whether the page, and therefore the worker, may share memory between threads. */
  browser: { userAgent: string; cores: number; isolated: boolean },
): string {
  const { connection, device, storage } = state;
  const report = readyReport(state);
  const facts = {
    lab: report?.appVersion ?? null,
    model: report ? { id: report.model.id, sha256: report.model.sha256 } : null,
    problem: connection.status === 'failed' ? connection.problem : null,
    device,
    webgpu: diagnostics,
    matmul: speeds,
    storage,
    browser,
  };
  return JSON.stringify(facts, null, 2);
}
