// The sandboxed frame's only script (browser-frame.ts). Plain JavaScript, and taken as text: its hash stands in the page's
// policy, which the frame inherits (scripts/tool/policy.mjs), so no build may change a character of it.
// It relays: the page gives it, once, a port, the interpreter's bytes and the script of its workers; from then on the port says
// which workers to start, to talk to and to end. Until that message nothing of it answers, and only the page can send it:
// another frame or window that reaches this one must not become the one that decides what is run here.
addEventListener('message', async function open(event) {
  if (event.source !== parent) return;
  removeEventListener('message', open);
  // Firefox isolates this frame with the page: it has no use for memory that others see.
  delete globalThis.SharedArrayBuffer;
  delete WebAssembly.Memory;
  const port = event.ports[0];
  try {
    const { wasm, assets, workerSource } = event.data;
    // Not a blob: WebKit refuses those to an opaque origin under an embedder policy. A worker from a data: address has an opaque
    // origin of its own besides, and is never cross-origin isolated.
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
