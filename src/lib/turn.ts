/** Waits one turn of the event loop, so that messages are received. It uses a message instead of a timer, since browsers delay nested
 *  timers by 4 ms and throttle those of hidden tabs. */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
