// Vite plugin that writes the document's policy (policy.mjs) into the built page, with the hashes of the inline scripts that it may run: its
// own, and that of the sandboxed frame, whose file no tool changes, so that its hash is known before the build.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { documentPolicy, EMBED, EMBED_POLICY, metaOf } from './policy.mjs';

/** Hashes a script as a browser does: an HTML parser turns all line ends into line feeds. */
export const hashOf = (script) =>
  `sha256-${createHash('sha256').update(script.replace(/\r\n?/g, '\n')).digest('base64')}`;

export const inlineScripts = (html) =>
  [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, text]) => text);

/** `frames`: paths, below the root, of the scripts of frames that the page makes. The development server's page has no policy. */
export function policyPlugin({ frames }) {
  let root;
  return {
    name: 'content-security-policy',
    apply: 'build',
    configResolved(config) {
      root = config.root;
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { filename }) {
        const name = basename(filename);
        const scripts = [...inlineScripts(html), ...frames.map((path) => readFileSync(join(root, path), 'utf8'))];
        const meta = metaOf(name === EMBED ? EMBED_POLICY : documentPolicy(scripts.map(hashOf)));
        const start = '<meta charset="utf-8" />';
        if (!html.includes(start)) throw new Error(`${name} must begin its head with ${start}: the policy follows it.`);
        // A policy holds only for what follows it.
        return html.replace(start, `${start}\n    ${meta}`);
      },
    },
  };
}
