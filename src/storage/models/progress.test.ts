// Tests progress, waits and hashes with given clocks, dates and values.

import { retryAfter } from '@projected-grpo-lab/base/http.ts';
import { describe, expect, it } from 'vitest';
import { bytesText } from '../../lib/numbers.ts';
import { gitBlobSha1, hashInParts } from './hash.ts';
import { type ModelProgress, ProgressMeter } from './progress.ts';

describe('progress', () => {
  it('reports the speed over the last seconds, and the time left', () => {
    let clock = 0;
    const reports: ModelProgress[] = [];
    const meter = new ProgressMeter(
      () => clock,
      (progress) => reports.push(progress),
    );
    meter.start('a', 1000, 20_000);
    expect(reports.at(-1)).toEqual({ what: 'a', done: 1000, total: 20_000, bytesPerSecond: null, etaSeconds: null });
    for (let second = 1; second <= 10; second++) {
      clock = 1000 * second;
      meter.add(1000);
    }
    // Bytes that were stored at the start do not count for the speed.
    expect(reports.at(-1)).toEqual({ what: 'a', done: 11_000, total: 20_000, bytesPerSecond: 1000, etaSeconds: 9 });
    for (let second = 11; second <= 16; second++) {
      clock = 1000 * second;
      meter.add(500);
    }
    expect(reports.at(-1)).toMatchObject({ done: 14_000, bytesPerSecond: 500, etaSeconds: 12 });
    meter.add(-14_000);
    expect(reports.at(-1)!.done).toBe(14_000);
    clock += 1000;
    meter.add(20_000);
    expect(reports.at(-1)).toMatchObject({ done: 20_000, etaSeconds: 0 });
  });

  it('is reported a few times per second, and always at the end', () => {
    let clock = 0;
    const reports: number[] = [];
    const meter = new ProgressMeter(
      () => clock,
      ({ done }) => reports.push(done),
    );
    meter.start('a', 0, 1000);
    for (let i = 0; i < 1000; i++) {
      clock += 1;
      meter.add(1);
    }
    expect(reports).toEqual([0, 250, 500, 750, 1000]);
  });
});

describe('numbers', () => {
  it('names bytes as the Hub does', () => {
    expect([0, 999, 1000, 999_999, 1_234_567, 1.5e9, 2e15].map(bytesText)).toEqual([
      ...['0 B', '999 B', '1.00 kB', '1.00 MB', '1.23 MB', '1.50 GB', '2000 TB'],
    ]);
  });

  it('reads a server’s requested wait: seconds, a date, or the Hub’s own header', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const wait = (headers: Record<string, string>) => retryAfter(new Headers(headers), now);
    expect(wait({ 'Retry-After': '7' })).toBe(7000);
    expect(wait({ 'Retry-After': 'Thu, 01 Jan 2026 00:00:30 GMT' })).toBe(30_000);
    expect(wait({ 'Retry-After': 'Wed, 31 Dec 2025 00:00:30 GMT' })).toBe(0);
    expect(wait({ 'Retry-After': 'soon' })).toBeNull();
    expect(wait({ RateLimit: '"resolvers";r=0;t=55' })).toBe(55_000);
    expect(wait({ RateLimit: '"api";r=3', 'RateLimit-Policy': 'x;t=1' })).toBeNull();
    expect(wait({})).toBeNull();
  });

  it('hashes a file as sha256sum and git do', async () => {
    // Expected values are from `printf 'hello\n' | git hash-object --stdin`, and from sha256sum.
    const hello = new Blob(['hello\n']);
    expect(await gitBlobSha1(hello)).toBe('ce013625030ba8dba906f756967f9e9ca394464a');
    expect(await gitBlobSha1(new Blob([]))).toBe('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391');
    expect(await hashInParts(hello)).toBe('5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03');
    const parts: number[] = [];
    await hashInParts(new Blob([new Uint8Array(9 * 2 ** 20)]), { onPart: (bytes) => parts.push(bytes) });
    expect(parts).toEqual([4 * 2 ** 20, 4 * 2 ** 20, 2 ** 20]);
  });
});
