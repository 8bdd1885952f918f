// Runs equal programs once: a VM's clock, hashes and randomness are deterministic, so a program always does the same. Several grades of one
// answer share an oracle, samples of one prompt are often equal, and models evaluated on the same problems often give the same answer.
// Results are therefore cached, up to a size.
import type { Program, RunResult, SandboxPool } from './protocol.ts';

/** Most characters of cached programs and their results, some ten thousand programs; then the least recently used are dropped. */
const KEPT_CHARACTERS = 16_000_000;

export function runningEqualOnce(pool: SandboxPool, keptCharacters = KEPT_CHARACTERS): SandboxPool {
  const kept = new Map<string, { result: RunResult; size: number }>();
  let size = 0;
  const keep = (key: string, result: RunResult): void => {
    // Timeouts and crashes depend on the machine, not only on the program.
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
          // A program that is requested again becomes the most recently used.
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
        // A pool returns a result for each program, in their order.
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
