// Entry of a run worker (work/page-worker.ts). Its first message has the address of the lab's own models.
import { browserThreads } from '../kernels/cpu/threads/browser-threads.ts';
import { workerScope } from '../lib/rpc.ts';
import { fetchSource, OWN_MODEL_FILES, onlyOf } from '../storage/sources.ts';
import { servePageWorker } from './work/page-worker.ts';

const scope = workerScope();
scope.onmessage = ({ data: models }: MessageEvent<string>) =>
  servePageWorker(scope, {
    files: (modelId) => onlyOf(fetchSource(new URL(`${modelId}/`, models).href), OWN_MODEL_FILES),
    threads: (count, atFirst) => browserThreads(count, atFirst),
  });
