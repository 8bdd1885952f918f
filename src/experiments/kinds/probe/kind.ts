// The kind `probe`: does the hack basis see hacking, before any RL is run?
import type { Kind } from '../../records/kind.ts';
import type { ProbeReport } from './types.ts';

export const probe = {
  label: 'probe',
  plural: 'probes',
  schema: 1,
  /** Every figure of the replays; verdicts are made from them, and trainings are runs. */
  digested({ vanilla, projected, discrimination, grpoDiscrimination, contrastive }: ProbeReport) {
    return { vanilla, projected, discrimination, grpoDiscrimination, contrastive };
  },
} as const satisfies Kind<ProbeReport>;
