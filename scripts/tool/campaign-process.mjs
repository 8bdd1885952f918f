// Tools of every part of the campaign: the command line as a process that can be killed, and the comparison of two folders file by file.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { deserialize } from 'node:v8';
import { at } from './project.mjs';

const LIMIT_MS = 15 * 60_000;
/** Characters kept of the end of stdout and of stderr. */
const KEPT_OUTPUT = 20_000;

/** Returns a generator of numbers in [0, 1) (mulberry32). The same seed gives the same numbers, so kills can be repeated. */
export function draws(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Runs the bundled command line. `kill` = { afterMs, onPart, folder, ending } sends SIGKILL after `afterMs` milliseconds, or earlier: when the
 * `onPart`-th unfinished file of `folder` appears, or at the `onPart`-th change of a file with the given `ending`.
 */
export function command(bundle, args, kill = null) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const env = { ...process.env, LAB_ROOT: at() };
    const child = spawn(process.execPath, [bundle, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    let inWrite = false;
    child.stdout.on('data', (chunk) => (stdout = (stdout + chunk).slice(-KEPT_OUTPUT)));
    child.stderr.on('data', (chunk) => (stderr = (stderr + chunk).slice(-KEPT_OUTPUT)));
    const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    const timer = kill ? setTimeout(() => child.kill('SIGKILL'), kill.afterMs) : null;
    let parts = 0;
    const watcher =
      kill?.onPart && existsSync(kill.folder)
        ? watch(kill.folder, { recursive: true }, (_, name) => {
            if (!name?.endsWith(kill.ending ?? '.part') || ++parts !== kill.onPart) return;
            inWrite = child.kill('SIGKILL');
          })
        : null;
    // The folder may be deleted while it is watched, which is no failure.
    watcher?.on('error', () => {});
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      clearTimeout(timer);
      watcher?.close();
      const seconds = (performance.now() - started) / 1000;
      resolve({ code, killed: signal === 'SIGKILL', inWrite, stdout, stderr, seconds });
    });
  });
}

/** Files below a folder, by path. */
export function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
}

const MAGIC = 'lab-sealed 1 ';
const HEADER = MAGIC.length + 64 + 1 + 15 + 1;
/** Fields that may differ between two equal runs: when it ran and how long it took, and the hash over these. */
const CLOCK = new Set(['createdAt', 'timings', 'seconds', 'sha256']);

function withoutClock(value) {
  if (Array.isArray(value)) return value.map(withoutClock);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !CLOCK.has(key))
      .map(([key, part]) => [key, withoutClock(part)]),
  );
}

function contents(path) {
  const bytes = readFileSync(path);
  if (bytes.subarray(0, MAGIC.length).toString('latin1') === MAGIC)
    return withoutClock(deserialize(bytes.subarray(HEADER)));
  return /\/runs\/[^/]+\.json$|\.run\.json$/.test(path) ? withoutClock(JSON.parse(bytes.toString('utf8'))) : bytes;
}

/** Compares two folders: returns the number of files, and the names of those that differ or are in one folder only. */
export function compare(whole, other) {
  // A claim names the worker that was killed, and is no result.
  const names = [...new Set([...filesIn(whole), ...filesIn(other)])].filter((name) => !name.startsWith('claims/'));
  const different = names.filter(
    (name) =>
      !existsSync(join(whole, name)) ||
      !existsSync(join(other, name)) ||
      !isDeepStrictEqual(contents(join(whole, name)), contents(join(other, name))),
  );
  return { files: names.length, different };
}

/** Whether `text` is a message for a person: not empty, without a stack trace and without the name of a programming error. */
export const isSentence = (text) =>
  text.trim() !== '' && !/\n\s+at \S+/.test(text) && !/\b(Type|Range|Syntax)Error\b/.test(text);

export const lastLines = (text, count = 2) => text.trim().split('\n').slice(-count).join(' ');
