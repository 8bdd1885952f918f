// `npm run lab -- <command>`: the command line (src/cli), bundled when its sources changed, in a process of its own.
import { totalmem } from 'node:os';
import { ensureDependencies } from './dependencies.mjs';
import { at } from './project.mjs';
import { supervise } from './supervise.mjs';

/** Runs the command line and resolves with its exit code. */
export async function lab(args) {
  await ensureDependencies();
  const { bundleCli, heapFlag } = await import('./bundle.mjs');
  const bundle = await bundleCli();
  const env = { ...process.env, LAB_ROOT: at() };
  return supervise(process.execPath, ['--enable-source-maps', heapFlag(totalmem()), bundle, ...args], { env });
}

export const main = lab;
