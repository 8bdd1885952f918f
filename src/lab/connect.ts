// Opens the lab from the page: the worker, the sandboxed frame that grades, and the port between them.
import { openGraderFrame } from '@projected-grpo-lab/python-sandbox/browser-frame.ts';
import { LabClient } from './client.ts';
import type { DeviceChoice } from './protocol/protocol.ts';
import type { ReadyReport } from './protocol/reports.ts';
import { startedWorker } from './protocol/started-worker.ts';
import { APP_VERSION } from './protocol/version.ts';

interface LabConnection {
  client: LabClient;
  /** Opens device, model and grader; called once. Progress comes as `loading` events. */
  init(device: DeviceChoice): Promise<ReadyReport>;
}

/** @param base the page's own address; the embedded model is below it, wherever the page is served from */
export function connectLab(base: string = document.baseURI, model = 'tiny-coder'): LabConnection {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'lab' });
  const client = new LabClient(startedWorker(worker));
  client.subscribe((event) => {
    if (event.type === 'python-wanted') void openPython(client);
  });
  return {
    client,
    async init(device) {
      const modelUrl = new URL(`models/${model}/`, base).href;
      // The worker fetches and factors the model while the frame opens.
      const { port, opened } = openGraderFrame();
      const ready = client.request('init', { device, modelUrl, appVersion: APP_VERSION }, port);
      const [report] = await Promise.all([ready, opened]);
      return report;
    },
  };
}

/** Opens CPython's frame, which loads 12 MB of Pyodide, only when the worker asks for it. */
async function openPython(client: LabClient): Promise<void> {
  try {
    const { openPyodideFrame } = await import('@projected-grpo-lab/python-sandbox/pyodide-frame.ts');
    const { port, opened } = openPyodideFrame();
    await opened;
    await client.request('python', { failure: null }, port);
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    // If the worker itself is gone, nothing waits for the answer.
    await client.request('python', { failure }).catch(() => {});
  }
}

/** Keeps the screen on while an experiment runs, where the browser supports it. Returns a function that ends it. */
export function keepAwake(client: LabClient): () => void {
  let lock: WakeLockSentinel | null = null;
  let running: string | null = null;
  const refresh = async () => {
    if (running && !lock && document.visibilityState === 'visible') {
      // If the browser refuses (a low battery, an old browser), the screen merely goes dark.
      lock = (await navigator.wakeLock?.request('screen').catch(() => null)) ?? null;
      lock?.addEventListener('release', () => {
        lock = null;
      });
    } else if (!running) await lock?.release();
  };
  const unsubscribe = client.subscribe((event) => {
    if (event.type !== 'experiment') return;
    const { id, status } = event.summary;
    if (status === 'running') running = id;
    else if (running === id) running = null;
    void refresh();
  });
  const onVisible = () => void refresh();
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    unsubscribe();
    document.removeEventListener('visibilitychange', onVisible);
    void lock?.release();
  };
}
