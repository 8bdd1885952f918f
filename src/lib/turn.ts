/** Waits one turn of the event loop, so that messages come in. It uses a message, not a timer: browsers delay nested timers by 4 ms, and
 *  slow those of a hidden tab. */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
