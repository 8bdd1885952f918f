// What a relay listens to, and whom it believes.
import { describe, expect, it } from 'vitest';
import { parseExperimentSpec, resolveRun } from '../../config/spec.ts';
import { recordOf } from '../../testing/study-runs.ts';
import { Ledger } from './checks.ts';
import { MOST, readFromWorker, readWorkLink, writeWorkLink } from './messages.ts';

const RECORD = recordOf(resolveRun(parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41] }), 'none', 41));
const ID = (n: number) => String(n).padStart(32, '0');
const GPU = 'WebGPU: some';

describe('what comes over the socket', () => {
  const take = { type: 'take', app: '1', devices: ['cpu'] };
  it('is one of four messages', () => {
    expect(readFromWorker(JSON.stringify(take))).toEqual(take);
    expect(readFromWorker(JSON.stringify({ type: 'at', id: ID(1), step: 3, reward: null }))).not.toBeNull();
    expect(readFromWorker(JSON.stringify({ type: 'release', id: `check.1.${ID(1)}` }))).not.toBeNull();
  });

  it('is a record as it was sent, to the byte', () => {
    const done = JSON.stringify({ type: 'done', id: ID(1), record: RECORD });
    expect(JSON.stringify(readFromWorker(done))).toBe(done);
  });

  it.each([
    [
      'a record that holds more than records do',
      JSON.stringify({ type: 'done', id: ID(1), record: { ...RECORD, more: 1 } }),
    ],
    ['no JSON', '{'],
    ['another message', JSON.stringify({ type: 'eval', code: '1' })],
    ['a member too many', JSON.stringify({ ...take, shell: 'x' })],
    ['an id that is a path', JSON.stringify({ type: 'release', id: '../../etc/passwd' })],
    ['an id that is a key of the server', JSON.stringify({ type: 'release', id: 'lab-sweep:done' })],
    ['a step that is none', JSON.stringify({ type: 'at', id: ID(1), step: 1e99 })],
    ['no record', JSON.stringify({ type: 'done', id: ID(1), record: { rows: [] } })],
    ['no device', JSON.stringify({ ...take, devices: [] })],
    ['depth', '['.repeat(100_000)],
    ['a prototype', '{"__proto__":{"type":"take"},"app":"1","devices":["cpu"]}'],
    ['a long sign of life', JSON.stringify({ type: 'at', id: ID(1), step: 1, figures: { ['x'.repeat(MOST.at)]: 1 } })],
    ['a long error', JSON.stringify({ type: 'release', id: ID(1), error: 'x'.repeat(MOST.release) })],
    ['an endless one', `"${'x'.repeat(MOST.done)}"`],
  ])('%s is nothing', (_, data) => {
    expect(readFromWorker(data)).toBeNull();
  });
});

describe('a work link', () => {
  const link = { relay: 'wss://lab.example:8443/', token: 'a'.repeat(43) };
  it('is read as it was written, and its token is behind the #', () => {
    expect(writeWorkLink(link)).toMatch(/^#work=/);
    expect(readWorkLink(writeWorkLink(link))).toEqual(link);
  });
  it.each([
    '',
    `#work=https%3A%2F%2Fx&token=${link.token}`,
    '#work=ws%3A%2F%2Fx',
    `#work=ws%3A%2F%2Fa%3Ab%40x&token=${link.token}`,
  ])('%s is none', (hash) => expect(readWorkLink(hash)).toBeNull());
});

describe('who is believed', () => {
  const last = () => 0.999;
  it('holds the first run until somebody else has made it, then batches until one of each is', () => {
    const ledger = new Ledger(3, last);
    expect(ledger.claim(ID(1), 'ann', 'x1', 'CPU').checks).toEqual([ID(1)]);
    expect(ledger.mayCheck(ID(1), 'ann')).toBe(false);
    expect(ledger.opinion(ID(1), { worker: null, digest: 'x1', device: 'CPU' }).counts).toEqual([ID(1)]);
    expect(ledger.claim(ID(2), 'ann', 'x2', 'CPU').checks).toEqual([]);
    expect(ledger.claim(ID(3), 'ann', 'x3', 'CPU').checks).toEqual([]);
    expect(ledger.claim(ID(4), 'ann', 'x4', 'CPU').checks).toEqual([ID(4)]);
    expect(ledger.opinion(ID(4), { worker: null, digest: 'x4', device: 'CPU' }).counts).toEqual([ID(2), ID(3), ID(4)]);
    ledger.claim(ID(5), 'ann', 'x5', 'CPU');
    expect(ledger.get(ID(5))?.state).toBe('held');
    expect(ledger.close('ann').checks).toEqual([ID(5)]);
    expect(ledger.close('ann').checks).toEqual([]);
  });

  it('names who lied, and drops all that it ever said', () => {
    const ledger = new Ledger(2, last);
    ledger.claim(ID(1), 'eve', 'x1', 'CPU');
    ledger.opinion(ID(1), { worker: null, digest: 'x1', device: 'CPU' });
    ledger.claim(ID(2), 'eve', 'x2', 'CPU');
    ledger.claim(ID(3), 'eve', 'lie', 'CPU');
    const verdict = ledger.opinion(ID(3), { worker: null, digest: 'x3', device: 'CPU' });
    expect(verdict).toMatchObject({ liars: [{ worker: 'eve' }], counts: [], dropped: [ID(1), ID(2), ID(3)] });
    expect(verdict.liars[0].why).toContain('it said lie, and others made x3');
    // Nothing more is taken from it.
    ledger.claim(ID(4), 'eve', 'x4', 'CPU');
    expect(ledger.get(ID(4))).toBeUndefined();
  });

  it('lets a third decide between two that are not trusted, and drops a checker that lied', () => {
    const ledger = new Ledger(2, last);
    ledger.claim(ID(1), 'ann', 'x1', GPU);
    const doubt = ledger.opinion(ID(1), { worker: 'eve', digest: 'lie', device: GPU });
    expect(doubt).toMatchObject({ counts: [], liars: [], checks: [ID(1)] });
    expect([ledger.mayCheck(ID(1), 'eve'), ledger.mayCheck(ID(1), 'bob')]).toEqual([false, true]);
    const verdict = ledger.opinion(ID(1), { worker: 'bob', digest: 'x1', device: GPU });
    expect(verdict).toMatchObject({ counts: [ID(1)], liars: [{ worker: 'eve' }] });
  });

  it('compares one kind of device with no other', () => {
    const ledger = new Ledger(2, last);
    ledger.claim(ID(1), 'ann', 'x1', GPU);
    expect(ledger.opinion(ID(1), { worker: null, digest: 'y', device: 'CPU' })).toMatchObject({
      counts: [],
      liars: [],
      checks: [ID(1)],
    });
  });

  it('asks again what a liar alone has vouched for', () => {
    const ledger = new Ledger(2, last);
    ledger.claim(ID(1), 'ann', 'x1', GPU);
    ledger.opinion(ID(1), { worker: 'eve', digest: 'lie', device: GPU });
    expect(ledger.accuse('eve', 'its own run was another').checks).toEqual([ID(1)]);
  });
});
