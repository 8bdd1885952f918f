// One reader's inputs, from `seed` on; scripts/tool/fuzz.mjs gives each reader a process of its own, and watches that it goes on.
//   main.js --list
//   main.js READER N SEED
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeSeed, READERS } from './corpus.ts';
import { Random } from './random.ts';

/** Faults of one reader that are told in full. */
const PRINTED = 5;

const [name, n, first] = process.argv.slice(2);
if (name === '--list') {
  for (const reader of READERS) console.log(reader.name);
} else {
  const reader = READERS.find((own) => own.name === name)!;
  const counts = { result: 0, refused: 0, fault: 0 };
  // The library of tokenizers says what it makes of each pattern.
  console.warn = () => {};
  // What is read first is slow: it is compiled.
  await reader.read((await reader.good).slice());
  let slowest = { ms: 0, seed: 0, bytes: 0 };
  for (let seed = Number(first); seed < Number(first) + Number(n); seed++) {
    process.send?.({ seed });
    const { kind, why, ms, bytes } = await judgeSeed(reader, seed);
    counts[kind]++;
    if (ms > slowest.ms) slowest = { ms, seed, bytes };
    if (kind === 'fault' && counts.fault <= PRINTED) console.log(`  seed ${seed} (${bytes} bytes): ${why}`);
    if (process.env.FUZZ_KEEP && kind === 'fault')
      writeFileSync(join(process.env.FUZZ_KEEP, `${name}-${seed}`), await reader.make(new Random(seed, reader.name)));
  }
  const { result, refused, fault } = counts;
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(
    `${name}: ${result} read, ${refused} refused, ${fault} faults; slowest ${slowest.ms.toFixed(0)} ms (seed ${slowest.seed}, ${slowest.bytes} bytes), ${peak} MiB`,
  );
  process.exit(fault > 0 ? 1 : 0);
}
