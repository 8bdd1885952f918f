// `sweep …`: many runs as one thing, on one machine or several (docs/architecture/sweeps.md). A group: each of its commands is loaded
// when it is named.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Command } from '../command.ts';

export const sweep: Command = {
  usage: {
    name: 'sweep',
    summary: 'Trains configurations × seeds, on one machine or several, and says what they came to.',
    positional: ['COMMAND', '[SPEC|DIR]'],
    flags: {},
    notes: [
      'Commands:',
      '  plan SPEC    says what a sweep will take, and runs nothing',
      '  run SPEC     trains it in a folder, and goes on where it was stopped',
      '  submit SPEC  hands it to a cluster (Slurm)',
      '  worker DIR   takes runs of a folder that several machines may share',
      '  status DIR   says what is done, at work, left and set apart',
      '  watch DIR    says so again and again, until it is done',
      '  logs DIR     prints what a run has logged',
      '  cancel DIR   stops all workers; what is done stays',
      '  collect DIR  writes results.jsonl and results.csv',
      '  report DIR   writes report.md and report.json: the table, effects, the best',
      '  schema       prints the schema of SPEC, for editors',
      '',
      'npm run lab -- sweep COMMAND --help says more.',
    ].join('\n'),
  },
  parts: {
    plan: async () => (await import('./run.ts')).sweepPlan,
    run: async () => (await import('./run.ts')).sweepRun,
    submit: async () => (await import('./submit.ts')).sweepSubmit,
    worker: async () => (await import('./work.ts')).sweepWorker,
    status: async () => (await import('./status.ts')).sweepStatus,
    watch: async () => (await import('./status.ts')).sweepWatch,
    logs: async () => (await import('./status.ts')).sweepLogs,
    cancel: async () => (await import('./status.ts')).sweepCancel,
    collect: async () => (await import('./collect.ts')).sweepCollect,
    report: async () => (await import('./report.ts')).sweepReport,
    schema: async () => (await import('./run.ts')).sweepSchemaCommand,
  },
  run() {
    throw new SpecError('`sweep` needs a command: plan, run, worker, status, …', 'See: npm run lab -- sweep --help');
  },
};
