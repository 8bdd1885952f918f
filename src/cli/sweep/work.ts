// `sweep worker`: takes runs of a folder until none is left, for a person, a batch system, or the command that started it.
import { integer, toggle } from '../args.ts';
import { serveWork } from '../claimed.ts';
import { command, EXIT } from '../command.ts';
import { SweepFolder, theOne } from './folder.ts';
import { drainClaims } from './worker.ts';

const usage = {
  name: 'sweep worker',
  summary: 'Takes runs of a sweep’s folder until none is left. Any number of workers, on any number of machines.',
  positional: ['DIR'],
  flags: {
    runs: integer('End after so many runs, or when all others are at work elsewhere.', null, 1),
    threads: integer('Threads of the CPU device. Changes no digit.', null, 1, 1024),
    lease: integer('Seconds of silence after which a run is taken from another machine’s worker.', 60, 1, 86_400),
    child: toggle('For `sweep run --jobs`: works for the process that started it.'),
  },
  notes: 'Ctrl-C or SIGTERM: the run is released with its last checkpoint, and another worker goes on from there.',
} as const;

export const sweepWorker = command(usage, async ({ flags, positional }, { root, signal, progress }) => {
  const folder = await SweepFolder.open(theOne('DIR', positional, usage.name), flags.lease * 1000);
  const { runs: most, threads } = flags;
  if (!flags.child) {
    const note = (line: string) => progress.note(line);
    const { failed } = await drainClaims(folder, { root, threads, most, signal, note });
    return failed > 0 ? EXIT.failed : EXIT.ok;
  }
  await serveWork(signal, (both, tell) => ({
    work: () => drainClaims(folder, { root, threads, most, signal: both, note: (line) => tell('note', line) }),
  }));
  return EXIT.ok;
});
