// A worker without a thread: a test lab behind the worker's own handlers, called as the page calls them.
import { fileURLToPath } from 'node:url';
import type { BlobStore } from '../../storage/factor-cache.ts';
import type { Stores } from '../../storage/kv.ts';
import { diskSource } from '../../storage/sources.node.ts';
import type { Ask } from '../client.ts';
import { createHandlers, type LabCalls } from '../handlers/handlers.ts';
import type { ModelSources } from '../models/places.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import { openedLab, type TestLab } from './lab.ts';

export { closeTestLabs as closeTestWorkers } from './lab.ts';

export interface TestWorker extends Pick<TestLab, 'records' | 'equipment' | 'session' | 'until'> {
  ask: Ask;
  /** All emitted events, in order. */
  events: WorkerEvent[];
}

/** The committed embedded teacher. */
const TEACHER_FILES = diskSource(fileURLToPath(new URL('../../../public/models/tiny-hacker', import.meta.url)));

/**
 * Opens it on the CPU device; `stores` may be another worker's, as after a reload. `models` and `factors`: stores of third-party models.
 */
export async function openTestWorker(
  stores?: Stores,
  { models, factors }: { models?: ModelSources; factors?: BlobStore } = {},
): Promise<TestWorker> {
  const lab = await openedLab(stores, undefined, undefined, factors);
  const { records, equipment, session, until, events } = lab;
  const storage = async () => ({ persisted: false, usedBytes: 1, quotaBytes: 2 });
  const handlers = createHandlers({
    async open({ device, appVersion }) {
      const { chosen, model } = await equipment.begin(device);
      const ready = {
        device: chosen.report,
        fusedProblem: null,
        model,
        graderVersion: 'g',
        appVersion,
        storage: await storage(),
      };
      return { parts: { records, equipment, session, teacher: TEACHER_FILES }, ready };
    },
    storage,
    models,
    emit: (event) => void events.push(event),
  });
  const ask: Ask = async (name: keyof LabCalls, ...args: unknown[]) =>
    (handlers[name] as (...args: unknown[]) => Promise<never>)(...args);
  await ask('init', { device: 'cpu', modelUrl: 'http://x/models/m/', appVersion: '9' });
  return { ask, events, records, equipment, session, until };
}
