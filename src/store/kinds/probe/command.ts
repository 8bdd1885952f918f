// The probe on show as a command line, with the trainings of T5 or T6, so that it can be run without the page.
import type { ProbeAsk, ProbeTraining } from '../../../lab/protocol/probe.ts';

/** `ask` is null for a probe from a file, whose request is unknown. */
export function commandOf(
  ask: ProbeAsk | null,
  { check, steps, ratio, innerEpochs, loraLr }: ProbeTraining,
  defaults: Omit<ProbeTraining, 'check'>,
): string {
  const flags: string[] = [];
  if (ask) {
    const { teacher, problems, samples, seed, settings } = ask;
    flags.push(`--problems ${problems}`, `--samples ${samples}`, `--seed ${seed}`);
    if (teacher.kind === 'templates') flags.push(`--pool templates --correct ${teacher.correct}`);
    if (teacher.kind === 'pool') flags.push('--pool POOL.jsonl.gz');
    for (const [name, value] of Object.entries(settings)) {
      if (name === 'basisSource') continue;
      // --lora runs the other adapter too, each with the basis extracted from its own pairs.
      if (check === 'T6' && ['basisFile', 'adapter', 'lr'].includes(name)) continue;
      if (name === 'basisFile') flags.push('--basis BASIS.safetensors');
      else flags.push(`--set ${name}=${value}`);
    }
  }
  if (innerEpochs !== defaults.innerEpochs) flags.push(`--set innerEpochs=${innerEpochs}`);
  if (check === 'T6') flags.push('--lora');
  if (check === 'T6' && loraLr !== defaults.loraLr) flags.push(`--lora-lr ${loraLr}`);
  if (ratio !== defaults.ratio) flags.push(`--ratio ${ratio}`);
  return `npm run lab -- probe ${[...flags, `--trajectory ${steps}`].join(' ')}`;
}
