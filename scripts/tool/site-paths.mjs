// Folders of the docs' site: where it is built, where its copy is served from, and where TypeDoc writes the API pages.
import { join } from 'node:path';
import { at, CACHE } from './project.mjs';

export { CACHE };
export const SITE = join(CACHE, 'site');
export const SERVED = at('dist', 'docs');
export const API_PAGES = join(CACHE, 'api-pages');
