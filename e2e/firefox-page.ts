// Drives a page in headless Firefox with a temporary profile. Debian has no WebDriver for it, but Firefox itself takes WebDriver's commands over
// a socket (the Marionette protocol): "LENGTH:[0, id, command, parameters]", answered by "LENGTH:[1, id, error, result]".
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { type DrivenPage, drivenPage } from './driven-page.ts';

/** With port 0 the browser picks a free one and writes it into its profile. The others keep it from requesting anything but the page. */
const PREFERENCES = {
  'marionette.port': 0,
  'app.normandy.enabled': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'services.settings.server': '',
  'toolkit.telemetry.server': '',
};

export async function openFirefox(browser: string): Promise<DrivenPage> {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-profile-'));
  const lines = Object.entries(PREFERENCES).map((entry) => `user_pref(${entry.map((part) => JSON.stringify(part))});`);
  await writeFile(join(profile, 'user.js'), lines.join('\n'));
  const child = spawn(browser, ['--headless', '--marionette', '--no-remote', '--profile', profile], {
    stdio: 'ignore',
  });
  let socket: Socket | undefined;
  const end = async () => {
    socket?.destroy();
    if (child.exitCode === null && child.signalCode === null) {
      child.kill();
      await once(child, 'exit');
    }
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const portFile = join(profile, 'MarionetteActivePort');
    const readPort = async () => Number(await readFile(portFile, 'utf8').catch(() => ''));
    await expect.poll(readPort, { message: 'Firefox is up' }).toBeGreaterThan(0);
    socket = connect(await readPort(), '127.0.0.1');
    const ask = commandsOver(socket);
    await ask('WebDriver:NewSession', {});
    return drivenPage({
      execute: async (script, args) => (await ask('WebDriver:ExecuteScript', { script, args })).value,
      navigate: (url) => ask('WebDriver:Navigate', { url }),
      click: (id) => ask('WebDriver:ElementClick', { id }),
      async inFrame(script, args) {
        await ask('WebDriver:SwitchToFrame', { id: 0 });
        try {
          return (await ask('WebDriver:ExecuteScript', { script, args, sandbox: null })).value;
        } finally {
          await ask('WebDriver:SwitchToFrame', { id: null });
        }
      },
      close: end,
    });
  } catch (error) {
    await end();
    throw error;
  }
}

type Ask = (command: string, parameters: object) => Promise<{ value?: unknown }>;

function commandsOver(socket: Socket): Ask {
  const waiting = new Map<number, { resolve: (result: { value?: unknown }) => void; reject: (error: Error) => void }>();
  let arrived = Buffer.alloc(0);
  const lose = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  socket.on('error', lose);
  socket.on('close', () => lose(new Error('Firefox has ended')));
  socket.on('data', (bytes) => {
    arrived = Buffer.concat([arrived, bytes]);
    for (let colon = arrived.indexOf(':'); colon > 0; colon = arrived.indexOf(':')) {
      const length = Number(arrived.toString('latin1', 0, colon));
      if (arrived.length < colon + 1 + length) return;
      const message = JSON.parse(arrived.toString('utf8', colon + 1, colon + 1 + length));
      arrived = arrived.subarray(colon + 1 + length);
      // The greeting is an object, and no answer.
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message;
      const pending = waiting.get(id);
      waiting.delete(id);
      if (error) pending?.reject(new Error(`Marionette: ${error.message || error.error}`));
      else pending?.resolve(result);
    }
  });
  let last = 0;
  return (command, parameters) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      const text = JSON.stringify([0, last, command, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
}
