// `npm run lab -- <command>` and `npm run research -- <command>`: a command line (src/cli, research), bundled when its sources changed, in a
// process of its own.
import { totalmem } from 'node:os';
import { ensureDependencies } from './dependencies.mjs';
import { at } from './project.mjs';
import { supervise } from './supervise.mjs';

/** Resolves with its exit code. */
async function runBundled(bundleOf, args) {
  await ensureDependencies();
  const bundling = await import('./bundle.mjs');
  const bundle = await bundleOf(bundling);
  const env = { ...process.env, LAB_ROOT: at() };
  return supervise(process.execPath, ['--enable-source-maps', bundling.heapFlag(totalmem()), bundle, ...args], { env });
}

/** An environment of one's own that the arguments name is built with it. */
export async function lab(args) {
  const { ownEnvironment } = await import('./environment-plugin.mjs');
  return runBundled(({ bundleCli }) => bundleCli(ownEnvironment(args)), args);
}

export const research = { main: (args) => runBundled(({ bundleResearch }) => bundleResearch(), args) };

export const main = lab;
