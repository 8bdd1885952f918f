// Tests the form in the page's address: what is written and when, and what is preserved.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LoadedExperiment } from '../../lab/protocol/experiments.ts';
import { encodeSpec } from '../../share/spec-link.ts';
import { decodeSpec, encodePlan } from '../../share/url.ts';
import { fakeLab, lists, state } from '../testing/fake-lab.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const realSetTimeout = setTimeout;
/** Waits until typing has paused and the packing, which fake timers do not control, is finished. */
async function rest(until: () => boolean = () => true): Promise<void> {
  await vi.advanceTimersByTimeAsync(1000);
  do await new Promise((resolve) => realSetTimeout(resolve, 10));
  while (!until());
}

describe('the address', () => {
  it('contains the choices as a difference from the preset, and fills the form again', async () => {
    const fake = fakeLab(lists);
    await fake.lab.boot('', false);
    fake.lab.choosePreset('smoke');
    fake.lab.setField('steps', '4');
    fake.lab.toggleArm('erase');
    await rest(() => fake.addresses.length > 0);
    expect(fake.addresses).toHaveLength(1);
    const [{ hash, environment }] = fake.addresses;
    expect(environment).toBeNull();
    const spec = state(fake).check.spec!;
    expect(hash).toBe(await encodeSpec(spec));

    const reloaded = fakeLab(lists);
    await reloaded.lab.boot(`#${hash}`, false, environment);
    expect(state(reloaded).check.spec).toEqual(spec);
    expect(state(reloaded).draft).toEqual(state(fake).draft);
    await rest();
    expect(reloaded.addresses).toEqual([]);
    expect(reloaded.lab.formAddress()).toEqual({ hash, environment: null });
  });

  it('names only the environment if the form has its defaults, and is empty for the first environment', async () => {
    const fake = fakeLab(lists);
    await fake.lab.boot('', false, 'chain');
    await rest();
    expect(fake.addresses).toEqual([]);
    expect(fake.lab.formAddress()).toEqual({ hash: '', environment: 'chain' });
    for (const environment of ['lookup', 'one-line-python']) {
      fake.lab.setField('environment', environment);
      await rest();
    }
    expect(fake.addresses).toEqual([
      { hash: '', environment: 'lookup' },
      { hash: '', environment: null },
    ]);
  });

  it('names a question that cannot be run yet, and changes when another question is chosen', async () => {
    const fake = fakeLab(lists);
    await fake.lab.boot('', false);
    for (const environment of ['lookup', 'instructions', 'lookup']) {
      fake.lab.setField('environment', environment);
      await rest();
    }
    fake.lab.setField('environment', 'instructions');
    await rest();
    expect(state(fake).check.spec).toBeNull();
    // A half-typed number of the same question does not change the address.
    fake.lab.setField('steps', '');
    await rest();
    const [lookup, instructions] = ['lookup', 'instructions'].map((environment) => ({ hash: '', environment }));
    expect(fake.addresses).toEqual([lookup, instructions, lookup, instructions]);

    const reloaded = fakeLab(lists);
    await reloaded.lab.boot('', false, 'instructions');
    expect(state(reloaded).draft.fields.environment).toBe('instructions');
    await rest();
    expect(reloaded.addresses).toEqual([]);
  });

  it('preserves its results until the form changes; a half-typed number does not count as a change', async () => {
    const fake = fakeLab(lists);
    const made = { appVersion: '1', modelSha256: null, graderVersion: null };
    const came = await encodePlan({ ...state(fake).check.spec!, preset: 'smoke' }, made);
    await fake.lab.boot(`#${came}`, false);
    fake.lab.setField('steps', '');
    await rest();
    fake.lab.setField('steps', '3');
    await rest();
    expect(fake.addresses).toEqual([]);
    expect(fake.lab.formAddress().hash).toBe(came);
    fake.lab.setField('steps', '5');
    await rest(() => fake.addresses.length > 0);
    expect((await decodeSpec(fake.addresses[0].hash)).overrides).toEqual({ steps: 5 });
    // Results that came with the address are dropped, so that it contains only the form.
    await fake.lab.fillFromAddress(`#${came}`);
    await fake.lab.dismissShared();
    expect(fake.addresses.at(-1)?.hash).toBe(await encodeSpec(state(fake).check.spec!));
  });

  it('contains the settings of a resumed run, and the user’s changes in the form can be restored', async () => {
    const spec = { ...(await decodeSpec(await encodeSpec(state(fakeLab(lists)).check.spec!))), seeds: [7, 8] };
    const record = { id: 'x', spec, status: 'stopped', createdAt: 1, result: null, error: null, runIds: [] };
    const loaded = { record, runs: [] } as unknown as LoadedExperiment;
    const answers = { ...lists, 'kept.load': () => loaded, resume: () => ({ position: 0 }) };
    const fake = fakeLab(answers);
    await fake.lab.boot('', false);
    await fake.lab.resume('x');
    await rest(() => fake.addresses.length > 0);
    expect(state(fake).draft.seeds).toBe('7, 8');
    expect((await decodeSpec(fake.addresses[0].hash)).seeds).toEqual([7, 8]);
    expect(state(fake).notices).toEqual([]);

    const changed = fakeLab(answers);
    await changed.lab.boot('', false);
    changed.lab.setField('steps', '9');
    await changed.lab.resume('x');
    expect(state(changed).draft).toMatchObject({ seeds: '7, 8', fields: { steps: '60' } });
    state(changed).notices[0].action!.run();
    expect(state(changed).draft).toMatchObject({ seeds: '41', fields: { steps: '9' } });
  });
});
