// Checks every link of the built site, generated pages too: a relative address must name an existing file, and an anchor an element of it.
// VitePress itself checks pages but no anchors.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const unescaped = (text) => text.replaceAll('&amp;', '&');

/** Returns `page: address` for each broken link below `site`; links that leave the site (to the lab beside it) are not followed. */
export function brokenLinks(site) {
  const pages = readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith('.html') && entry.name !== '404.html')
    .map((entry) => join(entry.parentPath, entry.name));
  const read = new Map(pages.map((path) => [path, readFileSync(path, 'utf8')]));
  const ids = new Map();
  const idsOf = (path) => {
    if (!ids.has(path))
      ids.set(path, new Set([...read.get(path).matchAll(/ id="([^"]+)"/g)].map(([, id]) => unescaped(id))));
    return ids.get(path);
  };
  const wrong = (page, href) => {
    if (/^(?:[a-z]+:|\/\/)/i.test(href)) return false;
    const [path, anchor] = unescaped(href).split('#');
    const target = path === '' ? page : resolve(dirname(page), decodeURIComponent(path.replace(/\?.*/, '')));
    if (relative(site, target).startsWith('..')) return false;
    const file = existsSync(target) && statSync(target).isDirectory() ? join(target, 'index.html') : target;
    if (!existsSync(file)) return true;
    return Boolean(anchor) && read.has(file) && !idsOf(file).has(decodeURIComponent(anchor));
  };
  const found = pages.flatMap((page) => {
    const hrefs = new Set([...read.get(page).matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href]) => href));
    return [...hrefs].filter((href) => wrong(page, href)).map((href) => `${relative(site, page)}: ${href}`);
  });
  return { pages: pages.length, broken: found };
}
