// Requests graph layouts from a separate worker, which starts with the first request and then stays alive.
import type { Layout, LayoutRequest } from './graph-layout.ts';

let worker: Worker | null = null;
const waiting: { resolve: (layout: Layout) => void; reject: (error: Error) => void }[] = [];

export function layoutOf(request: LayoutRequest): Promise<Layout> {
  worker ??= startLayoutWorker();
  return new Promise((resolve, reject) => {
    waiting.push({ resolve, reject });
    worker?.postMessage(request);
  });
}

function startLayoutWorker(): Worker {
  const made = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module', name: 'layout' });
  made.onmessage = ({ data }: MessageEvent<Layout>) => waiting.shift()?.resolve(data);
  made.onerror = ({ message }) => {
    worker = null;
    for (const { reject } of waiting.splice(0)) reject(new Error(message || 'The layout could not be computed.'));
  };
  return made;
}
