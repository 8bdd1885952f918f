// Calls the worker that has the stores, and can end it in the middle of its work, as a crashed tab would.
import type { Calls } from './opfs-worker.ts';

type Outcome<T> =
  | { result: T; error?: undefined }
  | { result?: undefined; error: { message: string; remedy?: string } };

declare global {
  interface Window {
    opfsPage?: {
      call<K extends keyof Calls>(
        name: K,
        ...args: Parameters<Calls[K]>
      ): Promise<Outcome<Awaited<ReturnType<Calls[K]>>>>;
      restart(): void;
    };
  }
}

const start = () => new Worker(new URL('./opfs-worker.ts', import.meta.url), { type: 'module' });
let worker = start();
let next = 0;

window.opfsPage = {
  call: (name, ...args) =>
    new Promise((resolve) => {
      const id = next++;
      const listen = ({ data }: MessageEvent) => {
        if (data.id !== id) return;
        worker.removeEventListener('message', listen);
        resolve(data);
      };
      worker.addEventListener('message', listen);
      worker.postMessage({ id, name, args });
    }),
  restart: () => {
    worker.terminate();
    worker = start();
  },
};
