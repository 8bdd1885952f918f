// What the commands that judge have in common.
import { PAPER_CONFIG, USUAL_CONFIG, type VerifierConfig } from '../../environments/are/verifier/compare-calls.ts';
import { ConstantEngine, factEngine } from '../../environments/are/verifier/engines.ts';
import type { SoftEngine } from '../../environments/are/verifier/soft.ts';
import { oneOf, toggle, type Values } from '../args.ts';

export const JUDGE_FLAGS = {
  soft: oneOf(
    ['facts', 'accept', 'reject', 'off'],
    'What judges texts that are not the same: whether the oracle’s facts are in them, always or never, or nothing at all.',
    'facts',
  ),
  window: oneOf(['usual', 'paper'], 'Seconds that an event may come early and late: 10 and 25, or 5 and 25.', 'usual'),
  json: toggle('Print JSON.'),
} as const;

export function judgeOptions(flags: Pick<Values<typeof JUDGE_FLAGS>, 'soft' | 'window'>): {
  engine: SoftEngine;
  config: VerifierConfig;
} {
  const config = flags.window === 'paper' ? PAPER_CONFIG : USUAL_CONFIG;
  const engine =
    flags.soft === 'accept' || flags.soft === 'reject' ? new ConstantEngine(flags.soft === 'accept') : factEngine;
  return { engine, config: flags.soft === 'off' ? { ...config, scripted: {} } : config };
}
