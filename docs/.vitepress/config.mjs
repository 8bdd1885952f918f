// The site of the docs, built by scripts/tool/site.mjs into dist/docs. Relative addresses, so that it works below any path and from a
// folder; nothing is asked of another host: no fonts, no search service, no statistics.
import { isAbsolute, join, relative, resolve } from 'node:path';
import { metaOf, SITE_POLICY } from '../../scripts/tool/policy.mjs';
import { hashOf, inlineScripts } from '../../scripts/tool/policy-plugin.mjs';
import { CACHE, SITE } from '../../scripts/tool/site-paths.mjs';
import { DOCS, sidebar } from './nav.mjs';

/** Links to what is no page (sources, README, data): text there, since the site has the docs alone. Links of the repository stay as they are. */
function leavesDocs(href, from) {
  if (/^[a-z]+:|^#/i.test(href)) return false;
  const path = relative(DOCS, resolve(from, href.replace(/#.*/, '')));
  return path.startsWith('..') || isAbsolute(path) || /\.jsonl?$/.test(path);
}

function outsideAsText(md) {
  // No text of the docs is a template: braces are braces.
  const render = md.renderer.render.bind(md.renderer);
  md.renderer.render = (...given) => render(...given).replaceAll('{{', '&#123;&#123;');
  md.core.ruler.push('outside-as-text', (state) => {
    const from = join(DOCS, state.env.relativePath ?? '', '..');
    for (const { children } of state.tokens) {
      let isOutside = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') isOutside = leavesDocs(token.attrGet('href') ?? '', from);
        if (isOutside && /^link_(open|close)$/.test(token.type)) {
          const isClose = token.type === 'link_close';
          Object.assign(token, { type: isClose ? 'em_close' : 'em_open', tag: 'span', attrs: null });
          if (isClose) isOutside = false;
        }
      }
    }
  });
}

export default {
  lang: 'en-GB',
  title: 'Projected GRPO Lab',
  description: 'Can a hack direction be projected out of RL? The lab’s docs.',
  srcDir: '.',
  base: './',
  outDir: SITE,
  cacheDir: join(CACHE, 'vitepress'),
  srcExclude: ['characters/**', '**/node_modules/**'],
  metaChunk: true,
  markdown: { theme: { light: 'github-light', dark: 'github-dark' }, config: outsideAsText },
  vite: { logLevel: 'warn', build: { license: { fileName: 'licences.md' }, chunkSizeWarningLimit: 3000 } },
  /** The page's own policy: what the server would else refuse are its inline scripts, by their hashes. */
  transformHtml(html) {
    const start = '<meta charset="utf-8">';
    if (!html.includes(start)) throw new Error(`A page of the site does not begin its head with ${start}.`);
    return html.replace(start, `${start}\n    ${metaOf(SITE_POLICY(inlineScripts(html).map(hashOf)))}`);
  },
  themeConfig: {
    // By a page of the site's own (public/lab.html): a relative address would lead elsewhere from a page that lies deeper.
    nav: [{ text: 'The lab', link: '/lab.html', target: '_self' }],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { detailedView: true } },
    externalLinkIcon: true,
    docFooter: { prev: 'Before', next: 'Next' },
  },
};
