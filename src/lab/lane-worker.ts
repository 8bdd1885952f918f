// The entry of a lane's worker (work/lane.ts). Its first message brings the place where the lab's own models lie.
import { browserThreads } from '../kernels/cpu/threads/browser-threads.ts';
import type { RpcPort } from '../lib/rpc.ts';
import { fetchSource } from '../storage/sources.ts';
import { serveLane } from './work/lane.ts';

// tsconfig's DOM types know a window's scope only; this is what a worker's has of it.
const scope = self as unknown as RpcPort;
scope.onmessage = ({ data: models }: MessageEvent<string>) =>
  serveLane(scope, {
    files: (modelId) => fetchSource(new URL(`${modelId}/`, models).href),
    threads: (count, atFirst) => browserThreads(count, atFirst),
  });
