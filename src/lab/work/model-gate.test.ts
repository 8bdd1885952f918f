// Tests that the page's own measurement yields to whatever the user requests from the model, and is repeated afterwards.
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { ModelGate } from './model-gate.ts';

function gateOf(isBusy = () => false) {
  const log: string[] = [];
  const gate = new ModelGate(async () => ({
    session: {
      get isBusy() {
        return isBusy();
      },
      quiet: async () => {},
      between: (work, signal) => work(signal),
    },
  }));
  let rounds = 0;
  /** A measurement that ends in its second round; the first lasts until it is interrupted. */
  const measured = () =>
    gate.measurement(async (signal) => {
      rounds++;
      log.push(`measures ${rounds}`);
      if (rounds === 1)
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
      return rounds;
    });
  const said = (what: string) => async () => {
    log.push(what);
    return what;
  };
  const begun = async () => {
    while (rounds === 0) await Promise.resolve();
  };
  return { gate, log, measured, said, begun };
}

describe('a measurement of the page', () => {
  it.each(['task', 'answer', 'first'] as const)('yields to a request (%s), and is repeated after it', async (kind) => {
    const { gate, log, measured, said, begun } = gateOf();
    const measuring = measured();
    await begun();
    const work = said('asked');
    expect(await (kind === 'first' ? gate.first(work) : gate[kind]('mine', work))).toBe('asked');
    expect(await measuring).toBe(2);
    expect(log).toEqual(['measures 1', 'asked', 'measures 2']);
  });

  it('waits for earlier requests, refuses nothing meanwhile, and cannot be stopped by a name', async () => {
    const { gate, log, measured, begun } = gateOf();
    let end = () => {};
    const asked = gate.task('mine', () => new Promise<void>((resolve) => (end = resolve)));
    const measuring = measured();
    await expect(gate.task('other', async () => {})).rejects.toBeInstanceOf(SpecError);
    expect(log).toEqual([]);
    end();
    await asked;
    await begun();
    expect(gate.stop('')).toBe(false);
    await gate.task('next', async () => {});
    expect(await measuring).toBe(2);
  });

  it('runs one at a time, and never during an experiment', async () => {
    const { gate, log, said } = gateOf();
    await Promise.all([gate.measurement(said('a')), gate.measurement(said('b'))]);
    expect(log).toEqual(['a', 'b']);
    expect(await gateOf(() => true).gate.measurement(async () => 1)).toBeNull();
    await expect(
      gate.measurement(async () => {
        throw new StoppedError();
      }),
    ).rejects.toBeInstanceOf(StoppedError);
  });
});
