// The table of kinds of this layer: the command that each is asked for with. Its folder (--out) is how it is kept here; every
// setting of a run comes to it through --set, from the settings' own schema.
import type { KindId } from '../experiments/records/kind.ts';
import type { Command } from './command.ts';

export interface CommandEntry {
  /** One line of the help page. */
  summary: string;
  load(): Promise<Command>;
}

/** In the help page's order. */
export const KIND_COMMANDS = {
  run: {
    summary: 'trains arms × seeds and prints the final table',
    load: async () => (await import('./run/run.ts')).run,
  },
  probe: {
    summary: 'asks whether the hack basis sees hacking, before any RL is run',
    load: async () => (await import('./probe/probe.ts')).probe,
  },
  study: {
    summary: 'runs the questions of the study, resumes, publishes and reports',
    load: async () => (await import('./study/study.ts')).study,
  },
} as const satisfies Record<KindId, CommandEntry>;
