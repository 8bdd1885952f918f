import { describe, expect, it } from 'vitest';
import { callCommand } from '../testing/call.ts';
import { plan } from './plan.ts';

describe('lab plan', () => {
  it('prints the parts, their sum and the calls of a token', async () => {
    const { code, text } = await callCommand(plan, ['--shape', 'qwen3-0.6b']);
    expect(code).toBe(0);
    expect(text).toContain('qwen3-0.6b, svd, weights in f16: 1 × 8 answers of 512 tokens after 256');
    expect(text).toMatch(/in all +5\.77 GB/);
    expect(text).toContain('Kernel calls of a decoded token: 200.');
  });

  it('plans a LoRA beside the weights, as it is told or where nothing else fits', async () => {
    const argv = ['--shape', 'qwen3-0.6b', '--adapter', 'lora', '--storage', 'q8g32'];
    const { text } = await callCommand(plan, [...argv, '--form', 'unfolded']);
    expect(text).toContain('qwen3-0.6b, lora 32 beside the weights, weights in q8g32');
    const { code, text: tight } = await callCommand(plan, [...argv, '--memory', '2.6']);
    expect(code).toBe(0);
    expect(tight).toContain('Kernel calls of a decoded token: 480.');
    await expect(
      callCommand(plan, ['--shape', 'qwen3-0.6b', '--adapter', 'full', '--form', 'unfolded']),
    ).rejects.toThrow('full is always folded');
  });

  it('counts keys and values in f16 as half, and offers them where that alone makes a step fit', async () => {
    const argv = ['--shape', 'qwen3-0.6b', '--adapter', 'lora', '--storage', 'f32', '--form', 'folded'];
    const needOf = async (...more: string[]) =>
      JSON.parse((await callCommand(plan, [...argv, '--json', ...more])).text).need;
    const [whole, half] = [await needOf(), await needOf('--kv-cache', 'f16')];
    expect(half.keyValues).toBe(whole.keyValues / 2);
    expect(half.total).toBe(whole.total - half.keyValues);
    const { code, text } = await callCommand(plan, [...argv, '--memory', '6.5']);
    expect(code).toBe(1);
    expect(text).toContain('--kv-cache f16 (f32): 6.26 GB');
    const fitting = await callCommand(plan, [...argv, '--memory', '6.5', '--kv-cache', 'f16']);
    expect(fitting.code).toBe(0);
    expect(fitting.text).toContain('weights in f32, keys and values in f16: ');
  });

  it('reads a folder’s config alone, on the CPU as on a GPU', async () => {
    const { code, text } = await callCommand(plan, [
      'public/models/tiny-coder',
      '--device',
      'cpu',
      '--max-new',
      '64',
      '--json',
    ]);
    expect(code).toBe(0);
    const made = JSON.parse(text);
    const { total, largest, ...parts } = made.need;
    expect(Object.values<number>(parts).reduce((sum, bytes) => sum + bytes, 0)).toBe(total);
    expect(largest).toBeLessThan(total);
  });

  it('ends with 1 where it does not fit, and says which change would', async () => {
    const { code, text } = await callCommand(plan, ['--shape', 'qwen3-0.6b', '--memory', '3']);
    expect(code).toBe(1);
    expect(text).toContain('It does not fit into 3.00 GB.');
    expect(text).toMatch(/Each of these alone makes it fit:\n {2}--adapter lora \([\w, ]+\): /);
  });

  it.each([
    [[], 'Name a model’s folder or a --shape'],
    [['public/models/tiny-coder', '--shape', 'qwen3-4b'], 'one of the two'],
    [['--shape', 'qwen3-4b', '--prompt', '40000', '--max-new', '2000'], 'are 42000, and the model has 40960 positions'],
    [['no-such-folder'], 'has no config.json'],
  ])('refuses %j', async (argv, message) => {
    const error = await callCommand(plan, argv).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toContain(message);
  });
});
