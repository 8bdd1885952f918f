// The probe on show as a command line: for what the page does not do (T5 and T6 are trainings).
import type { ProbeAsk } from '../lab/protocol-probe.ts';

/** T5 needs 15 steps to decide. */
const STEPS = 20;

/** Null for a probe that came as a file: what was asked is not known. */
export function commandOf(ask: ProbeAsk | null, check: 'T5' | 'T6'): string {
  const flags: string[] = [];
  if (ask) {
    const { teacher, problems, samples, seed, settings } = ask;
    flags.push(`--problems ${problems}`, `--samples ${samples}`, `--seed ${seed}`);
    if (teacher.kind === 'templates') flags.push(`--correct ${teacher.correct}`);
    else flags.push('--pool POOL.jsonl.gz');
    for (const [name, value] of Object.entries(settings)) {
      if (name === 'basisSource') continue;
      // --lora sets the other adapter beside this one, each with the basis of its own pairs.
      if (check === 'T6' && ['basisFile', 'adapter', 'lr'].includes(name)) continue;
      if (name === 'basisFile') flags.push('--basis BASIS.safetensors');
      else flags.push(`--set ${name}=${value}`);
    }
  }
  if (check === 'T6') flags.push('--lora');
  return `npm run lab -- probe ${[...flags, `--trajectory ${STEPS}`].join(' ')}`;
}
