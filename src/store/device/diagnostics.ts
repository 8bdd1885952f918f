// Questions of the device view to the worker, and the text for the clipboard.
import type { DeviceReport, Diagnostics, MatmulSpeed } from '../../lab/protocol/reports.ts';
import type { StoreContext } from '../context.ts';
import { type LabState, readyReport } from '../lab-state.ts';

export function createDiagnosticsActions({ client, store }: StoreContext) {
  /** The device that was compared last; a failed comparison is not worth a notice. */
  let reported: DeviceReport | null = null;
  async function compare(): Promise<void> {
    const { device, busy } = store.getState();
    if (!device || busy || reported === device) return;
    reported = device;
    const comparison = await client.request('compareDevices').catch(() => null);
    if (store.getState().device === device) store.setState({ comparison });
  }

  // A software adapter is compared at once; other devices when somebody opens the view.
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

/** This browser's offer, in one value for the whole view: an API without an adapter is not “no WebGPU”. */
export const webgpuHere = ({
  tried,
  adapter,
}: Pick<Diagnostics, 'tried' | 'adapter'>): 'adapter' | 'no adapter' | 'no API' =>
  adapter ? 'adapter' : tried.some(({ ok }) => ok) ? 'no adapter' : 'no API';

/** The text identifies nobody: it has no address, no runs, nothing that was typed. */
export function diagnosticsText(
  state: Pick<LabState, 'connection' | 'device' | 'storage'>,
  diagnostics: Diagnostics | null,
  speeds: readonly MatmulSpeed[] | null,
  /** `isolated`: whether the page, and with it the worker, may share memory between threads. */
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
