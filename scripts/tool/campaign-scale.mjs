// Measures how many workers one Redis serves. Simulated workers, each with its own connection, take runs from a BullMQ queue as the command
// line does, report their progress, and deliver results of a real run's size. It measures claims per second, latencies, and CPU load.
import { availableParallelism, cpus } from 'node:os';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { freePort, hasRedis, NO_REDIS, startRedis } from './redis.mjs';

const RESULT_BYTES = 60_000;
const SECONDS = 15;
/** Progress reports of each run. */
const SIGNS = 5;
/** Queued runs: more than the workers take within SECONDS. */
const JOBS = 30_000;

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
const cpuOf = async (client) => {
  const info = await client.info('cpu');
  const of = (name) => Number(new RegExp(`${name}:([\\d.]+)`).exec(info)?.[1] ?? 0);
  return of('used_cpu_sys') + of('used_cpu_user');
};

/** Measures `count` workers at once. */
async function measured(url, count) {
  const connections = [];
  const connection = () => {
    const client = new Redis(url, { maxRetriesPerRequest: null });
    connections.push(client);
    return client;
  };
  const admin = connection();
  await admin.flushall();
  const queue = new Queue('runs', { connection: connection(), prefix: 'scale' });
  for (let from = 0; from < JOBS; from += 2000)
    await queue.addBulk(
      Array.from({ length: 2000 }, (_, i) => ({
        name: 'run',
        data: { key: `run ${from + i}`, spec: { text: 'x'.repeat(2000) } },
        opts: { removeOnComplete: true },
      })),
    );
  const workers = Array.from(
    { length: count },
    () => new Worker('runs', null, { connection: connection(), prefix: 'scale', skipStalledCheck: true }),
  );
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
  const times = { claim: [], sign: [], result: [] };
  const result = Buffer.alloc(RESULT_BYTES, 'r');
  const timed = async (name, work) => {
    const from = performance.now();
    const value = await work();
    times[name].push(performance.now() - from);
    return value;
  };
  const [redisFrom, ownFrom, from] = [await cpuOf(admin), process.cpuUsage(), performance.now()];
  let isOver = false;
  const serve = async (worker, i) => {
    const client = connection();
    while (!isOver) {
      const job = await timed('claim', () => worker.getNextJob(`w${i}`, { block: false }));
      if (!job) throw new Error(`${JOBS} runs were too few.`);
      for (let sign = 0; sign < SIGNS && !isOver; sign++) await timed('sign', () => job.updateProgress({ step: sign }));
      await timed('result', () => client.set(`scale:result:${job.id}`, result, 'EX', 60));
      await job.moveToCompleted(null, `w${i}`, false);
      await client.del(`scale:result:${job.id}`);
    }
  };
  const timer = setTimeout(() => {
    isOver = true;
  }, SECONDS * 1000);
  await Promise.all(workers.map(serve));
  clearTimeout(timer);
  const seconds = (performance.now() - from) / 1000;
  const own = process.cpuUsage(ownFrom);
  const found = {
    workers: count,
    claims: times.claim.length / seconds,
    redisCpu: ((await cpuOf(admin)) - redisFrom) / seconds,
    workersCpu: (own.user + own.system) / 1e6 / seconds,
    latency: Object.fromEntries(
      Object.entries(times).map(([name, all]) => {
        const sorted = all.sort((a, b) => a - b);
        return [name, { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) }];
      }),
    ),
  };
  await Promise.all(workers.map((worker) => worker.close(true)));
  await queue.close();
  // BullMQ does not close connections that it was given.
  for (const client of connections) client.disconnect();
  return found;
}

/** Runs the part and returns its rows; `why` is the reason if it was not run, else null. */
export async function scale(folder) {
  if (!hasRedis()) return { why: NO_REDIS };
  const port = await freePort();
  const server = await startRedis(port, folder);
  try {
    const rows = [];
    for (const count of [1, 20, 200]) rows.push(await measured(`redis://127.0.0.1:${port}`, count));
    return { why: null, rows };
  } finally {
    server.kill('SIGTERM');
  }
}

export function scaleReport(found) {
  if (found.why) return { text: `Scale was not tried: ${found.why}.`, faults: [] };
  const ms = (value) => value.toFixed(value < 10 ? 1 : 0);
  const lines = found.rows.map(({ workers, claims, latency, redisCpu, workersCpu }) =>
    [
      ...[workers, claims.toFixed(0)],
      ...['claim', 'sign', 'result'].map((name) => `${ms(latency[name].p50)} / ${ms(latency[name].p99)}`),
      ...[
        `${(100 * redisCpu).toFixed(0)} %, ${ms((1000 * redisCpu) / claims)} ms`,
        `${(100 * workersCpu).toFixed(0)} %, ${ms((1000 * workersCpu) / claims)} ms`,
      ],
    ].join(' | '),
  );
  const text = [
    `${cpus()[0].model}, ${availableParallelism()} cores; a run is a claim, ${SIGNS} signs of life and a result of ${RESULT_BYTES / 1000} kB.`,
    '',
    '| Workers | Claims a second | Claim, ms (50th / 99th) | Sign of life | Result | Redis’ CPU, a run | Workers’ CPU, a run |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...lines.map((line) => `| ${line} |`),
  ].join('\n');
  return { text, faults: [] };
}
