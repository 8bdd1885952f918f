// Explained in browser-frame.ts.
addEventListener('message', async function open(event) {
  if (event.source !== parent) return;
  removeEventListener('message', open);
  // Firefox isolates this frame with the page: it has no use for memory that others see.
  delete globalThis.SharedArrayBuffer;
  delete WebAssembly.Memory;
  const port = event.ports[0];
  try {
    const { wasm, assets, workerSource } = event.data;
    const url = `data:text/javascript;charset=utf-8,${encodeURIComponent(workerSource)}`;
    const module = await WebAssembly.compile(wasm);
    const workers = new Map();
    // Where later workers start from: made by the first one before it ran a program, and kept inside the frame.
    let boot;
    const send = (message) => port.postMessage(message);
    port.onmessage = ({ data }) => {
      if (data.kind === 'spawn') {
        const worker = new Worker(url);
        workers.set(data.worker, worker);
        worker.onmessage = (reply) => {
          if (reply.data.kind === 'ready') boot ??= reply.data.boot;
          const message = reply.data.kind === 'ready' ? { kind: 'ready' } : reply.data;
          send({ kind: 'message', worker: data.worker, message });
        };
        worker.onerror = (error) => send({ kind: 'died', worker: data.worker, reason: error.message });
        const parts = boot === undefined ? assets : { ...assets, boot };
        worker.postMessage({ kind: 'init', module, limits: data.limits, assets: parts });
      } else if (data.kind === 'post') workers.get(data.worker)?.postMessage(data.message);
      else {
        workers.get(data.worker)?.terminate();
        workers.delete(data.worker);
      }
    };
    parent.postMessage('open', '*');
  } catch (error) {
    parent.postMessage(String(error), '*');
  }
});
