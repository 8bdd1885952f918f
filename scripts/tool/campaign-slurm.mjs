// Runs a sweep on a real Slurm cluster of one node, which is started here. A launcher begins 24 short runs and is killed. Slurm continues
// them, two at a time, while tasks are requeued, cancelled, stopped and killed, one task has other code and one fails at everything; the
// build that submitted them is deleted while they wait. The results must equal those of one process byte for byte. If Slurm is not
// installed, the part is reported as not run.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { command, draws, lastLines } from './campaign-process.mjs';
import {
  beginSweep,
  endSweep,
  killLauncher,
  launch,
  notGone,
  stopsIn,
  sweepFaults,
  sweepText,
  until,
} from './campaign-sweep.mjs';
import { at } from './project.mjs';
import { say } from './terminal.mjs';

const RUNS = 24;
const STEPS = 12;
/**
 * Disturbances, in this order. `stop`: a worker gets SIGTERM three times within a second. `script`: the batch script that started a worker gets
 * SIGKILL.
 */
const DISTURBANCES = ['other code', 'requeue', 'failing', 'kill', 'cancel', 'script', 'requeue', 'stop', 'kill'];
/** Disturbances after which the worker reports the step that it stopped in. */
const STOPS = ['requeue', 'cancel', 'stop'];
/** Workers of the launcher. A worker whose step outlasts the two seconds of a stop is killed, and keeps less. */
const LAUNCHED = 2;
/** The failing task tries this many runs. */
const FAILING = 3;
const LIMIT_MS = 25 * 60_000;
/** A priority above those that Slurm gives by itself, so that the job starts next. */
const TOP_PRIORITY = '4294902000';

/** Output of a program; null if it fails. */
const outputOf = (program, ...args) => {
  const { status, stdout, error } = spawnSync(program, args, { encoding: 'utf8' });
  return error || status !== 0 ? null : stdout.trim();
};

/** The reason why Slurm cannot be started here; null if it can. */
function lacking() {
  const missing = ['slurmctld', 'slurmd', 'sbatch', 'munged'].filter(
    (name) => outputOf('sh', '-c', `command -v ${name}`) === null,
  );
  if (missing.length > 0) return `${missing.join(', ')} not installed (Debian: slurm-wlm, munge)`;
  return process.getuid?.() === 0 ? null : 'a cluster of one’s own is started by root alone';
}

/** Starts a cluster whose only node is this machine, with its own files and ports. Returns a function that stops it. */
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
    outputOf('chown', 'munge:munge', '/run/munge');
    outputOf('runuser', '-u', 'munge', '--', '/usr/sbin/munged');
  }
  outputOf('slurmctld', '-f', conf);
  outputOf('slurmd', '-f', conf);
  for (let tries = 0; !/\bidle\b/.test(outputOf('sinfo', '--noheader') ?? ''); tries++) {
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
  (outputOf('squeue', '--noheader', '--array', '--format=%i %T %r') ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '');

/** Claims of workers that have made a step and have at least two more to go. */
function atWork(out) {
  const claims = join(out, 'claims');
  const held = [];
  for (const id of existsSync(claims) ? readdirSync(claims).filter((name) => /^[0-9a-f]{16}$/.test(name)) : []) {
    const log = join(out, 'logs', `${id}.log`);
    const [last] = existsSync(log) ? readFileSync(log, 'utf8').split('taken by').slice(-1) : [];
    const [, step] = [...(last ?? '').matchAll(/^step (\d+)/gm)].at(-1) ?? [];
    if (!step || Number(step) > STEPS - 2) continue;
    try {
      held.push(JSON.parse(readFileSync(join(claims, id), 'utf8')));
    } catch {
      // The claim was released meanwhile.
    }
  }
  return held;
}

/** The Slurm task that a worker runs in, and the process of its batch script; null outside Slurm. */
function taskOf(pid) {
  try {
    const all = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const [job, array, task] = ['JOB_ID', 'ARRAY_JOB_ID', 'ARRAY_TASK_ID'].map(
      (name) => all.find((line) => line.startsWith(`SLURM_${name}=`))?.split('=')[1],
    );
    if (!job) return null;
    return {
      id: array ? `${array}_${task}` : job,
      script: Number(spawnSync('ps', ['-o', 'ppid=', '-p', String(pid)]).stdout.toString()),
    };
  } catch {
    return null;
  }
}

/** Submits a job beside the sweep's own: a worker of another program, or with another root folder. */
function strangeJob(name, { out, folder }, program, root, ...more) {
  const worker = [process.execPath, program, 'sweep', 'worker', out, ...more].map((word) => `'${word}'`).join(' ');
  const log = join(folder, `${name}.log`);
  return outputOf(
    'sbatch',
    `--priority=${TOP_PRIORITY}`,
    `--output=${log}`,
    `--wrap=LAB_ROOT='${root}' ${worker}; echo "exit $?"`,
  );
}

/** Disturbs one worker, and returns the disturbance and its task; null if no worker is in a task. */
async function disturb(kind, begun, draw) {
  const held = atWork(begun.out).flatMap(({ pid }) => ({ pid, task: taskOf(pid) }));
  const { pid, task } = held[Math.floor(draw() * held.length)] ?? {};
  if (!task) return null;
  const signal = (to, name) => {
    try {
      return process.kill(to, name);
    } catch {
      return false;
    }
  };
  const isDone = {
    'other code': () => strangeJob(kind, begun, begun.other.bundle, at(), '--runs', '1') !== null,
    // This worker's root has no models.
    failing: () =>
      strangeJob(kind, begun, begun.bundle, join(begun.folder, 'empty'), '--runs', String(FAILING)) !== null,
    kill: () => signal(pid, 'SIGKILL'),
    stop: () => {
      for (const after of [300, 600]) void setTimeout(after).then(() => signal(pid, 'SIGTERM'));
      return signal(pid, 'SIGTERM');
    },
    script: () => signal(task.script, 'SIGKILL'),
    requeue: () => outputOf('scontrol', 'requeue', task.id) !== null,
    cancel: () => outputOf('scancel', task.id) !== null,
  };
  if (!isDone[kind]()) return null;
  const outlived = kind === 'script' ? (await notGone([pid])).length : 0;
  return { kind, task: task.id, outlived };
}

/** Whether `sweep status` reports the jobs of a sweep whose program was deleted before they started. */
async function withoutProgram({ bundle, folder, sweep }) {
  const [spec, out] = [join(folder, 'lost.json'), join(folder, 'lost')];
  const { axes, ...one } = JSON.parse(readFileSync(join(folder, 'sweep.json'), 'utf8'));
  writeFileSync(
    spec,
    JSON.stringify({ ...one, axes: [{ option: axes[0].option, values: [axes[0].from] }], seeds: [41] }),
  );
  await sweep('submit', spec, '--out', out, '--sbatch', '--hold');
  const slurm = join(out, 'slurm');
  for (const name of readdirSync(slurm).filter((name) => name.startsWith('lab-')))
    rmSync(join(slurm, name), { recursive: true });
  const { jobs } = JSON.parse(readFileSync(join(slurm, 'jobs.json'), 'utf8'));
  for (const job of jobs) outputOf('scontrol', 'release', job);
  await until('the end of jobs without a program', () => queue().length === 0);
  const { code, stdout } = await command(bundle, ['sweep', 'status', out, '--json']);
  const { failed } = JSON.parse(stdout).jobs;
  return code === 1 && failed.length === jobs.length && failed.every(({ reason }) => /Cannot find module/.test(reason));
}

/** Copies the bundle, so that the copy can be deleted. */
function ownBuild(bundle, folder) {
  cpSync(dirname(bundle), folder, { recursive: true });
  symlinkSync(at('node_modules'), join(folder, 'node_modules'), 'dir');
  return join(folder, basename(bundle));
}

/** Runs the part and returns what was found; `why` is the reason if it was not run, else null. */
export async function onSlurm(bundle, folder, { seed }) {
  const why = lacking();
  if (why) return { why };
  const draw = draws(seed);
  const begun = await beginSweep(bundle, join(folder, 'slurm'), { runs: RUNS, steps: STEPS });
  const { spec, out, sweep } = begun;
  mkdirSync(join(begun.folder, 'empty'));
  const cluster = await startCluster(join(folder, 'cluster'), 16_931);
  try {
    if (cluster.why) return { why: cluster.why };
    const started = performance.now();
    const isLostReported = await withoutProgram(begun);

    const launcher = launch(['sweep', 'run', spec, '--out', out, '--jobs', String(LAUNCHED)]);
    await until('launched workers at work', () => atWork(out).length === LAUNCHED);
    const launchers = [await killLauncher(launcher)];
    const launchedStops = stopsIn(logsIn(out)).length;
    const idle = await sweep('status', out);
    const isIdleReported = /, 0 at work, .*No worker is at work and no job is queued/s.test(idle);
    say(`A launcher was killed; ${launchers[0].left} of ${launchers[0].started} processes outlived it`);

    const submit = async () => say((await sweep('submit', spec, '--out', out, '--parallel', '2')).trim());
    const early = join(begun.folder, 'early');
    const first = await command(ownBuild(bundle, early), ['sweep', 'submit', spec, '--out', out, '--parallel', '2']);
    if (first.code !== 0) throw new Error(`sweep submit: exit ${first.code}: ${lastLines(first.stderr, 4)}`);
    say(first.stdout.trim());
    rmSync(early, { recursive: true });
    const large = join(begun.folder, 'large');
    const twice = await command(bundle, ['sweep', 'submit', spec, '--out', out]);
    const tooLarge = await command(bundle, ['sweep', 'submit', spec, '--out', large, '--cpus', '1024']);
    const otherSubmit = await command(begun.other.bundle, ['sweep', 'submit', spec, '--out', out, '--add']);

    const done = () => readdirSync(join(out, 'runs')).length;
    const status = async () => JSON.parse(await sweep('status', out, '--json'));
    const left = [...DISTURBANCES];
    const disturbed = [];
    const unreported = [];
    let resubmitted = 0;
    for (let calm = 0; performance.now() - started < LIMIT_MS; ) {
      await setTimeout(1000);
      if (queue().length === 0) {
        if (done() === RUNS) break;
        resubmitted++;
        await submit();
      }
      // A few steps must pass between two disturbances.
      if (left.length === 0 || ++calm < 8) continue;
      const one = await disturb(left[0], begun, draw);
      if (!one) continue;
      say(`${one.kind}; ${done()} of ${RUNS} runs are done`);
      disturbed.push(one);
      left.shift();
      calm = 0;
      const { jobs, atWork: busy } = await status();
      if (one.kind === 'other code' && !(jobs.running > 0 && busy.some(({ hasEnded }) => !hasEnded)))
        unreported.push('status saw no job and no worker where both were at work');
      // The scheduler forgets this task within minutes, and its killed script left no exit code, so it is asked now.
      if (one.kind === 'script' && !(await isFailed(one.task, status)))
        unreported.push(`status did not call ${one.task} failed, whose batch script was killed`);
    }
    const logs = logsIn(out);
    const taken = logs.map((log) => log.match(/^taken by/gm)?.length ?? 0);
    const failures = failuresIn(out);
    const errors = failures.filter(({ kind }) => kind === 'error');
    const failed = (await status()).jobs.failed;
    const logOf = (name) =>
      existsSync(join(begun.folder, name)) ? readFileSync(join(begun.folder, name), 'utf8') : '';
    return {
      why: null,
      ...(await endSweep(begun)),
      disturbed,
      resubmitted,
      gonOnWith: taken.reduce((sum, count) => sum + count - 1, 0) - errors.length,
      launchedStops,
      lostWorkers: failures.filter(({ kind }) => kind === 'lost').length,
      failedFor: new Set(errors.map(({ worker }) => worker)).size,
      failedRuns: errors.length,
      failedJobs: failed.map(({ job }) => job),
      launchers,
      stops: stopsIn(logs),
      unreported: [
        ...unreported,
        ...(isLostReported ? [] : ['status did not say why jobs failed that found no program']),
        ...(isIdleReported ? [] : ['status did not say that nobody is at work after a launcher was killed']),
        ...(twice.code === 2 && /submitted already/.test(twice.stderr) ? [] : ['a second submission was not refused']),
        ...(tooLarge.code === 2 && !existsSync(large) ? [] : ['more cores than a node has were not refused']),
        ...(otherSubmit.code === 2 && /was begun with code/.test(otherSubmit.stderr)
          ? []
          : ['a submission of other code was not refused']),
        ...(/was begun with code[\s\S]*exit 2/.test(logOf('other code.log'))
          ? []
          : ['a task of other code did not refuse the folder']),
        ...(/exit 1/.test(logOf('failing.log')) ? [] : ['a task that fails at everything did not end with 1']),
      ],
      hasReport: existsSync(join(out, 'report.md')),
      seconds: Math.round((performance.now() - started) / 1000),
    };
  } finally {
    cluster.stop();
    rmSync(begun.other.folder, { recursive: true, force: true });
  }
}

/** Whether status comes to call the task failed: the scheduler takes a moment to notice that its script is gone. */
async function isFailed(task, status) {
  for (let tries = 0; tries < 20; tries++, await setTimeout(1000))
    if ((await status()).jobs.failed.some(({ job }) => job === task)) return true;
  return false;
}

const logsIn = (out) => readdirSync(join(out, 'logs')).map((name) => readFileSync(join(out, 'logs', name), 'utf8'));

/** All recorded failures of the folder's runs. */
const failuresIn = (out) =>
  readdirSync(join(out, 'failures'), { recursive: true })
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(out, 'failures', name), 'utf8')));

/** Returns a paragraph for a person, and a sentence for each fault. */
export function slurmReport(found) {
  if (found.why) return { text: `Slurm was not tried: ${found.why}.`, faults: [] };
  const {
    runs,
    of,
    disturbed,
    resubmitted,
    gonOnWith,
    lostWorkers,
    failedFor,
    failedRuns,
    failedJobs,
    stops,
    launchedStops,
  } = found;
  const hit = (...kinds) => disturbed.filter(({ kind }) => kinds.includes(kind)).map(({ task }) => task);
  const dead = hit('kill', 'script');
  const stopped = hit(...STOPS);
  const faults = [
    ...sweepFaults(found),
    ...found.unreported,
    ...(found.hasReport ? [] : ['the job after the array wrote no report']),
    ...(lostWorkers <= dead.length + LAUNCHED - launchedStops
      ? []
      : [`${lostWorkers} runs lost a worker, and ${dead.length} were killed`]),
    ...(stops.length - launchedStops === stopped.length
      ? []
      : [`${stopped.length} workers were stopped, and ${stops.length - launchedStops} said which step they kept`]),
    ...disturbed
      .filter(({ outlived }) => outlived > 0)
      .map(({ task }) => `the worker of ${task} outlived its batch script`),
    ...(failedFor <= 1 && failedRuns === FAILING * failedFor
      ? []
      : [`${failedRuns} runs failed for ${failedFor} workers, and one worker fails at ${FAILING}`]),
    // If a worker is killed, the scheduler must call its job failed.
    ...hit('kill')
      .filter((task) => !failedJobs.includes(task))
      .map((task) => `the worker of ${task} was killed, and status does not call it failed`),
    ...failedJobs.filter((job) => !dead.includes(job)).map((job) => `status calls ${job} failed, which was not killed`),
    ...(disturbed.length === DISTURBANCES.length
      ? []
      : [`${disturbed.length} of ${DISTURBANCES.length} disturbances came about`]),
  ];
  const text = `${runs} of ${of} runs on Slurm, two at a time, in ${found.seconds} s, ${disturbed.length} disturbances (${disturbed.map(({ kind }) => kind).join(', ')}): ${gonOnWith} times another worker went on with a run, ${lostWorkers} runs lost a worker without a word, ${failedJobs.length} jobs failed by that, ${failedRuns} runs failed for one task that fails at everything, ${resubmitted} times submitted again; ${launchedStops} of the launcher’s ${LAUNCHED} workers kept their last whole step. ${sweepText(found)}`;
  return { text, faults };
}
