// Starts a Redis for tests and campaigns, on a free port of this machine, with every command written to disk (`appendonly`).
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';

export const hasRedis = () => spawnSync('redis-server', ['--version']).status === 0;
export const NO_REDIS = 'redis-server is not installed (Debian: redis-server)';

export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Resolves with the process once it accepts connections. Its data are in `dir`, from which it can be started again. */
export async function startRedis(port, dir) {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'yes'];
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve) =>
    child.stdout.on('data', (text) => String(text).includes('Ready to accept') && resolve()),
  );
  return child;
}
