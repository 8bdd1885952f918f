// Drives a page in WebKitGTK by WebDriver's requests. The browser draws on a virtual screen, with a temporary profile.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from '@playwright/test';
import type { Webkit } from '../scripts/tool/engines.mjs';
import { type DrivenPage, drivenPage } from './driven-page.ts';

export async function openWebkit({ driver, screen, browser }: Webkit): Promise<DrivenPage> {
  const children: ChildProcess[] = [];
  const end = () => {
    for (const child of children.reverse()) child.kill();
  };
  try {
    // The server picks a free display and prints its number.
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
    const { sessionId } = await ask('POST', '/session', { capabilities: { alwaysMatch: options } });
    const session = `/session/${sessionId}`;
    return drivenPage({
      execute: (script, args) => ask('POST', `${session}/execute/sync`, { script, args }),
      navigate: (url) => ask('POST', `${session}/url`, { url }),
      click: (element) => ask('POST', `${session}/element/${element}/click`, {}),
      async close() {
        await ask('DELETE', session).catch(() => {});
        end();
      },
    });
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
