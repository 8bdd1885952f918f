// Runs `npm run lab -- <command>` and `npm run research -- <command>`: bundles the command line (src/cli or research) if its sources changed,
// and starts it in its own process.
import { totalmem } from 'node:os';
import { ensureDependencies } from './dependencies.mjs';
import { at } from './project.mjs';
import { supervise } from './supervise.mjs';

/** Resolves with the program's exit code. */
async function runBundled(bundleOf, args) {
  await ensureDependencies();
  const bundling = await import('./bundle.mjs');
  const bundle = await bundleOf(bundling);
  const env = { ...process.env, LAB_ROOT: at() };
  return supervise(process.execPath, ['--enable-source-maps', bundling.heapFlag(totalmem()), bundle, ...args], { env });
}

/** A user's own environment that the arguments name becomes part of the bundle. */
export async function lab(args) {
  const { ownEnvironment } = await import('./environment-plugin.mjs');
  return runBundled(({ bundleCli }) => bundleCli(ownEnvironment(args)), args);
}

export const research = { main: (args) => runBundled(({ bundleResearch }) => bundleResearch(), args) };

export const main = lab;
