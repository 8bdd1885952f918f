// Builds the page into dist/ if its sources changed.
import { filesOf, ownEnvironment } from './environment-plugin.mjs';
import { at, buildIfStale } from './project.mjs';
import { say } from './terminal.mjs';

export const DIST = at('dist');

export function buildPage() {
  return buildIfStale(
    'page',
    at('dist', 'index.html'),
    async () => {
      say('Building the page …');
      const { build } = await import('vite');
      await build({ root: at(), configFile: at('vite.config.ts'), logLevel: 'warn' });
    },
    { more: filesOf(ownEnvironment()), setting: process.env.LAB_URL ?? '' },
  );
}
