import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { policyIn } from './policy.mjs';
import { hashOf, inlineScripts, policyPlugin } from './policy-plugin.mjs';
import { at } from './project.mjs';

const FRAME = 'packages/python-sandbox/src/frame-script.js';
const built = (html, filename = '/lab/index.html') => {
  const plugin = policyPlugin({ frames: [FRAME] });
  plugin.configResolved({ root: at() });
  return plugin.transformIndexHtml.handler(html, { filename });
};

describe('the policy of the built page', () => {
  it('knows a script by the hash that a browser computes', () => {
    // The first is the example of the CSP specification, the second has line ends that an HTML parser changes.
    expect(hashOf("alert('Hello, world.');")).toBe('sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=');
    expect(hashOf('a\r\nb\rc')).toBe(hashOf('a\nb\nc'));
    expect(inlineScripts('<script src="x.js"></script><script type="module">a</script><script>\nb</script>')).toEqual([
      'a',
      '\nb',
    ]);
  });

  it('stands before everything else, with the page’s inline scripts and the frame’s', () => {
    const html = readFileSync(at('index.html'), 'utf8');
    const page = built(html);
    expect(page.indexOf('Content-Security-Policy')).toBeLessThan(page.indexOf('<script'));
    expect(page.indexOf('Content-Security-Policy')).toBeLessThan(page.indexOf('<link'));
    // A browser looks for the charset in the first 1024 bytes.
    expect(page.indexOf('charset')).toBeLessThan(page.indexOf('Content-Security-Policy'));
    const policy = policyIn(page);
    const scripts = [...inlineScripts(html), readFileSync(at(FRAME), 'utf8')];
    expect(scripts).toHaveLength(2);
    for (const script of scripts) expect(policy).toContain(`'${hashOf(script)}'`);
    expect(policy).not.toMatch(/unsafe-inline|unsafe-eval(?<!wasm-unsafe-eval)/);
    // The sandboxed frame's workers come from data: addresses, without an origin; from a blob one would have the page's.
    expect(policy).toContain("worker-src 'self' data:;");
    expect(policy).not.toMatch(/(script|worker|default|connect)-src[^;]*blob:|(script|default|connect)-src[^;]*data:/);
    expect(() => built('<head></head>')).toThrow(/must begin its head/);
  });

  it('gives the document that others may frame no worker, no connection and no inline script', () => {
    const policy = policyIn(built(readFileSync(at('embed.html'), 'utf8'), '/lab/embed.html'));
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).not.toMatch(/unsafe|sha256|connect-src|worker-src/);
  });
});
