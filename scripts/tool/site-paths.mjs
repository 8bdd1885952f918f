// Where the site of the docs is built, where its copy is served from, and where TypeDoc leaves the pages of the packages' APIs.
import { join } from 'node:path';
import { at, CACHE } from './project.mjs';

export { CACHE };
export const SITE = join(CACHE, 'site');
export const SERVED = at('dist', 'docs');
export const API_PAGES = join(CACHE, 'api-pages');
