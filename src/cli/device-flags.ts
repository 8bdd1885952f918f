// The flags that choose the device of a command.
import { DEVICE_CHOICES, type DeviceChoice } from '../experiments/config/spec.ts';
import { MOST_THREADS } from '../kernels/cpu/threads/team.ts';
import { integer, oneOf } from './args.ts';

export interface DeviceFlags {
  device: DeviceChoice;
  /** Number of threads; where absent, as many as there are cores. */
  threads?: number | null;
  /** For one of several processes: the most threads that it may get later, when others have ended. */
  mostThreads?: number;
  /** `auto` takes no CPU that fuses, for commands that make published results again, or add to them. */
  isPlain?: boolean;
}

/** The flags with `isPlain`. */
export const remakingFlags = (help: string) =>
  deviceFlags(
    `${help} \`auto\` takes a GPU, or else the CPU that does not fuse, on which most of what is published was made.`,
  );

export const deviceFlags = (help: string) => ({
  device: oneOf(DEVICE_CHOICES, help, 'auto'),
  threads: integer(
    'Threads of the CPU device; by default one for each core. Their number changes no digit.',
    null,
    1,
    MOST_THREADS,
  ),
});
