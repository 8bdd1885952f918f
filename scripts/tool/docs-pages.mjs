// Vite: writes the project's docs into the build as pages, so that what the page names can be opened from it: docs/cat.md is
// docs/cat.html there. A document leads to others that are shipped; what is not (sources, architecture) is named and no link.
import { readdirSync, readFileSync } from 'node:fs';
import { Marked } from 'marked';
import { metaOf } from './policy.mjs';
import { hashOf } from './policy-plugin.mjs';
import { at } from './project.mjs';

const FOLDER = 'docs';
const STYLE =
  'body{max-width:58rem;margin:2rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif;overflow-wrap:break-word}' +
  'table{display:block;overflow-x:auto;border-collapse:collapse;font-size:.9rem}' +
  'th,td{padding:.25rem .6rem;border:1px solid #8886;text-align:left;vertical-align:top}' +
  'pre{overflow-x:auto;padding:.75rem;border:1px solid #8886;border-radius:6px;font-size:.85rem}' +
  'h1,h2,h3{line-height:1.25}';

const escaped = (text) =>
  text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char]);

/** As the repository's own pages name their headings. */
const slugOf = (text) =>
  text
    .toLowerCase()
    .replace(/<[^>]*>/g, '')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/**
 * A document that stands by itself: no script, no file beside it. `shipped`: names without their ending.
 *
 * @param {string} markdown
 * @param {readonly string[]} shipped
 */
export function docPage(markdown, shipped) {
  const place = (href) => {
    if (/^(https?:|#)/.test(href)) return href;
    const [, name, part = ''] = /^\.?\/?([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
    return name !== undefined && shipped.includes(name) ? `${name}.html${part}` : null;
  };
  const marked = new Marked({
    renderer: {
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const to = place(href);
        return to === null ? inner : `<a href="${escaped(to)}" rel="noreferrer">${inner}</a>`;
      },
      image: ({ text }) => escaped(text),
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${escaped(slugOf(inner))}">${inner}</h${depth}>\n`;
      },
      // Marks of what is written by a command; nothing else of the kind stands in them.
      html: () => '',
    },
  });
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? 'Docs';
  const policy = `default-src 'none'; style-src '${hashOf(STYLE)}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
${metaOf(policy)}
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${escaped(title)} · Projected GRPO Lab</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p><a href="../">Projected GRPO Lab</a></p>
${marked.parse(markdown)}
</main>
</body>
</html>
`;
}

export function docsPagesPlugin() {
  return {
    name: 'docs-pages',
    apply: 'build',
    generateBundle() {
      const names = readdirSync(at(FOLDER)).flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -3)] : []));
      for (const name of names) {
        const markdown = readFileSync(at(FOLDER, `${name}.md`), 'utf8');
        this.emitFile({ type: 'asset', fileName: `${FOLDER}/${name}.html`, source: docPage(markdown, names) });
      }
    },
  };
}
