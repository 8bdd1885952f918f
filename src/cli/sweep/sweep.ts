// `sweep …`: a group of commands on many runs as one thing, on one machine or several (docs/architecture/sweeps.md). Each command is loaded
// when it is named.
import { group } from '../command.ts';

export const sweep = group(
  {
    name: 'sweep',
    summary: 'Trains configurations × seeds, on one machine or several, and says what they came to.',
    positional: ['COMMAND', '[SPEC|DIR]'],
  },
  {
    plan: ['SPEC', 'says what a sweep will take, and runs nothing', async () => (await import('./run.ts')).sweepPlan],
    run: [
      'SPEC',
      'trains it in a folder, and goes on where it was stopped',
      async () => (await import('./run.ts')).sweepRun,
    ],
    submit: ['SPEC', 'hands it to a cluster (Slurm)', async () => (await import('./submit.ts')).sweepSubmit],
    worker: [
      'DIR',
      'takes runs of a folder that several machines may share',
      async () => (await import('./worker.ts')).sweepWorker,
    ],
    status: [
      'DIR',
      'says what is done, at work, left and set apart',
      async () => (await import('./status.ts')).sweepStatus,
    ],
    watch: ['DIR', 'says so again and again, until it is done', async () => (await import('./status.ts')).sweepWatch],
    logs: ['DIR', 'prints what a run has logged', async () => (await import('./status.ts')).sweepLogs],
    cancel: ['DIR', 'stops all workers; what is done stays', async () => (await import('./status.ts')).sweepCancel],
    collect: ['DIR', 'writes results.jsonl and results.csv', async () => (await import('./collect.ts')).sweepCollect],
    report: [
      'DIR',
      'writes report.md and report.json: the table, effects, the best',
      async () => (await import('./report.ts')).sweepReport,
    ],
    schema: ['', 'prints the schema of SPEC, for editors', async () => (await import('./run.ts')).sweepSchemaCommand],
  },
);
