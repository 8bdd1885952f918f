// Tests calls over a port in both directions: answers, errors, one-way calls, and values that cannot be cloned.
import { afterEach, expect, it } from 'vitest';
import { type ErrorForms, openRpc } from './rpc.ts';

const ERRORS: ErrorForms = {
  write: (error) => (error as Error).message,
  read: (written) => new Error(`from afar: ${written}`),
};

const server = {
  add: (a: number, b: number) => a + b,
  fail: (): number => {
    throw new Error('no');
  },
  uncloneable: () => () => 1,
  async through(port: MessagePort) {
    return new Promise<unknown>((resolve) => {
      port.onmessage = ({ data }) => {
        port.close();
        resolve(data);
      };
    });
  },
};

let close = () => {};
afterEach(() => close());

function pair() {
  const { port1, port2 } = new MessageChannel();
  close = () => port1.close();
  const heard: string[] = [];
  const host = openRpc<{ note(line: string): void }>(port2, server, ERRORS);
  const client = openRpc<typeof server>(port1, { note: (line: string) => void heard.push(line) }, ERRORS);
  return { host, client, heard };
}

it('answers calls, and rejects with the other side’s error', async () => {
  const { client } = pair();
  expect(await client.call('add', 1, 2)).toBe(3);
  await expect(client.call('fail')).rejects.toThrow('from afar: no');
  await expect((client.call as (name: string) => Promise<unknown>)('toString')).rejects.toThrow('no method toString');
});

it('rejects values that cannot be cloned, in arguments and results', async () => {
  const { client } = pair();
  await expect(client.call('add', 1, (() => 2) as never)).rejects.toThrow(/cloned/);
  await expect(client.call('uncloneable')).rejects.toThrow(/from afar: .*cloned/);
  expect(await client.call('add', 2, 2)).toBe(4);
});

it('handles one-way calls in order with other calls', async () => {
  const { host, client, heard } = pair();
  host.tell('note', 'one');
  host.tell('note', 'two');
  expect(await client.call('add', 1, 1)).toBe(2);
  expect(heard).toEqual(['one', 'two']);
});

it('transfers a port among the arguments', async () => {
  const { client } = pair();
  const { port1, port2 } = new MessageChannel();
  const received = client.call('through', port2);
  port1.postMessage('hello');
  expect(await received).toBe('hello');
});

it('fails pending and later calls', async () => {
  const { client } = pair();
  const waiting = client.call('through', new MessageChannel().port1);
  client.fail(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(client.call('add', 1, 1)).rejects.toThrow('gone');
});
