// `npm run gpu` writes the report of a machine with a GPU (bench/gpu/). `npm run gpu -- pack` puts everything that the report needs into a
// folder, which can be carried to a machine without a network.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureDependencies } from './dependencies.mjs';
import { at } from './project.mjs';
import { Complaint, run, say } from './terminal.mjs';

const MAX_BYTES = 60e6;
export const HELP = `npm run gpu -- [--tiny] [--only PART …] [--out DIR]
Measures this machine's GPU through Dawn in Node and the vendor's Vulkan driver, in eight minutes at most, without a network.
Writes report.json and report.md to DIR (gpu-report).
  --tiny       a rehearsal with tiny shapes, on any adapter
  --only PART  this part alone: adapter, switches, kernels, calls, products, decode, svd, step, torch
  --limit S    ends each part after S seconds, where its own limit is longer
  --total S    begins no part after S seconds, and ends the one that is at work (470)
npm run gpu -- pack [--out DIR]
Lays what that needs into DIR (gpu-pack), below 60 MB: there, \`node main.js\` writes the report.`;

export async function main(args) {
  await ensureDependencies();
  const { bundleGpu } = await import('./bundle.mjs');
  const bundle = await bundleGpu();
  if (args[0] !== 'pack') return run(process.execPath, [bundle, ...args]);
  const rest = args.slice(1);
  if (rest.length > 0 && (rest[0] !== '--out' || rest.length !== 2)) throw new Complaint(HELP);
  const out = rest[1] ?? 'gpu-pack';
  const bytes = pack(dirname(bundle), out);
  say(`${out}: ${(bytes / 1e6).toFixed(1)} MB. On a machine with Node 20 or later: node main.js`);
  return 0;
}

/** Fills the folder `out` and returns its size in bytes. Throws Complaint if `out` is not empty, or the size exceeds the limit. */
export function pack(bundled, out) {
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new Complaint(`${out} is there already: name another folder with --out, or remove it.`);
  mkdirSync(out, { recursive: true });
  for (const name of readdirSync(bundled))
    if (!name.endsWith('.map')) cpSync(join(bundled, name), join(out, name), { recursive: true });
  const from = at('node_modules', 'webgpu');
  const platform = `${process.platform}-${process.platform === 'darwin' ? 'universal' : process.arch}`;
  const to = join(out, 'node_modules', 'webgpu');
  for (const part of ['package.json', 'index.js', 'LICENSE.md', join('dist', platform)])
    cpSync(join(from, part), join(to, part), { recursive: true });
  writeFileSync(join(out, 'package.json'), '{ "type": "module", "private": true }\n');
  const bytes = sizeOf(out);
  if (bytes > MAX_BYTES) {
    rmSync(out, { recursive: true });
    throw new Complaint(`What the report needs is ${(bytes / 1e6).toFixed(1)} MB, more than ${MAX_BYTES / 1e6}.`);
  }
  return bytes;
}

function sizeOf(path) {
  const info = statSync(path);
  return info.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0) : info.size;
}
