// A sweep on the real Slurm: a cluster of one node is started here, and 24 short runs, two at a time, are requeued, cancelled and
// killed five times in all; the build that submitted them is deleted while they wait. What comes out is compared with what one process
// makes, to the byte. Where Slurm is not installed, it says so.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { command, draws, lastLines } from './campaign-process.mjs';
import { at } from './project.mjs';
import { say } from './terminal.mjs';

const RUNS = 24;
const DISTURBANCES = ['requeue', 'kill', 'cancel', 'requeue', 'kill'];
const LIMIT_MS = 25 * 60_000;
const SPEC = {
  name: 'campaign',
  preset: 'smoke',
  arm: 'none',
  overrides: { environment: 'arithmetic', steps: 12, evalEvery: 0, finalEvalProblems: 4, checkpointEvery: 1 },
  axes: [{ option: 'lr', from: 0.001, to: 0.1, count: RUNS / 2, scale: 'log' }],
  seeds: [41, 42],
};

const tell = (program, ...args) => {
  const { status, stdout, error } = spawnSync(program, args, { encoding: 'utf8' });
  return error || status !== 0 ? null : stdout.trim();
};

/** Null, or why not. */
function lacking() {
  const missing = ['slurmctld', 'slurmd', 'sbatch', 'munged'].filter(
    (name) => tell('sh', '-c', `command -v ${name}`) === null,
  );
  if (missing.length > 0) return `${missing.join(', ')} not installed (Debian: slurm-wlm, munge)`;
  return process.getuid?.() === 0 ? null : 'a cluster of one’s own is started by root alone';
}

/** A cluster whose only node is this machine, with files and ports of its own. Gives what ends it. */
async function startCluster(folder, port) {
  for (const part of ['state', 'spool', 'log']) mkdirSync(join(folder, part), { recursive: true });
  const conf = join(folder, 'slurm.conf');
  const host = hostname().split('.')[0];
  writeFileSync(
    conf,
    [
      ...['ClusterName=campaign', `SlurmctldHost=${host}`, 'SlurmUser=root', 'SlurmdUser=root', 'AuthType=auth/munge'],
      ...['MpiDefault=none', 'ProctrackType=proctrack/linuxproc', 'TaskPlugin=task/none', 'ReturnToService=2'],
      ...[`SlurmctldPidFile=${folder}/slurmctld.pid`, `SlurmdPidFile=${folder}/slurmd.pid`],
      ...[`SlurmdSpoolDir=${folder}/spool`, `StateSaveLocation=${folder}/state`],
      ...[`SlurmctldLogFile=${folder}/log/slurmctld.log`, `SlurmdLogFile=${folder}/log/slurmd.log`],
      ...[`SlurmctldPort=${port}`, `SlurmdPort=${port + 1}`, 'SchedulerType=sched/builtin'],
      ...[
        'SelectType=select/cons_tres',
        'SelectTypeParameters=CR_CPU',
        'AccountingStorageType=accounting_storage/none',
      ],
      ...['JobAcctGatherType=jobacct_gather/none', 'InactiveLimit=0', 'KillWait=5', 'MinJobAge=300'],
      `NodeName=${host} CPUs=${availableParallelism()} RealMemory=4000 State=UNKNOWN`,
      'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP',
      '',
    ].join('\n'),
  );
  process.env.SLURM_CONF = conf;
  if (!existsSync('/run/munge/munge.socket.2')) {
    mkdirSync('/run/munge', { recursive: true });
    tell('chown', 'munge:munge', '/run/munge');
    tell('runuser', '-u', 'munge', '--', '/usr/sbin/munged');
  }
  tell('slurmctld', '-f', conf);
  tell('slurmd', '-f', conf);
  for (let tries = 0; !/\bidle\b/.test(tell('sinfo', '--noheader') ?? ''); tries++) {
    if (tries > 60) return { why: 'the cluster of this machine does not start', stop: () => stop(folder) };
    await setTimeout(500);
  }
  return { why: null, stop: () => stop(folder) };
}

function stop(folder) {
  for (const name of ['slurmd.pid', 'slurmctld.pid']) {
    const file = join(folder, name);
    if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8')), 'SIGTERM');
  }
}

const queue = () =>
  (tell('squeue', '--noheader', '--array', '--format=%i %T %r') ?? '').split('\n').filter((line) => line.trim() !== '');

/** Workers at work, with a step behind them. */
function atWork(out) {
  const claims = join(out, 'claims');
  const held = [];
  for (const id of existsSync(claims) ? readdirSync(claims).filter((name) => /^[0-9a-f]{16}$/.test(name)) : []) {
    const log = join(out, 'logs', `${id}.log`);
    if (!existsSync(log) || !/checkpoint at step/.test(readFileSync(log, 'utf8'))) continue;
    try {
      held.push(JSON.parse(readFileSync(join(claims, id), 'utf8')));
    } catch {
      // Released meanwhile.
    }
  }
  return held;
}

/** One disturbance, where there is something to disturb. */
function disturb(kind, out, draw) {
  const running = queue().filter((line) => /^\d+_\d+ RUNNING/.test(line));
  const held = atWork(out);
  if (held.length === 0 || running.length === 0) return false;
  if (kind === 'kill') {
    process.kill(held[Math.floor(draw() * held.length)].pid, 'SIGKILL');
    return true;
  }
  const [task] = running[Math.floor(draw() * running.length)].split(' ');
  return tell(...(kind === 'requeue' ? ['scontrol', 'requeue', task] : ['scancel', task])) !== null;
}

/** A build of its own, that can be deleted. */
function ownBuild(bundle, folder) {
  cpSync(dirname(bundle), folder, { recursive: true });
  symlinkSync(at('node_modules'), join(folder, 'node_modules'), 'dir');
  return join(folder, basename(bundle));
}

/** Of each worker that was stopped: the step that it was in, and the one that it kept. */
const stopsIn = (logs) =>
  logs.flatMap((log) =>
    [...log.matchAll(/stopped in step (\d+) of \d+; checkpoint at step (\d+)/g)].map(([, step, kept]) => ({
      step: Number(step),
      kept: Number(kept),
    })),
  );

/** `why` where it was not tried. */
export async function onSlurm(bundle, folder, { seed }) {
  const why = lacking();
  if (why) return { why };
  const draw = draws(seed);
  const spec = join(folder, 'sweep.json');
  writeFileSync(spec, JSON.stringify(SPEC));
  const sweep = async (...args) => {
    const { code, stdout, stderr } = await command(bundle, ['sweep', ...args]);
    if (code !== 0) throw new Error(`sweep ${args[0]}: exit ${code}: ${lastLines(stderr, 4)}`);
    return stdout;
  };
  const results = async (out) => {
    await sweep('collect', out);
    return readFileSync(join(out, 'results.jsonl'), 'utf8');
  };
  const [alone, out] = [join(folder, 'alone'), join(folder, 'slurm-out')];
  await sweep('run', spec, '--out', alone);
  const expected = await results(alone);
  say(`One process: ${expected.trim().split('\n').length} runs`);
  const cluster = await startCluster(join(folder, 'cluster'), 16_931);
  try {
    if (cluster.why) return { why: cluster.why };
    const started = performance.now();
    const submit = async () => say((await sweep('submit', spec, '--out', out, '--parallel', '2')).trim());
    const early = join(folder, 'early');
    const first = await command(ownBuild(bundle, early), ['sweep', 'submit', spec, '--out', out, '--parallel', '2']);
    if (first.code !== 0) throw new Error(`sweep submit: exit ${first.code}: ${lastLines(first.stderr, 4)}`);
    say(first.stdout.trim());
    rmSync(early, { recursive: true });
    const twice = await command(bundle, ['sweep', 'submit', spec, '--out', out]);
    const tooLarge = await command(bundle, ['sweep', 'submit', spec, '--out', join(folder, 'large'), '--cpus', '1024']);
    const left = [...DISTURBANCES];
    let cancelled = 0;
    let resubmitted = 0;
    for (let calm = 0; performance.now() - started < LIMIT_MS; ) {
      await setTimeout(1000);
      if (queue().length === 0) {
        const done = readdirSync(join(out, 'runs')).length;
        if (done === RUNS) break;
        resubmitted++;
        await submit();
      }
      // A few steps between two of them.
      if (left.length === 0 || ++calm < 8 || !disturb(left[0], out, draw)) continue;
      say(`${left[0]}; ${readdirSync(join(out, 'runs')).length} of ${RUNS} runs are done`);
      if (left[0] === 'cancel') cancelled++;
      left.shift();
      calm = 0;
    }
    const logs = readdirSync(join(out, 'logs')).map((name) => readFileSync(join(out, 'logs', name), 'utf8'));
    const taken = logs.map((log) => log.match(/^taken by/gm)?.length ?? 0);
    const failures = readdirSync(join(out, 'failures')).length;
    const status = JSON.parse(await sweep('status', out, '--json'));
    const exported = await command(bundle, ['tables', out, '--out', join(folder, 'tables')]);
    return {
      why: null,
      runs: readdirSync(join(out, 'runs')).length,
      of: RUNS,
      disturbances: DISTURBANCES.length - left.length,
      cancelled,
      resubmitted,
      gonOnWith: taken.reduce((sum, count) => sum + count - 1, 0),
      lostWorkers: failures,
      setApart: status.setApart.length,
      failedJobs: status.jobs?.failed.map(({ job, state, reason }) => `${job} ${state} (${reason})`) ?? [],
      isRefusedTwice: twice.code === 2 && /submitted already/.test(twice.stderr),
      isRefusedTooLarge: tooLarge.code === 2 && !existsSync(join(folder, 'large')),
      stops: stopsIn(logs),
      exported: exported.code === 0 ? readdirSync(join(folder, 'tables', 'tensorboard')).length : 0,
      isSame: (await results(out)) === expected,
      hasReport: existsSync(join(out, 'report.md')),
      seconds: Math.round((performance.now() - started) / 1000),
    };
  } finally {
    cluster.stop();
  }
}

/** Lines for a person, and what went wrong. */
export function slurmReport(found) {
  if (found.why) return { text: `Slurm was not tried: ${found.why}.`, faults: [] };
  const {
    runs,
    of,
    disturbances,
    resubmitted,
    gonOnWith,
    lostWorkers,
    setApart,
    failedJobs,
    isSame,
    hasReport,
    stops,
  } = found;
  const kills = DISTURBANCES.filter((kind) => kind === 'kill').length;
  const faults = [
    ...(runs === of ? [] : [`${of - runs} of ${of} runs are missing`]),
    ...(isSame ? [] : ['the results are not those of one process']),
    ...(hasReport ? [] : ['the job after the array wrote no report']),
    ...(setApart === 0 ? [] : [`${setApart} runs were set apart`]),
    ...(lostWorkers <= kills ? [] : [`${lostWorkers} runs lost a worker, and ${kills} were killed`]),
    ...stops
      .filter(({ step, kept }) => kept !== step - 1)
      .map(({ step, kept }) => `a worker stopped in step ${step} kept step ${kept}`),
    // The scheduler calls a job failed whose worker was killed.
    ...(failedJobs.length === kills
      ? []
      : [`${kills} workers were killed, and failed jobs are: ${failedJobs.join('; ')}`]),
    ...(found.isRefusedTwice ? [] : ['a second submission was not refused']),
    ...(found.isRefusedTooLarge ? [] : ['more cores than a node has were not refused']),
    ...(found.exported === of ? [] : [`${found.exported} of ${of} runs were exported for TensorBoard`]),
    ...(disturbances === DISTURBANCES.length
      ? []
      : [`${disturbances} of ${DISTURBANCES.length} disturbances came about`]),
  ];
  const text = `${runs} of ${of} runs on Slurm, two at a time, ${disturbances} disturbances (${DISTURBANCES.join(', ')}): ${gonOnWith} times another worker went on with a run, ${stops.length} stopped workers kept their last whole step, ${lostWorkers} runs lost a worker without a word, ${failedJobs.length} jobs failed by that, ${resubmitted} times submitted again, ${setApart} set apart; ${isSame ? 'every byte is' : 'the results are not'} that of one process.`;
  return { text, faults };
}
