// `relay --queue URL`: lets pages work for a queue that they cannot reach themselves. It prints a work link a worker.
import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { Ledger } from '../../experiments/sweep/relay/checks.ts';
import { writeWorkLink } from '../../experiments/sweep/relay/messages.ts';
import { APP_VERSION } from '../../lab/protocol/version.ts';
import { diskError } from '../../storage/disk.node.ts';
import { integer, text } from '../args.ts';
import { command, EXIT } from '../command.ts';
import { connect, lockOf, placeOf, QUEUE } from '../sweep/queue/redis.ts';
import { LiveBoard } from './board.ts';
import { Desk, loadClaimed } from './desk.ts';
import { Door } from './server.ts';
import { Tokens } from './tokens.ts';

/** Between two looks at what others have made. */
const LOOK_MS = 500;
/** Looks after which pages hear what goes on. */
const TELL_EVERY = 4;
const HOUR = 3600;

const usage = {
  name: 'relay',
  summary: 'Lets pages that were opened by a work link train the runs of a queue on Redis.',
  flags: {
    queue: text('URL', 'As of `worker`: redis://HOST:PORT, rediss:// for TLS.', null),
    origin: text(
      'ORIGIN,…',
      'Where the page is served, such as https://lab.example; pages of other origins are refused.',
      null,
    ),
    port: integer('Of the relay; 0: any that is free.', 8790, 0, 65_535),
    host: text('HOST', 'That it listens on.', '127.0.0.1'),
    url: text('URL', 'How pages reach it, where that is not ws://HOST:PORT/: behind a proxy, by another name.', null),
    cert: text('FILE', 'Certificate, for wss://; with --key.', null),
    key: text('FILE', 'Its private key.', null),
    invite: integer('Work links to print, one a worker.', 1, 0, 1000),
    hours: integer('Hours after which they expire.', 24, 1, 24 * 365),
    revoke: text('WORKER', 'Take the links of a worker back, and end.', null),
    check: integer('Of so many results of a worker one is made again elsewhere before they count.', 4, 1, 1000),
    lease: integer('Seconds of silence after which a run is another worker’s.', 60, 2, 86_400),
  },
  notes:
    'Runs come from `sweep run SPEC --out DIR --queue URL`. What is made again is made by `worker --queue URL`, or by other pages of the same kind of device: with neither, results are held.',
} as const;

export const relay = command(usage, async ({ flags }, { signal, progress, out }) => {
  if (flags.queue === null) throw new SpecError('relay needs a queue.', 'Add --queue redis://HOST:PORT.');
  const { note } = progress;
  const client = await connect(flags.queue, note);
  const tokens = new Tokens(client, () => Date.now());
  if (flags.revoke !== null) {
    const revoked = await tokens.revoke(flags.revoke);
    client.disconnect();
    out(`${revoked} links of ${flags.revoke} open nothing any more.`);
    return revoked > 0 ? EXIT.ok : EXIT.failed;
  }
  const origins = originsOf(flags.origin);
  const tls = await tlsOf(flags.cert, flags.key);
  const leaseMs = flags.lease * 1000;
  const queue = new Queue(QUEUE, placeOf(client));
  const bull = new Worker(QUEUE, null, { ...placeOf(client), ...lockOf(leaseMs) });
  const events = new QueueEvents(QUEUE, placeOf(client));
  // Told of once, by `connect`.
  queue.on('error', () => {});
  bull.on('error', () => {});
  events.on('error', () => {});
  await bull.startStalledCheckTimer();
  // Which result of a batch is made again is nobody's to foresee.
  const secret = randomBytes(32);
  const draw = (worker: string, batch: number) =>
    createHmac('sha256', secret).update(`${worker} ${batch}`).digest().readUInt32BE() / 2 ** 32;
  const ledger = new Ledger(flags.check, draw, await loadClaimed(client));
  let door: Door | null = null;
  const desk = new Desk({
    client,
    queue,
    bull,
    ledger,
    leaseMs,
    note,
    app: APP_VERSION,
    onLiar: (worker) => door?.close(worker, 'Its results are dropped.'),
  });
  door = new Door({
    origins,
    tls,
    note,
    look: (token) => tokens.look(token),
    answer(worker, message) {
      if (message.type === 'take') return desk.take(worker, message);
      if (message.type === 'at') return desk.at(worker, message);
      return message.type === 'done' ? desk.done(worker, message) : desk.release(worker, message);
    },
    left: (worker) => desk.left(worker),
  });
  try {
    const port = await door.listen(flags.port, flags.host).catch((error: NodeJS.ErrnoException) => {
      throw new SpecError(`${flags.host}:${flags.port}: ${error.code}.`, 'Name another --port or --host.', {
        cause: error,
      });
    });
    const url = flags.url ?? `${tls ? 'wss' : 'ws'}://${flags.host}:${port}/`;
    out(`Relay at ${url}, for pages of ${origins.join(', ')}.`);
    for (let i = 0; i < flags.invite; i++) {
      const worker = `worker-${randomBytes(4).toString('hex')}`;
      const token = await tokens.invite(worker, flags.hours * HOUR);
      out(`${worker}  ${origins[0]}/?view=sweeps${writeWorkLink({ relay: url, token })}`);
    }
    await desk.begin();
    const board = new LiveBoard({ queue, events, ledger, desk, now: () => performance.now() });
    let isLooking = false;
    let looks = 0;
    const look = async () => {
      await desk.look();
      if (looks++ % TELL_EVERY === 0) door?.tellAll({ type: 'status', board: await board.look() });
    };
    const timer = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      void look()
        .catch((error: unknown) => note(error instanceof Error ? error.message : String(error)))
        .finally(() => {
          isLooking = false;
        });
    }, LOOK_MS);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    clearInterval(timer);
    throw new StoppedError('Stopped.', 'Start it again: links stay as they are, and what is held stays held.');
  } finally {
    await door.end();
    await bull.close();
    await events.close();
    await queue.close();
    client.disconnect();
  }
});

/** Throws SpecError. */
function originsOf(given: string | null): string[] {
  const origins = given?.split(',').map((part) => part.trim().replace(/\/$/, '')) ?? [];
  for (const origin of origins)
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new SpecError(`--origin ${origin} is none.`, 'It is scheme, host and port: https://lab.example');
  if (origins.length === 0)
    throw new SpecError('relay needs to know where the page is served.', 'Add --origin https://HOST');
  return origins;
}

async function tlsOf(cert: string | null, key: string | null) {
  if (cert === null && key === null) return null;
  if (cert === null || key === null)
    throw new SpecError('A certificate and its key go together.', 'Give --cert and --key.');
  const read = (path: string) =>
    readFile(path).catch((error: unknown) => {
      throw diskError(error, path);
    });
  return { cert: await read(cert), key: await read(key) };
}
