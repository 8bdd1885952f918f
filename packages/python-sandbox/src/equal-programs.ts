// Equal programs are run once: a VM's clock, hashes and randomness are its own, so the same program does the same again.
// Completions of one answer under several grades share an oracle, samples of one prompt are often equal, and models that are
// evaluated on the same problems often answer the same. What was seen is therefore kept, up to a size.
import type { Program, RunResult, SandboxPool } from './protocol.ts';

/** Characters of programs and of what they left, over which the oldest are forgotten: some ten thousand programs. */
const KEPT_CHARACTERS = 16_000_000;

export function runningEqualOnce(pool: SandboxPool, keptCharacters = KEPT_CHARACTERS): SandboxPool {
  const kept = new Map<string, { result: RunResult; size: number }>();
  let size = 0;
  const keep = (key: string, result: RunResult): void => {
    // The clock's verdicts are the machine's, not the program's.
    if (kept.has(key) || result.killed === 'timeout' || result.killed === 'crash') return;
    const entry = { result, size: key.length + JSON.stringify(result).length };
    kept.set(key, entry);
    size += entry.size;
    for (const [oldest, { size: its }] of kept) {
      if (size <= keptCharacters) break;
      kept.delete(oldest);
      size -= its;
    }
  };
  return {
    async run(programs, signal) {
      const results: (RunResult | undefined)[] = [];
      const missing = new Map<string, { program: Program; places: number[] }>();
      for (const [place, program] of programs.entries()) {
        const key = JSON.stringify([program.setup ?? null, program.source, program.steps]);
        const known = kept.get(key);
        if (known !== undefined) {
          // A program that is asked for again is the last to be forgotten.
          kept.delete(key);
          kept.set(key, known);
          results[place] = known.result;
        } else {
          const entry = missing.get(key) ?? { program, places: [] };
          entry.places.push(place);
          missing.set(key, entry);
        }
      }
      const fresh = await pool.run(
        [...missing.values()].map(({ program }) => program),
        signal,
      );
      for (const [i, [key, { places }]] of [...missing].entries()) {
        // A pool has a result for each program, in their order.
        const result = fresh[i] as RunResult;
        for (const place of places) results[place] = result;
        keep(key, result);
      }
      return results as RunResult[];
    },
    close() {
      kept.clear();
      return pool.close();
    },
  };
}
