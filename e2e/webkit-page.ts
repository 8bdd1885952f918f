// A page in WebKitGTK, driven over WebDriver: the few requests of it that the journey needs (Playwright's own WebKit is another
// build, and not one that Debian has). The browser draws on a screen that nobody sees, with a profile of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from '@playwright/test';
import type { Webkit } from '../scripts/tool/webkit.mjs';

/** How WebDriver names an element. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

export interface WebkitPage {
  version: string;
  open(url: string): Promise<void>;
  /** What a function body returns in the page. */
  evaluate<Result>(body: string, ...args: unknown[]): Promise<Result>;
  /** Waits for it, and presses it as a person would. */
  press(button: string): Promise<void>;
  /** Waits for a text that the page shows; fails with what the page complains of. */
  see(text: RegExp, timeout?: number): Promise<void>;
  close(): Promise<void>;
}

export async function openWebkit({ driver, screen, browser }: Webkit): Promise<WebkitPage> {
  const children: ChildProcess[] = [];
  const end = () => {
    for (const child of children.reverse()) child.kill();
  };
  try {
    // The server picks a free display, and says which.
    const display = spawn(screen, ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(display);
    const [number] = await once(display.stdout, 'data');
    const port = await freePort();
    const env = { ...process.env, DISPLAY: `:${String(number).trim()}`, LIBGL_ALWAYS_SOFTWARE: '1' };
    children.push(spawn(driver, [`--port=${port}`], { env, stdio: 'ignore' }));
    const ask = async (method: string, path: string, body?: object) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) });
      const { value } = await response.json();
      if (!response.ok) throw new Error(`WebDriver ${method} ${path}: ${value.message || value.error}`);
      return value;
    };
    await expect
      .poll(() =>
        ask('GET', '/status')
          .then(({ ready }) => ready)
          .catch(() => false),
      )
      .toBe(true);
    const options = { 'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] } };
    const { sessionId, capabilities } = await ask('POST', '/session', { capabilities: { alwaysMatch: options } });
    const session = `/session/${sessionId}`;
    const evaluate: WebkitPage['evaluate'] = (body, ...args) =>
      ask('POST', `${session}/execute/sync`, { script: body, args });
    return {
      version: capabilities.browserVersion,
      evaluate,
      open: (url) => ask('POST', `${session}/url`, { url }),
      async press(name) {
        const find = () =>
          evaluate<Record<string, string> | null>(
            `return [...document.querySelectorAll('button')].find((button) => button.textContent.trim() === arguments[0] && !button.disabled) ?? null`,
            name,
          );
        await expect.poll(find, { message: `the button ${name}` }).not.toBeNull();
        await ask('POST', `${session}/element/${(await find())![ELEMENT]}/click`, {});
      },
      async see(text, timeout) {
        const shown = () =>
          evaluate<{ alert: string | null; text: string }>(
            `return { alert: document.querySelector('[role=alert]')?.innerText ?? null, text: document.body.innerText }`,
          );
        const isSeen = async () => {
          const { alert, text: all } = await shown();
          return alert ?? (text.test(all) ? 'seen' : 'not yet');
        };
        await expect.poll(async () => (await isSeen()) !== 'not yet', { message: String(text), timeout }).toBe(true);
        expect(await isSeen()).toBe('seen');
      },
      async close() {
        await ask('DELETE', session).catch(() => {});
        end();
      },
    };
  } catch (error) {
    end();
    throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
