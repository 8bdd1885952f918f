// Compares the memory plan with the peak that the operating system reports for a process: `generate` on the CPU device in its own process. One
// model is random, and its embedding is most of its weights, so that a copy on the host shows; another is a trained one, if ../shared has it.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QWEN3_06B } from '../../src/engine/testing/qwen3.ts';
import { writeRandomModel } from '../../src/storage/testing/random-model.node.ts';
import { bundleCli } from './bundle.mjs';

const ROOT = resolve('.');
/** A small tokenizer, since V8 decides when to collect the garbage of a large one, which is tens of megabytes either way. */
const TOKENIZER = resolve('public', 'models', 'tiny-coder');
/** The file in which Linux reports a process's own peak. */
const STATUS = '/proc/self/status';
const MINIMIND = resolve('..', 'shared', 'models', 'minimind2-small');
/** Largest allowed ratio of either number to the other. */
const TOLERANCE = 1.15;
/** 235 MB in f32, 199 MB of them the embedding (cut from Qwen's 1,024 columns, so that the test is short). */
const CONFIG = {
  ...QWEN3_06B,
  hiddenSize: 328,
  layers: 2,
  heads: 8,
  kvHeads: 4,
  headDim: 64,
  ffn: 1024,
  maxPositions: 512,
};

let folder = '';
let bundle = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'peak-memory-'));
  await writeRandomModel(folder, CONFIG, { tokenizer: TOKENIZER });
  bundle = await bundleCli();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A module that prints the process's peak in kB at its end. maxRSS would not do: a forked process inherits it from this one. */
const HOOK = `data:text/javascript,
import { readFileSync } from 'node:fs';
process.on('exit', () => process._rawDebug(/VmHWM:.*/.exec(readFileSync('/proc/self/status', 'utf8'))[0]));`;

/** Returns the planned and the used bytes. */
async function measure(model, storage, threads) {
  const device = ['--device', 'cpu', '--threads', String(threads)];
  const flags = ['--model', model, ...device, '--storage', storage, '--prompt', 'Hello', '--max-new', '4'];
  const child = spawn(process.execPath, ['--import', HOOK.replaceAll('\n', ' '), bundle, 'generate', ...flags], {
    env: { ...process.env, LAB_ROOT: ROOT },
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  child.stdout.resume();
  const code = await new Promise((done) => child.on('close', done));
  expect(code, said).toBe(0);
  const [, size, unit] = /the process peaks at about ([\d.]+) ([MG]B)/.exec(said) ?? [];
  const planned = Number(size) * (unit === 'GB' ? 1e9 : 1e6);
  return { planned, taken: 1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(said)?.[1]) };
}

describe.each([
  { name: 'a random model of 235 MB', model: () => folder, isThere: true },
  { name: 'minimind2-small', model: () => MINIMIND, isThere: existsSync(MINIMIND) },
])('the peak of a process with $name', ({ name, model, isThere }) => {
  // A thread has its own V8 isolate, whose garbage varies by several megabytes, so threads are tested only on the larger process.
  const helped = name.startsWith('a random') ? [['f32', 2]] : [];
  for (const [storage, threads] of [...['f32', 'f16', 'q8', 'q8t16'].map((storage) => [storage, 1]), ...helped])
    it(`${storage}, threads ${threads}: is what was planned, within 15%`, { timeout: 120_000 }, async ({ skip }) => {
      if (!existsSync(STATUS)) return skip(`${STATUS} is not here`);
      if (!isThere) return skip('../shared/models is missing');
      const { planned, taken } = await measure(model(), storage, threads);
      expect(taken / planned).toBeLessThan(TOLERANCE);
      expect(planned / taken).toBeLessThan(TOLERANCE);
    });
});
