import { expect, it } from 'vitest';
import { isGzip, readUpTo } from './streams.ts';

const streamOf = (...parts: string[]) => new Blob(parts).stream();

it('is read completely, and stopped at the first byte beyond the limit', async () => {
  expect(new TextDecoder().decode(await readUpTo(streamOf('one', 'two'), 6))).toBe('onetwo');
  await expect(readUpTo(streamOf('one', 'two'), 5)).rejects.toThrow(new RangeError('more than 5 bytes'));
  const bomb = new Blob(['0'.repeat(1e6)]).stream().pipeThrough(new CompressionStream('gzip'));
  const packed = await readUpTo(bomb, 5000);
  expect(isGzip(packed)).toBe(true);
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  await expect(readUpTo(unpacked, 5000)).rejects.toThrow(RangeError);
});
