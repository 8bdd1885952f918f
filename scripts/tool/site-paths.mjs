// Where the site of the docs is built, and where its copy is served from.
import { join } from 'node:path';
import { at, CACHE } from './project.mjs';

export { CACHE };
export const SITE = join(CACHE, 'site');
export const SERVED = at('dist', 'docs');
