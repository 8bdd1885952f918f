// Tests that Dawn's polls are distinguished from other callbacks, and that only later ones are delayed.
import { expect, it } from 'vitest';
import { pausing } from './dawn-polls.node.ts';

/** A function as addons make them: native, without a name. */
const native = Function.prototype as unknown as () => void;

function loop() {
  const queue: (() => void)[] = [];
  const paused: number[] = [];
  const schedule = pausing(
    (callback, ...args) => void queue.push(() => callback(...args)),
    (ms) => void paused.push(ms),
  );
  return { queue, paused, schedule };
}

it('pauses before repeated polls, but not at the start of a wait', () => {
  const { queue, paused, schedule } = loop();
  let left = 20;
  // This function reschedules itself, as Dawn does, and looks like native code.
  const ask = Object.defineProperty(
    () => {
      if (left-- > 0) schedule(ask);
    },
    'name',
    { value: '' },
  );
  Object.defineProperty(ask, 'toString', { value: () => String(native) });
  schedule(ask);
  while (queue.length > 0) queue.shift()!();
  expect(left).toBe(-1);
  expect(paused).toHaveLength(12);
  paused.length = 0;
  left = 5;
  schedule(ask);
  while (queue.length > 0) queue.shift()!();
  expect(paused).toEqual([]);
});

it('leaves other callbacks unchanged, in arguments and timing', () => {
  const { queue, paused, schedule } = loop();
  const seen: unknown[] = [];
  const tell = (...args: unknown[]) => {
    seen.push(args);
    if (seen.length < 30) schedule(tell, seen.length);
  };
  schedule(tell, 'a', 'b');
  const anonymous = [() => void seen.push('c')][0];
  schedule(anonymous);
  while (queue.length > 0) queue.shift()!();
  expect(seen).toHaveLength(30);
  expect(seen.slice(0, 2)).toEqual([['a', 'b'], 'c']);
  expect(paused).toEqual([]);
});
