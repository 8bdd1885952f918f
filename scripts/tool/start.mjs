// `npm start` opens the lab in a browser, or, without a display, runs the default experiment in the terminal.
import { spawn } from 'node:child_process';
import { ensureDependencies } from './dependencies.mjs';
import { lab } from './lab.mjs';
import { Complaint, say } from './terminal.mjs';

export const HELP = `npm start                     the lab in a browser; where there is no display, as with --headless
npm start -- --headless       the default experiment in the terminal (flags of \`npm run lab -- run\` may follow)
npm start -- --port 8080      another port than 5173
npm start -- --host NAME      listens on that name or address of this machine, too, and answers to it
npm start -- --no-open        serve, but open no browser`;

export async function main(args) {
  const headless = args.includes('--headless');
  await ensureDependencies();
  if (headless) return inTerminal(args.filter((arg) => arg !== '--headless'));
  const options = pageOptions(args);
  if (!options.explicit && !hasDisplay()) {
    say(
      'There is no display here, so the default experiment runs in this terminal (npm start -- --port 5173 serves the page).',
    );
    return inTerminal([]);
  }
  return inBrowser(options);
}

function inTerminal(args) {
  say('The default experiment, headless: training, evaluation and controls of the preset `demo`. Ctrl-C stops it.');
  return lab(['run', ...(args.includes('--preset') ? [] : ['--preset', 'demo']), ...args]);
}

async function inBrowser({ port, strict, open, host }) {
  const { buildPage, DIST } = await import('./page.mjs');
  const { serve } = await import('./server.mjs');
  const { buildSiteInBackground } = await import('./site.mjs');
  await buildPage();
  const site = buildSiteInBackground();
  const { close, port: actual } = await serve(DIST, { port, strict, host });
  // `?start` asks the page to begin the default experiment by itself.
  const url = `http://localhost:${actual}/`;
  console.log(`The lab is at ${url} (the default experiment starts at ${url}?start). Ctrl-C ends it.`);
  if (open && hasDisplay()) openBrowser(`${url}?start`);
  await new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  site.kill();
  close();
  return 0;
}

function pageOptions(args) {
  const options = { port: 5173, strict: false, open: true, explicit: false, host: null };
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--no-open') options.open = false;
    else if (args[i] === '--port') {
      const port = Number(args[++i]);
      if (!Number.isInteger(port) || port < 0 || port > 65535)
        throw new Complaint(`--port ${args[i] ?? ''} is not a port (0 to 65535).`);
      options.port = port;
      options.strict = true;
    } else if (args[i] === '--host') {
      options.host = args[++i] ?? null;
      if (!options.host) throw new Complaint('--host needs a name or an address of this machine.');
    } else throw new Complaint(`Unknown option ${args[i]}.\n\n${HELP}`);
    options.explicit = true;
  }
  return options;
}

function hasDisplay() {
  if (process.env.CI) return false;
  if (process.platform === 'linux') return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
  return !process.env.SSH_CONNECTION;
}

function openBrowser(url) {
  const [command, args] = { darwin: ['open', [url]], win32: ['cmd', ['/c', 'start', '', url]] }[process.platform] ?? [
    'xdg-open',
    [url],
  ];
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.on('error', () => say('No browser could be opened; open the address yourself.'));
  child.unref();
}
