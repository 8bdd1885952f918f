// Starts the document converter in the page or in one of its workers.
import type { FromConverter } from './convert.ts';
import type { StartConverter } from './converter.ts';

export const startBrowserConverter: StartConverter = () => {
  const worker = new Worker(new URL('./converter-worker.ts', import.meta.url), { type: 'module', name: 'documents' });
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (take) => {
      worker.onmessage = ({ data }: MessageEvent<FromConverter>) => take(data);
    },
    onDied: (died) => {
      worker.onerror = died;
    },
    terminate: () => worker.terminate(),
  };
};
