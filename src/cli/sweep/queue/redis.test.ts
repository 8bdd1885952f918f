// Jobs that a worker takes from a queue, and those that it refuses. The queue itself, on a real server: scripts/tool/sweep-redis.test.mjs.
import { describe, expect, it } from 'vitest';
import { resolveRun } from '../../../experiments/config/spec.ts';
import { runKey } from '../../../experiments/runs/key.ts';
import { connect, jobIdOf, type QueuedRun, QueueError, readQueued } from './redis.ts';

const spec = resolveRun(
  { schema: 1, preset: 'smoke', arms: ['none'], seeds: [41], overrides: {}, device: 'cpu' },
  'none',
  41,
);
const run: QueuedRun = { key: runKey(spec), spec, device: 'cpu', code: null };

describe('a job', () => {
  it('is the run that its id says, kept as it was written', () => {
    const sent = JSON.parse(JSON.stringify(run));
    expect(JSON.stringify(readQueued(sent, jobIdOf(run)))).toBe(JSON.stringify(run));
    expect(jobIdOf({ ...run, device: 'webgpu' })).not.toBe(jobIdOf(run));
    expect(jobIdOf({ ...run, code: '0123456789abcdef' })).not.toBe(jobIdOf(run));
  });

  it.each([
    ['of another id', run, 'f'.repeat(32)],
    ['whose key is not its spec’s', { ...run, spec: { ...spec, lr: 0.5 } }, jobIdOf(run)],
    ['with an option out of bounds', { ...run, spec: { ...spec, lr: -1 } }, jobIdOf(run)],
    ['with no spec', { key: run.key, device: 'cpu' }, jobIdOf(run)],
    ['that is nothing', null, jobIdOf(run)],
  ])('%s is refused', (_, data, id) => {
    expect(() => readQueued(data, id)).toThrow(QueueError);
  });
});

it('what is no address of a Redis is refused before anything is asked', async () => {
  await expect(connect('http://me:secret@example.org', () => {})).rejects.toThrow(
    /^http:\/\/example\.org is no address/,
  );
  await expect(connect('nowhere', () => {})).rejects.toThrow(QueueError);
});
