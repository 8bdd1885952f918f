import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { expect, it } from 'vitest';
import { openWorkers } from './worker.ts';

it('opens nothing for an owner that has already stopped, and closes what it started', async () => {
  const { port1, port2 } = new MessageChannel();
  let closed = 0;
  const close = () => {
    closed++;
    port1.close();
    port2.close();
  };
  const errors = { write: String, read: (written: unknown) => new Error(String(written)) };
  const ports = { opening: {}, errors, served: {}, signal: AbortSignal.abort(), cores: 1 };
  await expect(openWorkers([{ port: port1, onEnd() {}, close }], ports)).rejects.toThrow(StoppedError);
  expect(closed).toBe(1);
});
